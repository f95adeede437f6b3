import type { Outcome, Status } from '../../../src/domain/claims/lifecycle.ts'
import type { JsonObject } from '../../../src/domain/json.ts'
import type { ClaimKind } from './claims.ts'
import { NetworkError, postAgain } from './client.ts'

/** What became of one event of a batch: as much of it as is used. */
export interface BatchResult {
  /** 201 recorded, 200 recorded before; others with an error. */
  status: number
  claim?: { status: Status; scheduled_outcome: Outcome | null }
  error?: { code: string; message: string }
}

/** The same event to each of these claims or candidates; the results are in their order. The event has an id. */
export async function submitToEach(
  kind: ClaimKind,
  names: readonly string[],
  event: JsonObject,
  signal: AbortSignal,
): Promise<BatchResult[]> {
  const address = kind === 'claims' ? 'claim_id' : 'candidate_alias'
  const events = names.map((name) => ({ ...event, [address]: name }))
  const answer = await postAgain<{ results?: BatchResult[] } | null>('/v1/events/batch', { events }, signal)
  // Somebody else answered, on the way.
  if (answer?.results?.length !== names.length) throw new NetworkError('The answer was not the service’s.')
  return answer.results
}
