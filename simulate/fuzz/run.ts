import { tmpdir } from 'node:os'
import { Command, InvalidArgumentError } from 'commander'
import { Cleanup } from '../../bench/cleanup.ts'
import { Progress } from '../../bench/progress.ts'
import { seeded } from '../random.ts'
import type { Account } from './account.ts'
import { ApiDocument } from './api-document.ts'
import { type FuzzResult, fuzz } from './fuzz.ts'
import { FuzzedServer } from './fuzzed-server.ts'
import { findHealthProblems } from './health.ts'
import { KnownIds } from './known-ids.ts'
import { MemoryMonitor } from './memory-monitor.ts'
import { toCurl } from './request.ts'
import { describeUnreached, type ResponseStats } from './response-stats.ts'

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

/** The fuzzed server. `server` is null for a server of the user. */
interface Target {
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
  .description('Sends requests that are generated from openapi.json, and compares each response with it.')
  .option('--seed <number>', 'seed of the random requests', number, Date.now() % 2 ** 31)
  .option('--requests <number>', 'number of requests', number, 20_000)
  .option('--seconds <number>', 'maximum duration', number)
  .option('--url <url>', 'a running server; default: a new server with its own database')
  .option('--token <token>', 'an API token for that server; its account is filled with records')
  .option('--keep-going', 'continue after a finding', false)
  .option('--folder <folder>', 'folder for temporary data', tmpdir())
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
  const { url, server, newAccount } = await targetOf(options, cleanup)
  const document = await ApiDocument.of(url)
  const memory = server && new MemoryMonitor(server, requests)
  const started = performance.now()
  const endsAt = started + (options.seconds ?? Infinity) * 1000
  let sent = 0
  const step = async () => {
    progress.at(++sent / requests)
    await memory?.countRequest()
  }
  const result = await fuzz({
    document,
    url,
    random: seeded(seed),
    requests,
    clients: CLIENTS,
    newAccount,
    usesOtherAccount: server !== null,
    fullAccount: server && (() => server.accounts.makeFull()),
    keepGoing,
    prepare: memory && ((context) => memory.fill(context)),
    progress: step,
    shouldStop: () => performance.now() > endsAt,
  })
  progress.end()
  const seconds = (performance.now() - started) / 1000
  const problems = [
    ...(await findHealthProblems(url, result.stats)),
    ...(server?.takeErrors().map((line) => `in its log: ${line}`) ?? []),
    ...(memory?.problems() ?? []),
    ...(server ? missing(result.stats, document) : []),
  ]
  report(result, document, problems, options, url)
  console.log(
    `\n${result.stats.requests} requests in ${seconds.toFixed(0)} s, ${(result.stats.requests / seconds).toFixed(0)}/s`,
  )
  if (memory) console.log(memory.describe())
  return result.findings.length + problems.length > 0 ? 1 : 0
}

const missing = (stats: ResponseStats, document: ApiDocument): string[] =>
  describeUnreached(stats.unreached(document).filter(({ reason }) => reason === null))

async function targetOf({ url, token, folder }: Options, cleanup: Cleanup): Promise<Target> {
  if (url === undefined) {
    const server = await FuzzedServer.start(folder, cleanup)
    return { url: server.url, server, newAccount: (signedIn) => server.accounts.make(signedIn) }
  }
  if (token === undefined) throw new Error('--url needs --token')
  const known = new KnownIds()
  return { url, server: null, newAccount: async () => ({ token, revokedToken: null, cookie: null, known }) }
}

function report(
  { stats, findings }: FuzzResult,
  document: ApiDocument,
  problems: string[],
  { seed, requests }: Options,
  url: string,
): void {
  console.log(stats.table())
  console.log('\nDocumented errors that did not occur:')
  for (const line of describeUnreached(stats.unreached(document))) console.log(`  ${line}`)
  for (const { finding, times } of findings) {
    console.log(`\nFOUND ${times} times: ${finding.message}\n${toCurl(finding.request, url)}`)
  }
  for (const problem of problems) console.log(`\nFOUND ${problem}`)
  if (findings.length + problems.length > 0)
    console.log(`\nAgain: npm run fuzz -- --seed ${seed} --requests ${requests}`)
}

await program.parseAsync()
