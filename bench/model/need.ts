import { MAX_UTILIZATION } from './capacity.ts'
import type { Spent } from './costs.ts'

const DAY_SECONDS = 86_400
const DAYS = 365
/** From OPEN to PENDING, and from there to the end: each appends to the log. */
export const TRANSITIONS_PER_CLAIM = 2

/** What one of each takes. */
export interface UnitCosts {
  event: Spent
  creation: Spent
  transition: Spent
  /** Bytes on the disk, with indexes. */
  diskOfClaim: number
  diskOfEvent: number
}

export interface Need {
  eventsPerSecond: number
  /** Machines with a number of cores; 0 on plain PostgreSQL. */
  workers: number
  servers: number
  coordinatorCores: number
  diskPerDay: number
  diskPerYear: number
  walPerDay: number
}

/** What a rate of events needs, with the claims that they go to: created, and brought to their end. */
export function needOf(
  { event, creation, transition, diskOfClaim, diskOfEvent }: UnitCosts,
  eventsPerSecond: number,
  { eventsPerClaim, coresOfWorker }: { eventsPerClaim: number; coresOfWorker: number },
): Need {
  const claims = eventsPerSecond / eventsPerClaim
  const a = (pick: (one: Spent) => number) =>
    eventsPerSecond * pick(event) + claims * (pick(creation) + TRANSITIONS_PER_CLAIM * pick(transition))
  const bytes = (eventsPerSecond + claims * TRANSITIONS_PER_CLAIM) * diskOfEvent + claims * diskOfClaim
  const whole = (cores: number) => Math.ceil(cores / MAX_UTILIZATION)
  return {
    eventsPerSecond,
    workers: Math.ceil(a(({ workers }) => workers) / MAX_UTILIZATION / coresOfWorker),
    servers: whole(a(({ server }) => server)),
    coordinatorCores: whole(a(({ coordinator }) => coordinator)),
    diskPerDay: bytes * DAY_SECONDS,
    diskPerYear: bytes * DAY_SECONDS * DAYS,
    walPerDay: a(({ walBytes }) => walBytes) * DAY_SECONDS,
  }
}

/** Powers of ten from a thousand up to the rate, and the rate. */
export function ratesUpTo(most: number): number[] {
  const rates: number[] = []
  for (let rate = 1_000; rate < most; rate *= 10) rates.push(rate)
  return [...rates, most]
}
