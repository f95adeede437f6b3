import type { LogEvent } from '../core/claims/event.ts'
import { LateEvent } from '../core/claims/late-submission.ts'
import { presentEach } from '../platform/http/responses/lists.ts'
import { JsonText } from '../platform/http/responses/send-json.ts'
import type { LoggedEvent } from './get-claim.ts'

/*
 * From the records of the domain to the bodies of answers. A Date becomes ISO 8601 in UTC with milliseconds; where
 * answers are many it is written out here, since JSON.stringify takes several times as long over what holds a Date.
 */

function presentEvent(event: LogEvent) {
  const { id, type, createdAt, system, payload } = event
  return { id, type, created_at: createdAt.toISOString(), system, ...payload }
}

/** An event that was submitted just now. */
export const presentRecorded = (event: LogEvent) =>
  event instanceof LateEvent ? presentLogged(event.asText()) : presentEvent(event)

/** Without a look at the payload: it is the text that was stored. */
function presentLogged(event: Omit<LogEvent, 'payload'> & { payload: string }): JsonText {
  const { id, type, createdAt, system, payload } = event
  const head = JSON.stringify({ id, type, created_at: createdAt.toISOString(), system })
  const fields = payload.trim().slice(1, -1).trim()
  return new JsonText(fields === '' ? head : `${head.slice(0, -1)},${fields}}`)
}

/** A claim's or candidate's log, as it is read. */
export const presentLog = (log: AsyncIterable<LoggedEvent[]>) => presentEach(log, presentLogged)
