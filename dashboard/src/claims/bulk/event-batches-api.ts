import type { Outcome, Status } from '../../../../src/core/claims/lifecycle.ts'
import { isJsonObject, type JsonObject } from '../../../../src/kernel/json.ts'
import { postIdempotent, unexpectedResponse } from '../../api/client.ts'
import type { ClaimKind } from '../../api/records.ts'

/** The result of one event of a batch, with the fields that the dashboard uses. */
export interface BatchResult {
  /** 201 if recorded, 200 if recorded before, otherwise an error status. */
  status: number
  claim?: { status: Status; scheduled_outcome: Outcome | null; test_clock_id: string | null }
  error?: { code: string; message: string }
}

/**
 * Submits one event to several claims or candidates, and returns the results in their order. The event must have an id, so that a
 * repeated submission does not record it twice.
 * @param names ids of claims, or aliases of candidates
 */
export async function submitToEach(
  kind: ClaimKind,
  names: readonly string[],
  event: JsonObject,
  signal: AbortSignal,
): Promise<BatchResult[]> {
  const nameField = kind === 'claims' ? 'claim_id' : 'candidate_alias'
  const events = names.map((name) => ({ ...event, [nameField]: name }))
  const response = await postIdempotent<{ results?: unknown } | null>('/v1/events/batch', { events }, signal)
  const results = response?.results
  if (!Array.isArray(results) || results.length !== names.length || !results.every(isResult))
    throw unexpectedResponse()
  return results
}

function isResult(item: unknown): item is BatchResult {
  if (!isJsonObject(item)) return false
  const { status, claim, error } = item
  if (status === 200 || status === 201)
    return (
      isJsonObject(claim) &&
      typeof claim.status === 'string' &&
      (claim.test_clock_id === null || typeof claim.test_clock_id === 'string')
    )
  return typeof status === 'number' && status >= 400 && isJsonObject(error) && typeof error.code === 'string'
}
