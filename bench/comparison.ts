import type { Bench } from './bench.ts'
import { combineRounds, type Measured, median } from './measured.ts'
import type { PartReport } from './part.ts'

/** The service and the yardstick. Each is measured by a function that prepares its own claims. */
export interface Sides {
  name: string
  yardstick: string
  rounds: number
  ours: (round: number) => Promise<Measured>
  /** Null if the yardstick is missing on this machine. */
  theirs: ((round: number) => Promise<Measured>) | null
}

/** Measures the service and then the yardstick in each round. The ratio is the median of the ratios of the rounds. */
export async function compare(
  bench: Bench,
  report: PartReport,
  sides: Sides,
): Promise<{ ours: Measured; ratio: number | null }> {
  const ours: Measured[] = []
  const theirs: Measured[] = []
  for (let round = 0; round < sides.rounds; round++) {
    const own = await sides.ours(round)
    ours.push(own)
    if (!sides.theirs) continue
    const other = await sides.theirs(round)
    theirs.push(other)
    bench.progress.say(
      `  ${sides.name} ${round + 1}/${sides.rounds}: ${rate(own)} and ${rate(other)}, ratio ${(own.perSecond / other.perSecond).toFixed(2)}`,
    )
  }
  const ratio =
    theirs.length === 0 ? null : median(ours.map((own, i) => own.perSecond / perSecond(theirs[i])))
  report.measured(sides.name, combineRounds(ours), ratio === null ? {} : { ratio })
  if (theirs.length > 0) report.measured(sides.yardstick, combineRounds(theirs))
  return { ours: combineRounds(ours), ratio }
}

const perSecond = (measured: Measured | undefined) => (measured as Measured).perSecond
const rate = (measured: Measured) => `${Math.round(measured.perSecond).toLocaleString('en')}/s`

/** The candidate with the highest rate. */
export async function best(
  candidates: readonly number[],
  measure: (candidate: number) => Promise<Measured>,
): Promise<{ candidate: number; measured: Measured }> {
  let winner: { candidate: number; measured: Measured } | null = null
  for (const candidate of candidates) {
    const measured = await measure(candidate)
    if (winner === null || measured.perSecond > winner.measured.perSecond) winner = { candidate, measured }
  }
  return winner as { candidate: number; measured: Measured }
}
