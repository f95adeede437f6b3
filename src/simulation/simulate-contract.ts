import type { App } from '../app.ts'
import { withCalendarVersion } from '../calendars/calendar-times.ts'
import {
  type ContractSource,
  type ReserveMemory,
  resolveContract,
} from '../claims/create/resolve-contract.ts'
import type { Submission } from '../core/claims/event.ts'
import { type Simulation, simulate, type TimedSubmission } from '../core/claims/simulate.ts'
import type { Contract } from '../core/contracts/contract.ts'
import { findHints, type Hint } from '../core/contracts/hints/hints.ts'
import { findLogHints, type LogHint } from '../core/contracts/hints/log-hints.ts'
import { listEventTypes } from '../events/event-types.ts'
import { validationError } from '../kernel/errors.ts'
import { withTimeout } from '../kernel/promises.ts'
import { runCooperatively } from '../platform/concurrency/cooperative.ts'
import { readClock } from '../platform/database/clock.ts'
import { DatabaseUnavailable } from '../platform/database/database-unavailable.ts'
import { EVENT_TYPES_TIMEOUT_MS } from './limits.ts'

interface SimulationRequest {
  userId: string
  source: ContractSource
  /** Null: the time of the first event, or now if there are no events. */
  openedAt: Date | null
  events: TimedSubmission[]
  /** Null: until the claim is terminal. If the claim's clock is stopped after the last event: until that event. */
  until: Date | null
}

export interface ContractSimulation extends Simulation {
  openedAt: Date
  hints: readonly (Hint | LogHint)[]
}

/**
 * Evaluates a contract over events with times, by the rules of the service. Stores nothing.
 * @throws SCHEMA_NOT_FOUND, CALENDAR_NOT_FOUND, CALENDAR_VERSION_NOT_FOUND
 */
export async function simulateContract(
  app: App,
  request: SimulationRequest,
  reserveMemory: ReserveMemory,
): Promise<ContractSimulation> {
  const { userId, source } = request
  const db = app.db.reads.for(userId)
  const contract = await withCalendarVersion(
    db,
    userId,
    await resolveContract(app, userId, source, reserveMemory),
  )
  const calendar = await app.calendarTimes.ofContract(db, userId, contract)
  const openedAt = request.openedAt ?? (await defaultOpenedAt(app, request))
  const earlyIndex = request.events.findIndex(({ at }) => at < openedAt)
  if (earlyIndex >= 0) {
    throw validationError([
      { path: `events[${earlyIndex}].at`, message: `is before opened_at, ${openedAt.toISOString()}` },
    ])
  }
  if (request.until !== null && request.until < openedAt) {
    throw validationError([{ path: 'until', message: `is before opened_at, ${openedAt.toISOString()}` }])
  }
  const simulation = await runCooperatively(
    simulate(contract, openedAt, request.events, request.until, calendar),
  )
  const hints = await contractHints(app, userId, contract)
  const logHints = await runCooperatively(findLogHints(contract, acceptedEvents(simulation, contract)))
  return { openedAt, ...simulation, hints: [...hints, ...logHints] }
}

/** The events that the contract is evaluated with: accepted, and not late under a strict deadline. The first transition begins the review. */
function* acceptedEvents(
  { timeline }: Simulation,
  { strict_deadline: isStrict = false }: Contract,
): Generator<Submission & { isInReview: boolean }> {
  let isInReview = false
  for (const entry of timeline) {
    if (entry.kind === 'transition') isInReview = true
    else if (entry.decision.kind === 'append' && !(isStrict && entry.decision.lateMs !== null))
      yield { ...entry.submission, isInReview }
  }
}

async function defaultOpenedAt(app: App, { userId, events }: SimulationRequest): Promise<Date> {
  if (events.length === 0) return readClock(app.db.reads.for(userId))
  return new Date(Math.min(...events.map(({ at }) => at.getTime())))
}

/** Hints about a contract. If the database does not respond in time, hints about event types or the price are missing. */
async function contractHints(app: App, userId: string, contract: Contract): Promise<readonly Hint[]> {
  const [types, currency] = await Promise.all([
    knownTypes(app, userId),
    app.contractHints.currencyOf(app.db.reads.for(userId), userId),
  ])
  return runCooperatively(findHints(contract, types, currency))
}

/** Empty if the database is unavailable or slow: a simulation works without hints. */
async function knownTypes(app: App, userId: string): Promise<ReadonlySet<string>> {
  try {
    const types = await withTimeout(EVENT_TYPES_TIMEOUT_MS, listEventTypes(app, userId))
    return new Set(types?.map(({ type }) => type))
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return new Set()
    throw error
  }
}
