import type { Bench } from '../bench.ts'
import { analyze, clearClaims, loadClaims, SINGLE_EVENT_CONTRACT } from '../claims.ts'
import type { Phase, PhaseResult } from '../load/plan.ts'
import { runLoad } from '../load/run-load.ts'
import type { ClaimPick } from '../load/submissions.ts'
import { planOf, requireAccepted } from '../measured-run.ts'

export interface NotificationRun {
  label: string
  /** Each claim gets one event, or several. Its last event settles the claim, which creates one notification. */
  events: number
  /** Events per request. */
  batch: number
  connections: number
  /** Requests per second. Null for a closed loop. */
  rate: number | null
}

/** Claims of a block. Each claim of the block gets an event before any of them gets the next. */
const CLAIMS_PER_BLOCK = 320

/**
 * Empties the tables and loads claims that one event settles.
 * @param events events to all claims: a multiple of `eventsEach * 320` if `eventsEach` is above 1
 */
export async function loadClaimsToSettle(bench: Bench, events: number, eventsEach = 1): Promise<ClaimPick> {
  const claims = events / eventsEach
  const { database } = await bench.main()
  const set = bench.nextSet()
  bench.progress.doing(`loading ${claims.toLocaleString('en')} claims`)
  await clearClaims(database)
  await database.sql.query('TRUNCATE notifications, webhook_deliveries, webhook_attempts')
  await loadClaims(database, { set, claims, contract: SINGLE_EVENT_CONTRACT, dueBy: null })
  await analyze(database)
  await (await bench.cluster()).checkpoint()
  if (eventsEach > 1) return { set, claims, walk: { block: CLAIMS_PER_BLOCK, passes: eventsEach } }
  return { set, claims, walk: { slice: 0, slices: 1 }, settles: true }
}

/** Submits the events. `first` is the number of the first submission. */
export async function settle(
  bench: Bench,
  pick: ClaimPick,
  { label, events, batch, connections, rate }: NotificationRun,
  first = 0,
): Promise<PhaseResult> {
  const phase: Phase = {
    requests: { kind: 'submit', pick, batch, first },
    until: { warmupRequests: 0, requests: events / batch },
    rate,
  }
  bench.progress.doing(`${label}: ${connections} connections`)
  const result = await runLoad(planOf(await bench.main(), connections, phase), bench.cleanup)
  requireAccepted(result)
  return result
}

/** CPU time in milliseconds. Null if the system does not report it. */
export interface CpuTime {
  server: number | null
  database: number | null
}

export async function cpuTimeDuring<T>(
  bench: Bench,
  work: () => Promise<T>,
): Promise<{ result: T; cpuTime: CpuTime }> {
  const [cluster, { server }] = [await bench.cluster(), await bench.main()]
  const before = { server: server.cpuMs(), database: cluster.cpuMs() }
  const result = await work()
  const since = (from: number | null, to: number | null) => (from === null || to === null ? null : to - from)
  return {
    result,
    cpuTime: {
      server: since(before.server, server.cpuMs()),
      database: since(before.database, cluster.cpuMs()),
    },
  }
}
