import type { App } from '../app.ts'
import type { Connection } from '../platform/database/connection.ts'
import { hasPassword } from './credential-store.ts'
import { insertInvitation } from './invitations/invitation-store.ts'
import { hashInvitationKey, newInvitationKey } from './invitations/invitations.ts'
import { INVITATION_TTL_SECONDS } from './limits.ts'
import { hashToken, newToken } from './tokens/api-token.ts'
import { hasApiToken, insertApiToken } from './tokens/api-token-store.ts'
import { insertUser, listUsers, lockBootstrap } from './user-store.ts'

/** The email of the first account until its sign-up. */
const OWNER = 'owner@localhost'

/**
 * Creates the first account if there is none. Servers that start at the same time create one account.
 * @param givenToken the account's first token; null for none
 * @returns whether this call created the account
 */
export function bootstrapAccount(app: App, givenToken: string | null): Promise<boolean> {
  return app.db.transaction(async (connection) => {
    await lockBootstrap(connection)
    if ((await listUsers(connection)).length > 0) return false
    const user = await insertUser(connection, OWNER)
    if (!user) throw new Error('the first account exists already')
    if (givenToken !== null) await insertFirstToken(connection, user.id, givenToken)
    return true
  })
}

/**
 * Creates the first token of the first account, if the account has no token and no sign-up.
 * @param show receives the token, or null if none is created, before the commit. If it fails, no token is stored, and the
 *   next start creates one.
 */
export function showFirstToken(app: App, show: (token: string | null) => Promise<void>): Promise<void> {
  return app.db.transaction(async (connection) => {
    await lockBootstrap(connection)
    const [first] = await listUsers(connection)
    if (first?.email !== OWNER) return show(null)
    if ((await hasPassword(connection, first.id)) || (await hasApiToken(connection, first.id)))
      return show(null)
    const token = newToken()
    await insertFirstToken(connection, first.id, token)
    await show(token)
  })
}

const insertFirstToken = (connection: Connection, userId: string, token: string) =>
  insertApiToken(connection, {
    userId,
    name: 'first token',
    hash: hashToken(token),
    expiresAt: null,
    sessionId: null,
    maxActive: null,
  })

/**
 * Creates a one-time key that sets the email, name and password of the first account. Returns null if the account has a password.
 * Earlier keys stay valid until one of them is used, because another server may have shown them.
 */
export function inviteFirstAccount(app: App): Promise<string | null> {
  return app.db.transaction(async (connection) => {
    await lockBootstrap(connection)
    const [first] = await listUsers(connection)
    if (!first || (await hasPassword(connection, first.id))) return null

    const key = newInvitationKey()
    await insertInvitation(connection, {
      keyHash: hashInvitationKey(key),
      email: null,
      invitedBy: null,
      claimsUserId: first.id,
      ttlSeconds: INVITATION_TTL_SECONDS,
      maxOpen: null,
    })
    return key
  })
}
