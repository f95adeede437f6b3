import type { Bench } from '../bench.ts'
import { analyze, CONTRACT_OF_ONE, clearClaims, loadClaims } from '../claims.ts'
import type { Phase, PhaseResult } from '../load/plan.ts'
import { runLoad } from '../load/run-load.ts'
import type { ClaimPick } from '../load/submissions.ts'
import { planOf, requireAccepted } from '../measured-run.ts'

export interface ToldRun {
  label: string
  /** Each event settles another claim, with one notification; or the last of several events of a claim does. */
  events: number
  /** Events a request. */
  batch: number
  connections: number
  /** Requests a second; null for a closed loop. */
  rate: number | null
}

/** Claims of a block, of which each gets an event before any gets its next. */
const BLOCK = 320

/**
 * Claims that one event settles, and nothing else: no notifications, no deliveries.
 * @param events to them all: a multiple of `eventsEach * 320`, if that is above 1
 */
export async function claimsToTellOf(bench: Bench, events: number, eventsEach = 1): Promise<ClaimPick> {
  const claims = events / eventsEach
  const { database } = await bench.main()
  const set = bench.nextSet()
  bench.progress.doing(`loading ${claims.toLocaleString('en')} claims`)
  await clearClaims(database)
  await database.sql.query('TRUNCATE notifications, webhook_deliveries, webhook_attempts')
  await loadClaims(database, { set, claims, contract: CONTRACT_OF_ONE, dueBy: null })
  await analyze(database)
  await (await bench.cluster()).checkpoint()
  if (eventsEach > 1) return { set, claims, walk: { block: BLOCK, passes: eventsEach } }
  return { set, claims, walk: { slice: 0, slices: 1 }, settles: true }
}

/** Settles a number of these claims, from the first on that none before has. */
export async function settle(
  bench: Bench,
  pick: ClaimPick,
  { label, events, batch, connections, rate }: ToldRun,
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

/** Processor time that something takes, in milliseconds; null where the system does not tell. */
export interface Spent {
  server: number | null
  database: number | null
}

export async function spentDuring<T>(
  bench: Bench,
  work: () => Promise<T>,
): Promise<{ result: T; spent: Spent }> {
  const [cluster, { server }] = [await bench.cluster(), await bench.main()]
  const before = { server: server.cpuMs(), database: cluster.cpuMs() }
  const result = await work()
  const since = (from: number | null, to: number | null) => (from === null || to === null ? null : to - from)
  return {
    result,
    spent: {
      server: since(before.server, server.cpuMs()),
      database: since(before.database, cluster.cpuMs()),
    },
  }
}
