import { createHash, randomBytes } from 'node:crypto'
import type { App } from '../../app.ts'
import { invitationNotFound } from '../../core/record-errors.ts'
import type { Invitation } from '../../core/records.ts'
import { ServiceError, validationError } from '../../kernel/errors.ts'
import type { Connection } from '../../platform/database/connection.ts'
import { newestFirst } from '../../platform/database/lists/list-page.ts'
import { isEmail } from '../email.ts'
import {
  findOpenInvitation,
  forgetEndedInvitations,
  insertInvitation,
  listInvitationsOf,
  revokeInvitationOf,
} from './invitation-store.ts'

/** Of an account: that are open, and that have ended and are still listed. */
const MOST_INVITATIONS = 1_000
const ENDED_INVITATIONS_KEPT = 1_000

/**
 * Creates a one-time key to sign up for a new account. The key is returned once and stored nowhere.
 * @param request.email null for anyone who has the key
 * @param request.invitedBy null for the command line, which may make any number
 * @param show receives the key before the commit. If it fails, no invitation is stored.
 * @throws VALIDATION_ERROR, INVITATION_LIMIT_REACHED
 */
export async function createInvitation(
  db: Connection,
  request: { email: string | null; invitedBy: string | null },
  show: (key: string) => Promise<void> = async () => {},
): Promise<{ invitation: Invitation; key: string }> {
  if (request.email !== null && !isEmail(request.email)) {
    throw validationError([{ path: 'email', message: 'must be an email address' }])
  }
  const { invitedBy } = request
  // Their list has no pages, and what is counted is read: neither grows without end.
  if (invitedBy !== null) await forgetEndedInvitations(db, invitedBy, ENDED_INVITATIONS_KEPT)
  const key = newInvitationKey()
  return db.transaction(async (connection) => {
    const invitation = await insertInvitation(connection, {
      ...request,
      keyHash: hashInvitationKey(key),
      claimsUserId: null,
      lastsSeconds: INVITATION_SECONDS,
      most: invitedBy === null ? null : MOST_INVITATIONS,
    })
    if (!invitation) throw tooManyInvitations()
    await show(key)
    return { invitation, key }
  })
}

const tooManyInvitations = () =>
  new ServiceError(
    'INVITATION_LIMIT_REACHED',
    `The account has ${MOST_INVITATIONS} open invitations, as many as it may.`,
  )

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

/** Those that the account made and did not revoke, newest first. */
export const listInvitations = (app: App, userId: string): AsyncGenerator<Invitation[]> =>
  newestFirst((after, limit) => listInvitationsOf(app.db.reads.for(userId), userId, after, limit))

/** Its key stops working at once; an account that was made with it stays. @throws INVITATION_NOT_FOUND */
export async function revokeInvitation(app: App, userId: string, id: string): Promise<void> {
  if (!(await revokeInvitationOf(app.db.writes.for(userId), userId, id))) throw invitationNotFound(id)
}

/** 256 random bits as base64url. */
const INVITATION_KEY = /^[A-Za-z0-9_-]{43}$/

export const newInvitationKey = (): string => randomBytes(32).toString('base64url')

const isInvitationKey = (text: string): boolean => INVITATION_KEY.test(text)

/** What is stored of a key. A fast hash is enough: the key itself is random. */
export const hashInvitationKey = (key: string): Buffer => createHash('sha256').update(key).digest()

/** The page where the key is used. A browser keeps the fragment to itself: no server and no proxy logs it. */
export const invitationUrl = (serviceUrl: string, key: string): string => `${serviceUrl}/welcome#key=${key}`

/** How long an invitation key is valid. */
export const INVITATION_SECONDS = 7 * 86_400
