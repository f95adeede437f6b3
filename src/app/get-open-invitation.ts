import { ServiceError } from '../errors.ts'
import { findOpenInvitation, type Invitation } from '../storage/invitations.ts'
import type { App } from './app.ts'
import { hashInvitationKey, isInvitationKey } from './invitation-key.ts'

/** The invitation that this key opens. @throws INVITATION_NOT_FOUND */
export async function getOpenInvitation(app: App, key: string): Promise<Invitation> {
  const invitation = isInvitationKey(key)
    ? await findOpenInvitation(app.db.identity, hashInvitationKey(key))
    : null
  if (!invitation) throw keyNotFound()
  return invitation
}

/** One answer for a key that never was, was used, was revoked or has expired. */
export function keyNotFound(): ServiceError {
  return new ServiceError('INVITATION_NOT_FOUND', 'The invitation is unknown, used, revoked or expired.')
}
