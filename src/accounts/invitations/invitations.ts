import { createHash, randomBytes } from 'node:crypto'
import type { App } from '../../app.ts'
import { invitationNotFound } from '../../core/record-errors.ts'
import type { Invitation } from '../../core/records.ts'
import { ServiceError, validationError } from '../../kernel/errors.ts'
import type { Connection } from '../../platform/database/connection.ts'
import { newestFirst } from '../../platform/database/lists/list-page.ts'
import { isEmail } from '../email.ts'
import {
  INVITATION_TTL_SECONDS,
  MAX_ENDED_INVITATIONS_PER_ACCOUNT,
  MAX_OPEN_INVITATIONS_PER_ACCOUNT,
} from '../limits.ts'
import {
  findOpenInvitation,
  forgetEndedInvitations,
  insertInvitation,
  listInvitationsOf,
  revokeInvitationOf,
} from './invitation-store.ts'

/**
 * Creates a one-time key to sign up for a new account. The key is returned once and stored nowhere.
 * @param request.email the only email that may sign up with the key; null for any
 * @param request.invitedBy null for the command line, which has no limit
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
  if (invitedBy !== null) await forgetEndedInvitations(db, invitedBy, MAX_ENDED_INVITATIONS_PER_ACCOUNT)
  const key = newInvitationKey()
  return db.transaction(async (connection) => {
    const invitation = await insertInvitation(connection, {
      ...request,
      keyHash: hashInvitationKey(key),
      claimsUserId: null,
      ttlSeconds: INVITATION_TTL_SECONDS,
      maxOpen: invitedBy === null ? null : MAX_OPEN_INVITATIONS_PER_ACCOUNT,
    })
    if (!invitation) throw tooManyInvitations()
    await show(key)
    return { invitation, key }
  })
}

const tooManyInvitations = () =>
  new ServiceError(
    'INVITATION_LIMIT_REACHED',
    `The account has ${MAX_OPEN_INVITATIONS_PER_ACCOUNT} open invitations, the maximum. Revoke one, or wait until one is used or expires.`,
  )

/** The open invitation with this key. @throws INVITATION_NOT_FOUND */
export async function getOpenInvitation(app: App, key: string): Promise<Invitation> {
  const invitation = isInvitationKey(key)
    ? await findOpenInvitation(app.db.identity, hashInvitationKey(key))
    : null
  if (!invitation) throw keyNotFound()
  return invitation
}

/** The same error for an unknown, used, revoked or expired key, so that it reveals nothing about the key. */
export function keyNotFound(): ServiceError {
  return new ServiceError('INVITATION_NOT_FOUND', 'The invitation is unknown, used, revoked or expired.')
}

/** The account's invitations that were not revoked, newest first. */
export const listInvitations = (app: App, userId: string): AsyncGenerator<Invitation[]> =>
  newestFirst((after, limit) => listInvitationsOf(app.db.reads.for(userId), userId, after, limit))

/** Its key stops working at once. An account that was created with it stays. @throws INVITATION_NOT_FOUND */
export async function revokeInvitation(app: App, userId: string, id: string): Promise<void> {
  if (!(await revokeInvitationOf(app.db.writes.for(userId), userId, id))) throw invitationNotFound(id)
}

/** 256 random bits as base64url. */
const INVITATION_KEY = /^[A-Za-z0-9_-]{43}$/

export const newInvitationKey = (): string => randomBytes(32).toString('base64url')

const isInvitationKey = (text: string): boolean => INVITATION_KEY.test(text)

/** The stored form of a key. A fast hash is enough, because the key is random. */
export const hashInvitationKey = (key: string): Buffer => createHash('sha256').update(key).digest()

/** The sign-up page. The key is in the fragment, which browsers send to no server and no proxy, so no log contains it. */
export const invitationUrl = (serviceUrl: string, key: string): string => `${serviceUrl}/welcome#key=${key}`
