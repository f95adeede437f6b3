import { MAX_UTILIZATION } from './capacity.ts'
import type { Spent } from './costs.ts'

const DAY_SECONDS = 86_400
const DAYS = 365
/** From OPEN to PENDING, and from PENDING to a terminal status. Each appends to the log. */
export const TRANSITIONS_PER_CLAIM = 2

/** The cost of one event, one creation and one transition. */
export interface UnitCosts {
  event: Spent
  creation: Spent
  transition: Spent
  /** Bytes on disk, with indexes. */
  diskOfClaim: number
  diskOfEvent: number
}

export interface Need {
  eventsPerSecond: number
  /** Machines with `coresOfWorker` cores. 0 on plain PostgreSQL. */
  workers: number
  servers: number
  coordinatorCores: number
  diskPerDay: number
  diskPerYear: number
  walPerDay: number
}

/** The resources for a rate of events, including the creations and transitions of their claims. */
export function needOf(
  { event, creation, transition, diskOfClaim, diskOfEvent }: UnitCosts,
  eventsPerSecond: number,
  { eventsPerClaim, coresOfWorker }: { eventsPerClaim: number; coresOfWorker: number },
): Need {
  const claims = eventsPerSecond / eventsPerClaim
  const perSecond = (pick: (cost: Spent) => number) =>
    eventsPerSecond * pick(event) + claims * (pick(creation) + TRANSITIONS_PER_CLAIM * pick(transition))
  const bytes = (eventsPerSecond + claims * TRANSITIONS_PER_CLAIM) * diskOfEvent + claims * diskOfClaim
  const coresFor = (cores: number) => Math.ceil(cores / MAX_UTILIZATION)
  return {
    eventsPerSecond,
    workers: Math.ceil(perSecond(({ workers }) => workers) / MAX_UTILIZATION / coresOfWorker),
    servers: coresFor(perSecond(({ server }) => server)),
    coordinatorCores: coresFor(perSecond(({ coordinator }) => coordinator)),
    diskPerDay: bytes * DAY_SECONDS,
    diskPerYear: bytes * DAY_SECONDS * DAYS,
    walPerDay: perSecond(({ walBytes }) => walBytes) * DAY_SECONDS,
  }
}

/** Powers of ten from 1,000 up to the highest rate, and the highest rate. */
export function ratesUpTo(highest: number): number[] {
  const rates: number[] = []
  for (let rate = 1_000; rate < highest; rate *= 10) rates.push(rate)
  return [...rates, highest]
}
