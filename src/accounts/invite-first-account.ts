import type { App } from '../app.ts'
import { hasPassword } from './credential-store.ts'
import { hashInvitationKey, INVITATION_SECONDS, newInvitationKey } from './invitations/invitation-key.ts'
import { insertInvitation } from './invitations/invitation-store.ts'
import { listUsers, takeBootstrapTurn } from './user-store.ts'

/**
 * While the first account has no password: a new key that sets its email, name and password once. Earlier keys stay valid
 * until one of them is used, because another server may have shown them. Null if the account has a password.
 */
export function inviteFirstAccount(app: App): Promise<string | null> {
  return app.db.transaction(async (connection) => {
    await takeBootstrapTurn(connection)
    const [first] = await listUsers(connection)
    if (!first || (await hasPassword(connection, first.id))) return null

    const key = newInvitationKey()
    await insertInvitation(connection, {
      keyHash: hashInvitationKey(key),
      email: null,
      invitedBy: null,
      claimsUserId: first.id,
      lastsSeconds: INVITATION_SECONDS,
      most: null,
    })
    return key
  })
}
