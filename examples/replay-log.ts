// Replays an event log through the HTTP interface: a claim for each case, its events in the order of their
// times. `npm run example -- --help` says how. The parts are in replay/, in the order of their use here.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { duration } from '../src/backtest/report/figures.ts'
import { ApiClient } from './replay/api-client.ts'
import { awaitChecks, longestWaitSeconds } from './replay/await-checks.ts'
import { ClaimWatch, newestClaimId } from './replay/claim-watch.ts'
import type { ColumnNames } from './replay/columns.ts'
import { ReplayFailure } from './replay/failure.ts'
import { openClaims } from './replay/open-claims.ts'
import { type OnProgress, runPhase } from './replay/progress.ts'
import { readLog } from './replay/read-log.ts'
import { toJson, toTable } from './replay/report.ts'
import { submitEvents } from './replay/submit-events.ts'

interface Options extends ColumnNames {
  log: string
  contract: string
  url: string
  token?: string
  separator: string
  connections: number
  wait: boolean
  json: boolean
}

/** Longer than this nobody sits and watches. */
const MAX_WAIT_SECONDS = 15 * 60

const say = (line: string) => console.error(line)

async function replay(options: Options): Promise<void> {
  const log = await readLog(options.log, options, options.separator)
  for (const warning of log.warnings) say(`note: ${warning}`)
  const contract = await readContract(options.contract)
  const client = new ApiClient(options.url, requireToken(options.token))
  const newestBefore = await newestClaimId(client)

  const cases = log.customers.size
  const opening = await runPhase({ label: 'opening claims', total: cases, hasRate: true }, (onProgress) =>
    openClaims(client, log, contract, options.connections, counting(onProgress)),
  )
  const submitting = await runPhase(
    { label: 'submitting events', total: log.events.length, hasRate: true },
    (onProgress) =>
      submitEvents(client, log.events, opening.result, options.connections, counting(onProgress)),
  )
  const watch = new ClaimWatch(client, opening.result.values(), newestBefore)
  const waitingSeconds = await wait(watch, cases, options.wait, contract as Windows)

  const report = {
    cases,
    customers: new Set(log.customers.values()).size,
    events: log.events.length,
    ...submitting.result,
    claims: watch.counts,
    retries: client.retries,
    seconds: { opening: opening.seconds, submitting: submitting.seconds, waiting: waitingSeconds },
  }
  console.log(options.json ? toJson(report) : toTable(report))
}

function counting(onProgress: OnProgress): () => void {
  let done = 0
  return () => onProgress(++done)
}

interface Windows {
  activity_window: number
  review_window: number
}

/** The service has accepted the contract by now, so its windows are numbers. Returns the seconds waited. */
async function wait(
  watch: ClaimWatch,
  cases: number,
  isWanted: boolean,
  contract: Windows,
): Promise<number | null> {
  const longest = longestWaitSeconds(contract)
  if (isWanted && longest < MAX_WAIT_SECONDS) {
    say(
      `all claims are resolved after at most ${duration(longest * 1000)}; Ctrl-C shows the table as it stands`,
    )
    const phase = { label: 'waiting for the checks', total: cases, hasRate: false }
    return (await runPhase(phase, (onProgress) => awaitChecks(watch, onProgress))).seconds
  }
  if (isWanted)
    say(`not waiting for the checks: with these windows they take up to ${duration(longest * 1000)}`)
  await watch.refresh()
  return null
}

async function readContract(path: string): Promise<unknown> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    throw new ReplayFailure(`the contract cannot be read: ${(error as Error).message}`)
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ReplayFailure(`${path}: the contract is not JSON: ${(error as Error).message}`)
  }
}

function requireToken(token: string | undefined): string {
  if (!token) throw new ReplayFailure('an API token is needed: set CLAIMKEEPER_TOKEN, or give --token')
  // Anything else is no header, and fetch would call it unreachable.
  if (!/^[\x21-\x7e]+$/.test(token)) throw new ReplayFailure('the API token has characters that no token has')
  return token
}

function parseUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    throw new InvalidArgumentError('It must begin with http:// or https://.')
  }
  return text.replace(/\/+$/, '')
}

function parseConnections(text: string): number {
  if (!/^\d{1,3}$/.test(text) || Number(text) === 0) {
    throw new InvalidArgumentError('It must be a whole number from 1 to 999.')
  }
  return Number(text)
}

/** A tab is awkward to type as itself. */
function parseSeparator(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must not be empty.')
  return text === '\\t' || text === 'tab' ? '\t' : text
}

const sample = (name: string) => join(import.meta.dirname, name)

const program = new Command('replay-log')
  .description(
    'Opens a claim for each case of an event log (CSV with a header), submits the events in the order of their ' +
      'times, waits for the scheduled checks and shows what came of the claims.',
  )
  .addOption(new Option('--log <file>', 'the event log').default(sample('sample-log.csv'), 'the sample log'))
  .addOption(
    new Option('--contract <file>', 'the contract of every claim, as JSON').default(
      sample('sample-contract.json'),
      'the sample contract',
    ),
  )
  .option('--url <url>', 'where the service is', parseUrl, 'http://127.0.0.1:8080')
  .addOption(new Option('--token <token>', 'API token').env('CLAIMKEEPER_TOKEN'))
  .option('--case <column>', 'column that names the case', 'case_id')
  .option('--type <column>', 'column that names the type of the event', 'type')
  .option('--time <column>', 'column of its time: ISO 8601, or Unix seconds or milliseconds', 'occurred_at')
  .option('--customer <column>', 'column that names the customer of the case', 'customer')
  .option('--separator <text>', 'what separates the columns; "tab" for a tab', parseSeparator, ',')
  .option('--connections <count>', 'submissions at the same time', parseConnections, 8)
  .option('--no-wait', 'show the claims as they stand after the last event')
  .option('--json', 'print one JSON object in place of the table', false)
  .addHelpText('after', '\nAll other columns, and the time, are sent as the payload of the event.')
  .action(replay)

try {
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof ReplayFailure)) throw error
  say(`replay-log: ${error.message}`)
  // Not process.exitCode: connections that are still being retried would hold the end up.
  process.exit(1)
}
