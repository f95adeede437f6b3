import type { Bench } from './bench.ts'
import { best } from './comparison.ts'
import type { ClaimPick } from './load/submissions.ts'
import type { Measured } from './measured.ts'
import { measureServer } from './measured-run.ts'
import { freshClaims, submit, submitByPgbench } from './submission-run.ts'

/** More than a run sends: the events of each have numbers of their own. */
const EVENTS_OF_A_RUN = 100_000_000

interface Swept {
  /** Connections or clients of the best. */
  clients: number
  all: { clients: number; measured: Measured }[]
}

/** How many connections our server is fastest with, one event a request; looked for once a run. */
export function fastestSingles(bench: Bench): Promise<Swept> {
  return bench.once('fastest singles', () => sweep(bench, submit))
}

/** How many clients pgbench is fastest with; looked for once a run. */
export function fastestPgbench(bench: Bench): Promise<Swept> {
  return bench.once('fastest pgbench', () => sweep(bench, submitByPgbench))
}

/** The highest rate of single submissions to these claims, which no other run has submitted to. */
export async function highestRateOf(bench: Bench, pick: ClaimPick): Promise<number> {
  const run = { label: 'looking for the highest rate', measureMs: bench.sizes.sweepMs }
  let first = 0
  const { measured } = await best(bench.sizes.clients, (connections) => {
    first += EVENTS_OF_A_RUN
    return measureServer(bench, {
      ...run,
      connections,
      requests: { kind: 'submit', pick, batch: 1, first },
    })
  })
  return measured.perSecond
}

/** The highest rate of single submissions, for parts that submit at a share of it. */
export function highestSingleRate(bench: Bench): Promise<number> {
  return bench.once('highest single rate', async () => {
    const { all } = await fastestSingles(bench)
    return Math.max(...all.map(({ measured }) => measured.perSecond))
  })
}

async function sweep(bench: Bench, measure: typeof submit | typeof submitByPgbench): Promise<Swept> {
  const all: Swept['all'] = []
  const { candidate } = await best(bench.sizes.clients, async (clients) => {
    const pick = await freshClaims(bench, bench.sizes.warmClaims)
    const run = { label: 'looking for the best', pick, connections: clients, measureMs: bench.sizes.sweepMs }
    const measured = await measure(bench, run)
    all.push({ clients, measured })
    return measured
  })
  return { clients: candidate, all }
}
