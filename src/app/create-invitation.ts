import { validationError } from '../errors.ts'
import { type Invitation, insertInvitation } from '../storage/invitations.ts'
import type { App } from './app.ts'
import { isEmail } from './email.ts'
import { hashInvitationKey, INVITATION_SECONDS, newInvitationKey } from './invitation-key.ts'

/**
 * Makes a one-time key with which someone signs up for an account of their own. It is returned once and stored
 * nowhere.
 * @param request.email null for anyone who has the key
 * @param request.invitedBy null for the command line
 */
export async function createInvitation(
  app: App,
  request: { email: string | null; invitedBy: string | null },
): Promise<{ invitation: Invitation; key: string }> {
  if (request.email !== null && !isEmail(request.email)) {
    throw validationError([{ path: 'email', message: 'must be an email address' }])
  }
  const key = newInvitationKey()
  const invitation = await insertInvitation(app.db, {
    ...request,
    keyHash: hashInvitationKey(key),
    claimsUserId: null,
    lastsSeconds: INVITATION_SECONDS,
  })
  return { invitation, key }
}
