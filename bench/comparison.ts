import type { Bench } from './bench.ts'
import { combineRounds, type Measured, median } from './measured.ts'
import type { PartReport } from './part.ts'

/** The service and the yardstick. Each is measured by a function that prepares its own claims. */
export interface Sides {
  name: string
  yardstickName: string
  rounds: number
  service: (round: number) => Promise<Measured>
  /** Null if the yardstick is missing on this machine. */
  yardstick: ((round: number) => Promise<Measured>) | null
}

/** Measures the service and then the yardstick in each round. The ratio is the median of the ratios of the rounds. */
export async function compare(
  bench: Bench,
  report: PartReport,
  sides: Sides,
): Promise<{ service: Measured; ratio: number | null }> {
  const service: Measured[] = []
  const yardstick: Measured[] = []
  for (let round = 0; round < sides.rounds; round++) {
    const own = await sides.service(round)
    service.push(own)
    if (!sides.yardstick) continue
    const other = await sides.yardstick(round)
    yardstick.push(other)
    bench.progress.say(
      `  ${sides.name} ${round + 1}/${sides.rounds}: ${rate(own)} and ${rate(other)}, ratio ${(own.perSecond / other.perSecond).toFixed(2)}`,
    )
  }
  const ratio =
    yardstick.length === 0 ? null : median(service.map((own, i) => own.perSecond / perSecond(yardstick[i])))
  report.measured(sides.name, combineRounds(service), ratio === null ? {} : { ratio })
  if (yardstick.length > 0) report.measured(sides.yardstickName, combineRounds(yardstick))
  return { service: combineRounds(service), ratio }
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
