import type { TimedSubmission } from '../core/claims/simulate.ts'
import { readSubmission } from '../events/read-submission.ts'
import { ServiceError, validationError } from '../kernel/errors.ts'
import { type Issue, MAX_ISSUES } from '../kernel/issue.ts'
import { join } from '../platform/http/bodies/json-flaws.ts'
import type { Item } from '../platform/http/bodies/parse-json.ts'
import { readTime } from '../platform/http/responses/scalars.ts'
import type { SimulatedEventFields } from './simulation-bodies.ts'

/** What no event is called: an id has a character at least. */
const NO_ID = ''

/**
 * Reads the events of a simulation, a step for each. One that is heavy as an object is none for longer than its step.
 * @throws VALIDATION_ERROR, PAYLOAD_TOO_LARGE
 */
export function* readSimulatedEvents(
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

/** The service makes ids that nobody has given: so does the simulation. */
function freeId(id: string, taken: ReadonlySet<string>): string {
  return taken.has(id) ? freeId(`${id}'`, taken) : id
}

/** There is one claim, and it has no name. */
function withoutAddress(event: SimulatedEventFields): SimulatedEventFields {
  for (const path of ['claim_id', 'candidate_alias']) {
    if (path in event) throw validationError([{ path, message: 'is not known here: there is one claim' }])
  }
  return event
}

/** Null if an event is too large: what is invalid is told first. */
function issuesAt(place: string, error: unknown): Issue[] | null {
  if (!(error instanceof ServiceError)) throw error
  if (!error.details) return null
  return error.details.map(({ path, message }) => ({
    path: path === 'body' ? place : join(place, path),
    message,
  }))
}
