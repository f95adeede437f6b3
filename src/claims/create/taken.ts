import { RETRY_LATER, ServiceError } from '../../kernel/errors.ts'
import type { NewClaim } from '../claim-store.ts'

/** What is asked for has a name, or an id, that is taken. */
export class Taken extends ServiceError {}

export function conflictOf({ address, reference }: Pick<NewClaim, 'address' | 'reference'>): ServiceError {
  if (address.kind === 'candidate') {
    const message = `The candidate alias ${JSON.stringify(address.alias)} is taken.`
    return new Taken('CANDIDATE_ALIAS_CONFLICT', message)
  }
  // The same request has created it, and its clock was just being deleted.
  if (reference === null)
    return new Taken('UNAVAILABLE', 'The claim is being deleted with its test clock.', {
      headers: RETRY_LATER,
    })
  const message = `The account has a claim with the reference ${JSON.stringify(reference)}: ${address.id}.`
  return new Taken('CLAIM_REFERENCE_CONFLICT', message)
}
