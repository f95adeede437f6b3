import { tmpdir } from 'node:os'
import { Command, InvalidArgumentError } from 'commander'
import { Cleanup } from '../../bench/cleanup.ts'
import { Progress } from '../../bench/progress.ts'
import { seeded } from '../random.ts'
import type { Account } from './account.ts'
import { ApiDocument } from './document.ts'
import { type FuzzResult, fuzz } from './fuzz.ts'
import { FuzzedServer } from './fuzzed-server.ts'
import { unhealthy } from './health.ts'
import { Known } from './known.ts'
import { MemoryWatch } from './memory-watch.ts'
import { toCurl } from './request.ts'
import { describeUnreached, type Tally } from './tally.ts'

const CLIENTS = 8

interface Options {
  seed: number
  requests: number
  seconds?: number
  url?: string
  token?: string
  keepGoing: boolean
  folder: string
}

/** Where requests go, and who may be watched there. */
interface Place {
  url: string
  server: FuzzedServer | null
  newAccount: (signedIn: boolean) => Promise<Account>
}

function number(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 0) throw new InvalidArgumentError('It must be a whole number.')
  return value
}

const program = new Command('npm run fuzz --')
  .description('Sends requests made from openapi.json, and holds every answer to it.')
  .option('--seed <number>', 'of what is drawn; the same seed asks the same', number, Date.now() % 2 ** 31)
  .option('--requests <number>', 'how many', number, 20_000)
  .option('--seconds <number>', 'ends it earlier, after so long', number)
  .option('--url <url>', 'a server to ask; by default one of its own, on a database of its own')
  .option('--token <token>', 'an API token for that server, whose account is filled with records')
  .option('--keep-going', 'go on after a finding, and gather all', false)
  .option('--folder <folder>', 'where the temporary data goes', tmpdir())
  .action(async (options: Options) => {
    const cleanup = new Cleanup()
    process.once('SIGINT', () => void cleanup.run().then(() => process.exit(130)))
    try {
      process.exitCode = await run(options, cleanup)
    } finally {
      await cleanup.run()
    }
  })

async function run(options: Options, cleanup: Cleanup): Promise<number> {
  const { seed, requests, keepGoing } = options
  const progress = new Progress()
  progress.doing(`seed ${seed}`)
  const { url, server, newAccount } = await placeOf(options, cleanup)
  const document = await ApiDocument.of(url)
  const watch = server && new MemoryWatch(server, requests)
  const started = performance.now()
  const endsAt = started + (options.seconds ?? Infinity) * 1000
  let sent = 0
  const step = async () => {
    progress.at(++sent / requests)
    await watch?.countRequest()
  }
  const result = await fuzz({
    document,
    url,
    random: seeded(seed),
    requests,
    clients: CLIENTS,
    newAccount,
    hasOthers: server !== null,
    fullAccount: server && (() => server.accounts.makeFull()),
    keepGoing,
    prepare: watch && ((seat) => watch.fill(seat)),
    progress: step,
    isOver: () => performance.now() > endsAt,
  })
  progress.end()
  const seconds = (performance.now() - started) / 1000
  const flaws = [
    ...(await unhealthy(url, result.tally)),
    ...(server?.takeErrors().map((line) => `in its log: ${line}`) ?? []),
    ...(watch?.flaws() ?? []),
    ...(server ? missing(result.tally, document) : []),
  ]
  report(result, document, flaws, options, url)
  console.log(
    `\n${result.tally.requests} requests in ${seconds.toFixed(0)} s, ${(result.tally.requests / seconds).toFixed(0)}/s`,
  )
  if (watch) console.log(watch.describe())
  return result.findings.length + flaws.length > 0 ? 1 : 0
}

const missing = (tally: Tally, document: ApiDocument): string[] =>
  describeUnreached(tally.unreached(document).filter(({ reason }) => reason === null))

async function placeOf({ url, token, folder }: Options, cleanup: Cleanup): Promise<Place> {
  if (url === undefined) {
    const server = await FuzzedServer.start(folder, cleanup)
    return { url: server.url, server, newAccount: (signedIn) => server.accounts.make(signedIn) }
  }
  if (token === undefined) throw new Error('--url needs --token')
  const known = new Known()
  return { url, server: null, newAccount: async () => ({ token, revokedToken: null, cookie: null, known }) }
}

function report(
  { tally, findings }: FuzzResult,
  document: ApiDocument,
  flaws: string[],
  { seed, requests }: Options,
  url: string,
): void {
  console.log(tally.table())
  console.log('\nErrors that are documented and were not answered:')
  for (const line of describeUnreached(tally.unreached(document))) console.log(`  ${line}`)
  for (const { finding, times } of findings) {
    console.log(`\nFOUND ${times} times: ${finding.message}\n${toCurl(finding.request, url)}`)
  }
  for (const flaw of flaws) console.log(`\nFOUND ${flaw}`)
  if (findings.length + flaws.length > 0)
    console.log(`\nAgain: npm run fuzz -- --seed ${seed} --requests ${requests}`)
}

await program.parseAsync()
