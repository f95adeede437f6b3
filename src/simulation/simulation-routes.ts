import type { FastifySchemaCompiler } from 'fastify'
import type { App } from '../app.ts'
import { presentBecause, presentClock, presentRecorded } from '../claims/present-claim.ts'
import { readContractSource } from '../claims/read-new-claim.ts'
import type { Decision } from '../core/claims/claim-run.ts'
import { eventOf } from '../core/claims/event.ts'
import type { TimedSubmission, TimelineEntry } from '../core/claims/simulate.ts'
import { MAX_EVENTS } from '../core/limits.ts'
import { readSubmission } from '../events/read-submission.ts'
import { type ErrorCode, ServiceError, validationError } from '../kernel/errors.ts'
import type { Issue } from '../kernel/issue.ts'
import { MAX_ISSUES } from '../kernel/limits.ts'
import { runCooperatively } from '../platform/concurrency/cooperative.ts'
import { limitSimulations } from '../platform/http/admission/in-progress.ts'
import { memoryOf } from '../platform/http/admission/request-memory.ts'
import { join } from '../platform/http/bodies/json-flaws.ts'
import type { Item } from '../platform/http/bodies/parse-json.ts'
import { itemReader, validateEnvelope } from '../platform/http/responses/batch.ts'
import { readTime } from '../platform/http/responses/field-schemas.ts'
import { JsonText, sendJson } from '../platform/http/responses/json-stream.ts'
import { BODY_ERRORS, ref, responses } from '../platform/http/responses/responses.ts'
import { route } from '../platform/http/route.ts'
import { type ContractSimulation, simulateContract } from './simulate-contract.ts'
import {
  SimulatedEvent,
  type SimulatedEventFields,
  SimulationBody,
  SimulationRequestBody,
} from './simulation-bodies.ts'

const ERRORS: ErrorCode[] = [
  ...BODY_ERRORS,
  'SCHEMA_NOT_FOUND',
  'CALENDAR_NOT_FOUND',
  'CALENDAR_VERSION_NOT_FOUND',
]

export function simulateContractRoute(app: App, compile: FastifySchemaCompiler<object>) {
  const readItem = itemReader<SimulatedEventFields>(compile, SimulatedEvent)
  return route({
    method: 'POST',
    url: '/v1/simulations',
    ...limitSimulations,
    config: { items: { name: 'events', maxItems: MAX_EVENTS } },
    validatorCompiler: validateEnvelope(compile, 'events'),
    schema: {
      operationId: 'simulateContract',
      summary: 'Simulate a contract',
      description:
        'Returns how the service would decide about these events at these times. Events with the same time are ' +
        'processed in the given order, after the scheduled check of that minute. Nothing is stored.',
      tags: ['Simulations'],
      body: SimulationRequestBody,
      response: responses({ 200: { description: 'The simulation.', schema: ref(SimulationBody) } }, ERRORS),
    },
    handler: async (request, reply) => {
      const { opened_at, until, events } = request.body
      const simulationRequest = {
        userId: request.userId,
        source: readContractSource(request.body),
        openedAt: opened_at === undefined ? null : readTime(opened_at),
        until: until === undefined ? null : readTime(until),
        events: await runCooperatively(readSimulatedEvents(events, readItem)),
      }
      const simulation = await simulateContract(app, simulationRequest, memoryOf(request))
      return sendJson(reply, presentSimulation(simulation))
    },
  })
}

function presentSimulation({ openedAt, timeline, final, hints }: ContractSimulation) {
  return {
    opened_at: openedAt,
    timeline: timeline.values().map(presentTimelineEntry),
    final: {
      status: final.status,
      scheduled_outcome: final.scheduledOutcome,
      status_since: final.statusSince,
      due_at: final.dueAt,
      ...presentClock(final),
    },
    hints,
  }
}

/** The errors of the service for events that it does not record. */
const REFUSALS: Partial<Record<Decision['kind'], ErrorCode>> = {
  'not-open': 'CLAIM_NOT_OPEN',
  'id-conflict': 'EVENT_ID_CONFLICT',
  'log-full': 'EVENT_LIMIT_REACHED',
}

function presentTimelineEntry(entry: TimelineEntry) {
  if (entry.kind === 'transition') return { ...entry, because: presentBecause(entry.because) }
  const { kind, at, submission, decision } = entry
  const event = presentRecorded(eventOf(submission, at))
  const body = { kind, at, event, ...presentDecision(decision) }
  return event instanceof JsonText ? JsonText.ofObject(body) : body
}

function presentDecision(decision: Decision) {
  const code = REFUSALS[decision.kind]
  if (code) return { accepted: false, code }
  if (decision.kind !== 'append') return { accepted: true, replayed: true }
  const { effect, lateMs } = decision
  return {
    accepted: true,
    // The transition says that the event satisfied the condition.
    ...(effect === null || effect === 'satisfied' ? {} : { effect }),
    ...(lateMs === null ? {} : { late_by: lateMs / 1000 }),
  }
}

/** Marks events without an id: a given id has at least one character. */
const NO_ID = ''

/**
 * Parses the events of a simulation, one per step of `runCooperatively`, so that at most one large event is an object at a time.
 * @throws VALIDATION_ERROR, PAYLOAD_TOO_LARGE
 */
function* readSimulatedEvents(
  items: readonly Item[],
  readItem: (item: Item) => SimulatedEventFields,
): Generator<void, TimedSubmission[]> {
  const issues: Issue[] = []
  const ids = new Set<string>()
  const events: TimedSubmission[] = []
  let tooLarge: unknown = null
  for (const [i, item] of items.entries()) {
    try {
      const { at, ...event } = withoutAddress(readItem(item))
      if (event.id !== undefined) ids.add(event.id)
      events.push({ at: readTime(at), submission: readSubmission(event, NO_ID).submission })
    } catch (error) {
      const found = issuesAt(`events[${i}]`, error)
      if (found) issues.push(...found)
      else tooLarge ??= error
      if (issues.length >= MAX_ISSUES) break
    }
    yield
  }
  if (issues.length > 0) throw validationError(issues.slice(0, MAX_ISSUES))
  if (tooLarge) throw tooLarge

  for (const [i, { submission }] of events.entries()) {
    if (submission.id === NO_ID) submission.id = freeId(`event-${i + 1}`, ids)
  }
  return events
}

/** An id for an event without one. It avoids the given ids. */
function freeId(id: string, taken: ReadonlySet<string>): string {
  return taken.has(id) ? freeId(`${id}'`, taken) : id
}

/** Rejects an address: a simulation has one claim without an id. */
function withoutAddress(event: SimulatedEventFields): SimulatedEventFields {
  for (const path of ['claim_id', 'candidate_alias']) {
    if (path in event)
      throw validationError([{ path, message: 'is not allowed: a simulation has one claim' }])
  }
  return event
}

/** The issues of an invalid event; null for one that is too large. Invalid events are reported first. */
function issuesAt(path: string, error: unknown): Issue[] | null {
  if (!(error instanceof ServiceError)) throw error
  if (!error.details) return null
  return error.details.map((issue) => ({
    path: issue.path === 'body' ? path : join(path, issue.path),
    message: issue.message,
  }))
}
