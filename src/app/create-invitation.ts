import { ServiceError, validationError } from '../errors.ts'
import { forgetEndedInvitations, type Invitation, insertInvitation } from '../storage/invitations.ts'
import { THE_SERVICE } from '../storage/places.ts'
import type { App } from './app.ts'
import { isEmail } from './email.ts'
import { hashInvitationKey, INVITATION_SECONDS, newInvitationKey } from './invitation-key.ts'

/** Of an account: that are open, and that have ended and are still listed. */
const MOST_INVITATIONS = 1_000
const ENDED_INVITATIONS_KEPT = 1_000

/**
 * Makes a one-time key with which someone signs up for an account of their own. It is returned once and stored
 * nowhere.
 * @param request.email null for anyone who has the key
 * @param request.invitedBy null for the command line, which may make any number
 * @throws VALIDATION_ERROR, INVITATION_LIMIT_REACHED
 */
export async function createInvitation(
  app: App,
  request: { email: string | null; invitedBy: string | null },
): Promise<{ invitation: Invitation; key: string }> {
  if (request.email !== null && !isEmail(request.email)) {
    throw validationError([{ path: 'email', message: 'must be an email address' }])
  }
  const { invitedBy } = request
  const db = app.db.writes.for(invitedBy ?? THE_SERVICE)
  // Their list has no pages, and what is counted is read: neither grows without end.
  if (invitedBy !== null) await forgetEndedInvitations(db, invitedBy, ENDED_INVITATIONS_KEPT)
  const key = newInvitationKey()
  const invitation = await insertInvitation(db, {
    ...request,
    keyHash: hashInvitationKey(key),
    claimsUserId: null,
    lastsSeconds: INVITATION_SECONDS,
    most: invitedBy === null ? null : MOST_INVITATIONS,
  })
  if (!invitation) throw tooManyInvitations()
  return { invitation, key }
}

const tooManyInvitations = () =>
  new ServiceError(
    'INVITATION_LIMIT_REACHED',
    `The account has ${MOST_INVITATIONS} open invitations, as many as it may.`,
  )
