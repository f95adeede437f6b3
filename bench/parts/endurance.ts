import type { Bench } from '../bench.ts'
import { addEndpoint } from '../feed/bench-endpoint.ts'
import { startReaders } from '../feed/start-readers.ts'
import { startReceiver } from '../feed/start-receiver.ts'
import type { Phase } from '../load/plan.ts'
import { runLoad } from '../load/run-load.ts'
import type { ClaimPick } from '../load/submissions.ts'
import type { Part } from '../part.ts'
import { descriptorsOf, residentMbOf } from '../process-figures.ts'
import { addCustomers, CUSTOMERS } from '../sides/customers.ts'
import { loadFreshClaims } from '../submission-run.ts'

const CONNECTIONS = 16
/** Duration of each kind of request in a round. The server is idle for more than half of a round. */
const PHASE_MS = 6_000
const ROUND_MS = 60_000
/** Low rates, for a machine that also runs other work. */
const RATES = { create: 50, submit: 200, batch: 10, read: 50 }
const EVENTS_PER_BATCH = 20
/** Range of event numbers of a round, so that event ids of rounds do not overlap. */
const NUMBERS_PER_ROUND = 1_000_000
/** The first rounds compile code and open connections. */
const WARM_UP_ROUNDS = 3

/** The windows end during the part, so that scheduled checks have work. */
const SHORT_CONTRACT =
  '"contract":{"price":1,"activity_window":90,"review_window":60,"timeout_outcome":"fail","fulfillment_condition":{"event":"done"}}'

/** Figures at the end of a round. Null if the system does not report them. */
interface Sample {
  mb: number | null
  descriptors: number | null
  connections: number
}

export const endurance: Part = {
  name: 'endurance',
  summary:
    'an hour of all kinds of requests at a low rate: memory, descriptors and connections at its start and end',
  isExtra: true,
  run: async (bench, report) => {
    const pick = await loadFreshClaims(bench, bench.sizes.warmClaims)
    const { database, server } = await bench.main()
    await bench.once('customers', () => addCustomers(database))
    const receiver = await startReceiver(bench.cleanup)
    await addEndpoint(bench, receiver.url, true)
    await startReaders(
      { url: server.url, token: database.token, wanted: Number.POSITIVE_INFINITY },
      bench.cleanup,
    )
    const samples: Sample[] = []
    let refused = 0
    const end = Date.now() + bench.sizes.enduranceMs
    for (let round = 0; Date.now() < end; round++) {
      const nextRound = Date.now() + ROUND_MS
      refused += await runRound(bench, pick, round)
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, nextRound - Date.now())))
      samples.push(await sample(bench))
      bench.progress.say(`  after ${round + 1} minutes: ${JSON.stringify(samples.at(-1))}`)
    }
    const steady = samples.slice(WARM_UP_ROUNDS)
    const quarter = Math.max(1, Math.floor(steady.length / 4))
    const maximumOf = (steadySamples: Sample[], key: keyof Sample) =>
      Math.max(...steadySamples.map((sample) => sample[key] ?? 0))
    for (const what of ['mb', 'descriptors', 'connections'] as const) {
      report.figure(`endurance_${what}_first_quarter`, maximumOf(steady.slice(0, quarter), what))
      report.figure(`endurance_${what}_last_quarter`, maximumOf(steady.slice(-quarter), what))
    }
    report.figure('endurance_refused', refused)
    report.row({
      what: `${samples.length} minutes of creations, events, batches, reads, checks, readers and webhooks`,
      detail: { samples },
    })
  },
}

/** Returns the number of refused requests. On a busy machine some may be refused. */
async function runRound(bench: Bench, pick: ClaimPick, round: number): Promise<number> {
  const { database, server } = await bench.main()
  const first = (round + 1) * NUMBERS_PER_ROUND
  const half = NUMBERS_PER_ROUND / 2
  const until = { warmupMs: 0, measureMs: PHASE_MS }
  const phases: Phase[] = [
    {
      requests: { kind: 'create', customers: CUSTOMERS, source: SHORT_CONTRACT },
      until,
      rate: RATES.create,
    },
    { requests: { kind: 'submit', pick, batch: 1, first }, until, rate: RATES.submit },
    {
      requests: { kind: 'submit', pick, batch: EVENTS_PER_BATCH, first: first + half },
      until,
      rate: RATES.batch,
    },
    {
      requests: {
        kind: 'read',
        paths: ['/v1/claims?limit=50&order=desc', '/v1/overview', '/v1/notifications?limit=100&order=desc'],
      },
      until,
      rate: RATES.read,
    },
  ]
  let refused = 0
  for (const phase of phases) {
    const plan = { url: server.url, token: database.token, connections: CONNECTIONS, phases: [phase] }
    refused += (await runLoad(plan, bench.cleanup)).refused.length
  }
  return refused
}

async function sample(bench: Bench): Promise<Sample> {
  const { database, server } = await bench.main()
  const { rows } = await database.sql.query(
    'SELECT count(*)::integer AS connections FROM pg_stat_activity WHERE datname = current_database()',
  )
  return {
    mb: roundedOrNull(residentMbOf(server.pid)),
    descriptors: descriptorsOf(server.pid),
    connections: rows[0].connections,
  }
}

const roundedOrNull = (mb: number | null) => (mb === null ? null : Math.round(mb))
