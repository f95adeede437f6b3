import type { Bench } from '../bench.ts'
import { addEndpoint, type BenchEndpoint, bodyOfFirst } from '../feed/bench-endpoint.ts'
import { type CpuTime, cpuTimeDuring, loadClaimsToSettle, settle } from '../feed/notification-run.ts'
import { type Receiver, startReceiver } from '../feed/start-receiver.ts'
import type { PhaseResult } from '../load/plan.ts'
import { runLoad } from '../load/run-load.ts'
import { median, percentilesOf } from '../measured.ts'
import { measuredOf, requireAccepted } from '../measured-run.ts'
import type { Part, PartReport } from '../part.ts'
import { EVENTS_PER_BATCH } from '../sizes.ts'

/** The number of concurrent attempts of a server to one endpoint. */
const CONNECTIONS = 32
const BATCH_CONNECTIONS = 4
const MAX_MS = 300_000
/** Events a second while the latency of deliveries is measured. */
const RATE = 100

export const webhooks: Part = {
  name: 'webhooks',
  summary: `queued deliveries sent to a fast receiver; time from commit to arrival at ${RATE} events a second`,
  run: async (bench, report) => {
    const receiver = await startReceiver(bench.cleanup)
    await throughput(bench, report, receiver)
    await latency(bench, report, receiver)
  },
}

interface Turn {
  /** Deliveries a second. */
  perSecond: number
  cpuTime: CpuTime
  /** Ratio to a client that only sends the same body, without a database. */
  ratio: number
}

async function throughput(bench: Bench, report: PartReport, receiver: Receiver): Promise<void> {
  const { webhookBacklog: count, rounds } = bench.sizes
  const turns: Turn[] = []
  for (let round = 0; round < rounds; round++) {
    const turn = await drain(bench, receiver, count)
    turns.push(turn)
    bench.progress.say(
      `  ${count.toLocaleString('en')} deliveries: ${Math.round(turn.perSecond).toLocaleString('en')}/s, ratio ${turn.ratio.toFixed(3)}`,
    )
  }
  const us = (of: keyof CpuTime) => {
    const known = turns.map(({ cpuTime }) => cpuTime[of]).filter((ms) => ms !== null)
    return known.length === 0 ? null : (median(known) * 1000) / count
  }
  const [server, database] = [us('server'), us('database')]
  const words = (value: number | null) => (value === null ? 'unknown' : `${value.toFixed(0)} µs`)
  const perSecond = median(turns.map((turn) => turn.perSecond))
  const ratio = median(turns.map((turn) => turn.ratio))
  report.row({
    what: `${count.toLocaleString('en')} queued deliveries, one endpoint`,
    perSecond,
    ratio,
    note: `a delivery: server ${words(server)}, PostgreSQL ${words(database)}`,
    detail: { turns },
  })
  report.figure('webhook_deliveries_per_second', perSecond)
  report.figure('webhooks_vs_bare_requests', ratio)
  report.figure('webhook_delivery_server_us', server)
  report.figure('webhook_delivery_postgresql_us', database)
}

/** Queues notifications while the endpoint is disabled, then enables it and waits for all deliveries. */
async function drain(bench: Bench, receiver: Receiver, count: number): Promise<Turn> {
  const pick = await loadClaimsToSettle(bench, count)
  receiver.forget()
  const endpoint = await addEndpoint(bench, receiver.url, false)
  const load = { events: count, batch: EVENTS_PER_BATCH, connections: BATCH_CONNECTIONS, rate: null }
  await settle(bench, pick, { ...load, label: 'creating notifications' })
  bench.progress.doing(`sending ${count.toLocaleString('en')} deliveries`)
  const startedAt = Date.now()
  const { result, cpuTime } = await cpuTimeDuring(bench, async () => {
    await endpoint.enable()
    return receiver.until(count, MAX_MS)
  })
  const perSecond = (count * 1000) / (result.lastAt - startedAt)
  const bare = await bareRequests(bench, receiver, endpoint)
  await endpoint.remove()
  return { perSecond, cpuTime, ratio: perSecond / bare }
}

/** Requests per second with the same body from the load client to the same receiver. */
async function bareRequests(bench: Bench, receiver: Receiver, endpoint: BenchEndpoint): Promise<number> {
  const body = await bodyOfFirst(bench, endpoint)
  const { warmupMs, sweepMs } = bench.sizes
  const result = await bench.progress.during(
    `the receiver alone: ${CONNECTIONS} connections`,
    warmupMs + sweepMs,
    runLoad(
      {
        ...{ url: receiver.url, token: '', connections: CONNECTIONS },
        phases: [
          {
            requests: { kind: 'post', path: '/', body },
            until: { warmupMs, measureMs: sweepMs },
            rate: null,
          },
        ],
      },
      bench.cleanup,
    ),
  )
  requireAccepted(result)
  return measuredOf(result).perSecond
}

/** Measures in an open loop. Notifications of the warm-up are not counted. */
async function latency(bench: Bench, report: PartReport, receiver: Receiver): Promise<void> {
  const { warmupMs, openLoopMs } = bench.sizes
  const eventsIn = (ms: number) => (RATE * ms) / 1000
  const [first, events] = [eventsIn(warmupMs), eventsIn(openLoopMs)]
  const pick = await loadClaimsToSettle(bench, first + events)
  const endpoint = await addEndpoint(bench, receiver.url, true)
  const settleEvents = async (events: number, from: number) => {
    receiver.forget()
    const run = { label: `${RATE} events a second`, events, batch: 1, connections: CONNECTIONS, rate: RATE }
    const answered: PhaseResult = await settle(bench, pick, run, from)
    return { answered, received: await receiver.until(events, MAX_MS) }
  }
  await settleEvents(first, 0)
  const { answered, received } = await settleEvents(events, first)
  await endpoint.remove()
  const { p50, p99, p999 } = percentilesOf(received.latency)
  report.row({
    what: `from commit to arrival, ${RATE} events a second, open loop`,
    ...{ p50, p99, p999 },
    note: `${received.attempts.toLocaleString('en')} attempts of ${received.deliveries.toLocaleString('en')}; responses to the events: p99 ${percentilesOf(answered.latency).p99.toFixed(1)} ms`,
  })
  report.figure('webhook_p50_ms', p50)
  report.figure('webhook_p99_ms', p99)
  report.figure('webhook_p999_ms', p999)
}
