import type { TimedSubmission } from '../../domain/claims/simulate.ts'
import { type Issue, MAX_ISSUES } from '../../domain/issue.ts'
import { ServiceError, validationError } from '../../errors.ts'
import { readSubmission } from '../events/read-submission.ts'
import { join } from '../protocol/json-flaws.ts'
import type { Item } from '../protocol/parse-json.ts'
import { readTime } from '../protocol/read-time.ts'
import type { SimulatedEventFields } from '../schemas/simulation.ts'

/** Reads the events of a simulation, a step for each. @throws VALIDATION_ERROR, PAYLOAD_TOO_LARGE */
export function* readSimulatedEvents(
  items: readonly Item[],
  readItem: (item: Item) => SimulatedEventFields,
): Generator<void, TimedSubmission[]> {
  const issues: Issue[] = []
  const events: SimulatedEventFields[] = []
  for (const [i, item] of items.entries()) {
    try {
      events.push(withoutAddress(readItem(item)))
    } catch (error) {
      issues.push(...issuesAt(`events[${i}]`, error))
      if (issues.length >= MAX_ISSUES) break
    }
    yield
  }
  if (issues.length > 0) throw validationError(issues.slice(0, MAX_ISSUES))

  const ids = new Set(events.map(({ id }) => id))
  const submissions: TimedSubmission[] = []
  for (const [i, { at, ...event }] of events.entries()) {
    const { submission } = readSubmission(event, freeId(`event-${i + 1}`, ids))
    submissions.push({ at: readTime(at, `events[${i}].at`), submission })
    yield
  }
  return submissions
}

/** The service makes ids that nobody has given: so does the simulation. */
function freeId(id: string, taken: ReadonlySet<string | undefined>): string {
  return taken.has(id) ? freeId(`${id}'`, taken) : id
}

/** There is one claim, and it has no name. */
function withoutAddress(event: SimulatedEventFields): SimulatedEventFields {
  for (const path of ['claim_id', 'candidate_alias']) {
    if (path in event) throw validationError([{ path, message: 'is not known here: there is one claim' }])
  }
  return event
}

function issuesAt(place: string, error: unknown): Issue[] {
  if (!(error instanceof ServiceError) || !error.details) throw error
  return error.details.map(({ path, message }) => ({
    path: path === 'body' ? place : join(place, path),
    message,
  }))
}
