import type { ClaimRecord } from '../../clients/records.ts'
import { readState } from '../../clients/world.ts'
import type { Verdict } from '../../model/claim-history.ts'
import type { Status } from '../../model/contract.ts'
import { assert, Finding } from '../../model/finding.ts'
import type { JsonObject } from '../../model/json.ts'
import type { LogItem } from '../../model/replay.ts'

/**
 * The meaning of a response to a submission, single or in a batch.
 * @param mayBeRepeat the response says so, or the service may have lost its database connection meanwhile. Then the
 *   service searches for the event and cannot distinguish its own from an equal one of another client
 */
export function readVerdict(
  record: ClaimRecord,
  status: number,
  body: JsonObject | null,
  mayBeRepeat: boolean,
): Verdict {
  if (status === 201 || status === 200 || status === 204) {
    const kind = mayBeRepeat || status === 200 ? 'replayed' : 'recorded'
    if (!body?.event) return { kind, event: null, state: null, lateBy: null }
    const state = readState(record, body.claim as JsonObject)
    return { kind, event: body.event as LogItem, state, lateBy: (body.late_by ?? null) as number | null }
  }
  const error = body?.error as JsonObject | undefined
  const message = String(error?.message)
  switch (error?.code) {
    case 'EVENT_ID_CONFLICT':
      return { kind: 'conflict' }
    case 'CLAIM_NOT_OPEN':
      return { kind: 'not open', status: /is (PENDING|CONFIRMED|FAILED)/.exec(message)?.[1] as Status }
    case 'EVENT_ID_REQUIRED':
      return { kind: 'id required' }
    case 'EVENT_LIMIT_REACHED':
      return { kind: 'full' }
    case 'UNAVAILABLE':
      return /not known/.test(message) ? { kind: 'unknown', why: message } : { kind: 'refused', status }
    case 'INTERNAL_ERROR':
      return { kind: 'unknown', why: message }
    case 'CLAIM_NOT_FOUND':
    case 'CANDIDATE_NOT_FOUND':
      assert(record.clock !== null, () => `${record.name} exists, but a submission was answered 404`)
      return { kind: 'gone' }
    default:
      throw new Finding(`${record.name}: a submission was answered ${status}`, body)
  }
}
