import type { Bench } from './bench.ts'
import { best } from './comparison.ts'
import type { ClaimPick } from './load/submissions.ts'
import type { Measured } from './measured.ts'
import { measureServer } from './measured-run.ts'
import { loadFreshClaims, submit, submitByPgbench } from './submission-run.ts'

/** More events than a run sends, so that event numbers of different runs do not overlap. */
const EVENTS_PER_RUN = 100_000_000

interface SweepResult {
  /** The number of connections or clients with the highest rate. */
  clients: number
  all: { clients: number; measured: Measured }[]
}

/** Finds the number of connections with the highest rate of our server, one event per request. Measured once. */
export function fastestSingles(bench: Bench): Promise<SweepResult> {
  return bench.once('fastest singles', () => sweep(bench, submit))
}

/** Finds the number of clients with the highest rate of pgbench. Measured once. */
export function fastestPgbench(bench: Bench): Promise<SweepResult> {
  return bench.once('fastest pgbench', () => sweep(bench, submitByPgbench))
}

/** The highest rate of single submissions to these claims. No other run may have submitted to them. */
export async function highestRateOf(bench: Bench, pick: ClaimPick): Promise<number> {
  const run = { label: 'finding the highest rate', measureMs: bench.sizes.sweepMs }
  let first = 0
  const { measured } = await best(bench.sizes.clients, (connections) => {
    first += EVENTS_PER_RUN
    return measureServer(bench, {
      ...run,
      connections,
      requests: { kind: 'submit', pick, batch: 1, first },
    })
  })
  return measured.perSecond
}

/** The highest rate of single submissions. Some parts submit at a fraction of it. */
export function highestSingleRate(bench: Bench): Promise<number> {
  return bench.once('highest single rate', async () => {
    const { all } = await fastestSingles(bench)
    return Math.max(...all.map(({ measured }) => measured.perSecond))
  })
}

async function sweep(bench: Bench, measure: typeof submit | typeof submitByPgbench): Promise<SweepResult> {
  const all: SweepResult['all'] = []
  const { candidate } = await best(bench.sizes.clients, async (clients) => {
    const pick = await loadFreshClaims(bench, bench.sizes.warmClaims)
    const run = {
      label: 'finding the highest rate',
      pick,
      connections: clients,
      measureMs: bench.sizes.sweepMs,
    }
    const measured = await measure(bench, run)
    all.push({ clients, measured })
    return measured
  })
  return { clients: candidate, all }
}
