import { leastSquares } from './least-squares.ts'

/** `MAX_BATCH_SUBMISSIONS` of `src/events/limits.ts`. */
const MAX_GROUP_SIZE = 500

/** The mean group size of a load in a closed loop. */
export interface GroupSample {
  /** Events in flight per machine. */
  inFlight: number
  eventsPerGroup: number
}

export const inFlightOf = (connections: number, batch: number, machines: number): number =>
  (connections * batch) / machines

/** Fits the growth: the share of the other events in flight that an event shares its group with. */
export function fitGrowth(samples: readonly GroupSample[]): number {
  const crowded = samples.filter(({ inFlight, eventsPerGroup }) => inFlight > 1 && eventsPerGroup > 1)
  const [growth = 0] = leastSquares(
    crowded.map(({ inFlight }) => [inFlight - 1]),
    crowded.map(({ eventsPerGroup }) => eventsPerGroup - 1),
  )
  return Math.min(growth, 1)
}

export const eventsPerGroup = (growth: number, inFlight: number): number =>
  Math.min(1 + growth * Math.max(0, inFlight - 1), MAX_GROUP_SIZE)
