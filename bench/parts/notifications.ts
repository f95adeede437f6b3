import type { Bench } from '../bench.ts'
import { addEndpoint } from '../feed/bench-endpoint.ts'
import {
  type CpuTime,
  cpuTimeDuring,
  loadClaimsToSettle,
  type NotificationRun,
  settle,
} from '../feed/notification-run.ts'
import { startReaders } from '../feed/start-readers.ts'
import { type Receiver, startReceiver, withTimeout } from '../feed/start-receiver.ts'
import { combineRounds, type Measured, median } from '../measured.ts'
import { measuredOf } from '../measured-run.ts'
import type { Part, PartReport } from '../part.ts'
import { EVENTS_PER_BATCH } from '../sizes.ts'

const SINGLE_CONNECTIONS = 32
const BATCH_CONNECTIONS = 8
/** Time in which each reader must receive all notifications of a turn after its last response. */
const MAX_DELIVERY_MS = 180_000

export const notifications: Part = {
  name: 'notifications',
  summary:
    'events of which each or each tenth settles a claim: without readers, with three readers, with a webhook',
  run: async (bench, report) => {
    const receiver = await startReceiver(bench.cleanup)
    const { single, batch, mixed } = bench.sizes.notificationEvents
    const works: Work[] = [
      {
        ...{ key: 'single', what: 'one a request', events: single, eventsEach: 1 },
        ...{ batch: 1, connections: SINGLE_CONNECTIONS },
      },
      {
        ...{ key: 'mixed', what: 'one a request, every tenth settles', events: mixed, eventsEach: 10 },
        ...{ batch: 1, connections: SINGLE_CONNECTIONS },
      },
      {
        ...{ key: 'batch', what: `batches of ${EVENTS_PER_BATCH}`, events: batch, eventsEach: 1 },
        ...{ batch: EVENTS_PER_BATCH, connections: BATCH_CONNECTIONS },
      },
    ]
    for (const work of works) await compareFollowers(bench, report, work, receiver)
  },
}

type Work = Omit<NotificationRun, 'rate' | 'label'> & { key: string; what: string; eventsEach: number }

/** Readers or a webhook endpoint. `follow` starts them; its function resolves when each has that number of notifications. */
interface Followers {
  key: string
  name: string
  follow: (events: number) => Promise<() => Promise<void>>
}

interface Turn extends Measured {
  cpuTime: CpuTime
  /** Seconds from the last response until all notifications are received. */
  behind: number
}

function followersOf(bench: Bench, receiver: Receiver): [Followers, ...Followers[]] {
  return [
    { key: 'nobody', name: 'no reader', follow: async () => async () => {} },
    {
      key: 'readers',
      name: 'readers of pages, long polling and a stream',
      follow: async (wanted) => {
        const { server, database } = await bench.main()
        const { done } = await startReaders({ url: server.url, token: database.token, wanted }, bench.cleanup)
        return () => withTimeout(MAX_DELIVERY_MS, done, `${wanted} notifications`)
      },
    },
    {
      key: 'webhook',
      name: 'a webhook endpoint',
      follow: async (wanted) => {
        receiver.forget()
        const endpoint = await addEndpoint(bench, receiver.url, true)
        return async () => {
          await receiver.until(wanted, MAX_DELIVERY_MS)
          await endpoint.remove()
        }
      },
    },
  ]
}

/** Measures all followers in each round, in the reverse order of the previous round. Ratios compare figures of one round. */
async function compareFollowers(
  bench: Bench,
  report: PartReport,
  work: Work,
  receiver: Receiver,
): Promise<void> {
  const all = followersOf(bench, receiver)
  const turns = new Map<Followers, Turn[]>(all.map((followers) => [followers, []]))
  await measure(bench, work, all[0])
  for (let round = 0; round < bench.sizes.rounds; round++) {
    for (const followers of round % 2 === 0 ? all : all.toReversed()) {
      const turn = await measure(bench, work, followers)
      turns.get(followers)?.push(turn)
      bench.progress.say(
        `  ${work.what}, ${followers.name}: ${Math.round(turn.perSecond).toLocaleString('en')}/s, all received ${turn.behind.toFixed(1)} s later`,
      )
    }
  }
  reportFollowers(report, work, turns, turns.get(all[0]) as Turn[])
}

async function measure(bench: Bench, work: Work, { name, follow }: Followers): Promise<Turn> {
  const pick = await loadClaimsToSettle(bench, work.events, work.eventsEach)
  const waitUntilReceived = await follow(work.events / work.eventsEach)
  const { result, cpuTime } = await cpuTimeDuring(bench, async () => {
    const answered = await settle(bench, pick, { ...work, label: `${work.what}, ${name}`, rate: null })
    const endedAt = performance.now()
    bench.progress.doing(`${name}: waiting until all notifications are received`)
    await waitUntilReceived()
    return { answered, behind: (performance.now() - endedAt) / 1000 }
  })
  return { ...measuredOf(result.answered), cpuTime, behind: result.behind }
}

function reportFollowers(
  report: PartReport,
  { key, what, events }: Work,
  turns: ReadonlyMap<Followers, Turn[]>,
  baseline: readonly Turn[],
): void {
  for (const [followers, measured] of turns) {
    const ratio =
      measured === baseline
        ? null
        : median(measured.map((turn, round) => turn.perSecond / (baseline[round] as Turn).perSecond))
    const us = (of: keyof CpuTime) => {
      const known = measured.map(({ cpuTime }) => cpuTime[of]).filter((ms) => ms !== null)
      return known.length === 0 ? null : (median(known) * 1000) / events
    }
    const costs = { server: us('server'), database: us('database') }
    const behind = median(measured.map((turn) => turn.behind))
    const words = (value: number | null) => (value === null ? 'unknown' : `${value.toFixed(0)} µs`)
    const cost = `an event and its notification: server ${words(costs.server)}, PostgreSQL ${words(costs.database)}`
    report.measured(`${what}: ${followers.name}`, combineRounds(measured), {
      ...(ratio === null ? {} : { ratio }),
      note:
        measured === baseline ? cost : `${cost}; all received ${behind.toFixed(1)} s after the last response`,
    })
    const name = `notifications_${key}_${followers.key}`
    if (ratio !== null) report.figure(`${name}_vs_nobody`, ratio)
    report.figure(`${name}_server_us`, costs.server)
    report.figure(`${name}_postgresql_us`, costs.database)
  }
}
