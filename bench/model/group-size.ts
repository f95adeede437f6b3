import { leastSquares } from './least-squares.ts'

/** As `GROUP_SIZE` of the submission queue. */
const LARGEST = 500

/** A load in a closed loop, and how many events its groups had. */
export interface GroupSample {
  /** Events that wait or are on their way, of each machine. */
  inFlight: number
  eventsPerGroup: number
}

export const inFlightOf = (connections: number, batch: number, machines: number): number =>
  (connections * batch) / machines

/** Which part of the other events that are in flight goes with one: what is left when this is known of several loads. */
export function fitGrowth(samples: readonly GroupSample[]): number {
  const crowded = samples.filter(({ inFlight, eventsPerGroup }) => inFlight > 1 && eventsPerGroup > 1)
  const [growth = 0] = leastSquares(
    crowded.map(({ inFlight }) => [inFlight - 1]),
    crowded.map(({ eventsPerGroup }) => eventsPerGroup - 1),
  )
  return Math.min(growth, 1)
}

export const eventsPerGroup = (growth: number, inFlight: number): number =>
  Math.min(1 + growth * Math.max(0, inFlight - 1), LARGEST)
