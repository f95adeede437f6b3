import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

/*
 * The speed of `claimkeeper backtest` over a log of its own making, against the same file merely parsed by
 * csv-parse, each as a process of its own, by turns. The figure is the ratio of the two; the peak memory is the
 * child's maximum resident set.
 *
 *   node bench/backtest.ts [--events 2000000] [--rounds 3] [--unsorted] [--folder DIR]
 */

const SELF = fileURLToPath(import.meta.url)
const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const EVENTS_A_CASE = 8
const TYPES = ['opened', 'assigned', 'noted', 'charged', 'waited', 'resolved', 'rated', 'closed']
const CONTRACT = {
  price: 0.1,
  activity_window: 5 * 86_400,
  review_window: 3600,
  timeout_outcome: 'fail',
  fulfillment_condition: {
    op: 'AND',
    conditions: [
      { event: 'resolved' },
      { event: 'rated', field: 'score', gte: 3 },
      { op: 'NOT', condition: { event: 'charged', field: 'amount', gt: 90 } },
    ],
  },
}

/** One line of the log; every part follows from the number alone, so that each run makes the same log. */
function rowOf(event: number, isSorted: boolean, cases: number): string {
  const step = isSorted ? event % EVENTS_A_CASE : Math.floor(event / cases)
  const caseNumber = isSorted ? Math.floor(event / EVENTS_A_CASE) : event % cases
  const chance = (Math.imul(caseNumber + 1, 0x9e3779b1) ^ Math.imul(step + 1, 0x85ebca6b)) >>> 0
  const hours = caseNumber * 0.02 + step * (6 + (chance % 24))
  const time = new Date(1_700_000_000_000 + Math.round(hours * 3_600_000)).toISOString()
  const type = TYPES[step]
  const amount = type === 'charged' ? (chance % 10_000) / 100 : ''
  const score = type === 'rated' ? 1 + (chance % 5) : ''
  return `C-${caseNumber},${type},${time},${amount},${score},agent-${chance % 50},desk ${chance % 7}\n`
}

async function writeLog(path: string, events: number, isSorted: boolean): Promise<void> {
  const file = createWriteStream(path)
  file.write('case_id,type,occurred_at,amount,score,agent,desk\n')
  const cases = Math.ceil(events / EVENTS_A_CASE)
  for (let event = 0; event < events; ) {
    let text = ''
    const end = Math.min(event + 10_000, events)
    while (event < end) text += rowOf(event++, isSorted, cases)
    if (!file.write(text)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'close')
}

interface Measure {
  seconds: number
  /** Of the processor: other work on the machine does not change it. */
  busySeconds: number
  megabytes: number
}

/** Runs node as a child, which tells of its own memory when it ends. */
async function measure(args: string[]): Promise<Measure> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, ['--import', memoryTeller, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let told = ''
  child.stderr.on('data', (chunk) => {
    told += chunk
  })
  const [status] = await once(child, 'close')
  const usage = /usage=(\{.*\})/.exec(told)?.[1]
  if (status !== 0 || !usage) throw new Error(`${args.join(' ')} ended with ${status}: ${told}`)
  const { maxRSS, userCPUTime, systemCPUTime } = JSON.parse(usage)
  const seconds = (performance.now() - startedAt) / 1000
  return { seconds, busySeconds: (userCPUTime + systemCPUTime) / 1e6, megabytes: maxRSS / 1024 }
}

const memoryTeller = `data:text/javascript,${encodeURIComponent(
  "process.on('exit', () => process.stderr.write('usage=' + JSON.stringify(process.resourceUsage()) + '\\n'))",
)}`

/** The yardstick, in a child: rows are parsed and counted, nothing else. */
async function parseOnly(path: string): Promise<void> {
  const { parse } = await import('csv-parse')
  let rows = 0
  const parser = createReadStream(path, { highWaterMark: 256 * 1024 }).pipe(parse({ bom: true }))
  parser.on('data', () => rows++)
  await once(parser, 'end')
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number

async function compare(log: string, contract: string, events: number, rounds: number): Promise<void> {
  const ratios: number[] = []
  const busyRatios: number[] = []
  for (let round = 1; round <= rounds; round++) {
    const parsed = await measure([SELF, '--parse', log])
    const tested = await measure([MAIN, 'backtest', '--log', log, '--contract', contract])
    ratios.push(parsed.seconds / tested.seconds)
    busyRatios.push(parsed.busySeconds / tested.busySeconds)
    const told = (name: string, { seconds, megabytes }: Measure) =>
      `${name} ${Math.round(events / seconds).toLocaleString('en')} events/s, peak ${Math.round(megabytes)} MB`
    console.log(
      `${round}: ${told('csv-parse', parsed)}; ${told('backtest', tested)}; ratio ${ratios.at(-1)?.toFixed(2)}`,
    )
  }
  console.log(
    `median ratio: ${median(ratios).toFixed(2)} of the speed of csv-parse; by processor time ${median(busyRatios).toFixed(2)}`,
  )
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      events: { type: 'string', default: '2000000' },
      rounds: { type: 'string', default: '3' },
      unsorted: { type: 'boolean', default: false },
      folder: { type: 'string', default: tmpdir() },
      parse: { type: 'string' },
    },
  })
  if (values.parse !== undefined) return parseOnly(values.parse)
  const folder = await mkdtemp(join(values.folder, 'backtest-bench-'))
  try {
    const [log, contract] = [join(folder, 'log.csv'), join(folder, 'contract.json')]
    const events = Number(values.events)
    await writeLog(log, events, !values.unsorted)
    await writeFile(contract, JSON.stringify(CONTRACT))
    const megabytes = Math.round((await stat(log)).size / 1e6)
    console.log(
      `${events.toLocaleString('en')} events, ${megabytes} MB${values.unsorted ? ', not sorted by case' : ''}`,
    )
    await compare(log, contract, events, Number(values.rounds))
  } finally {
    await rm(folder, { recursive: true })
  }
}

await main()
