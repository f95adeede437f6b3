import type { App } from '../app.ts'
import type { Invitation, User } from '../core/records.ts'
import { ServiceError, validationError } from '../kernel/errors.ts'
import type { Connection } from '../platform/database/connection.ts'
import { hasPassword, setPassword } from './credential-store.ts'
import { isEmail } from './email.ts'
import { revokeInvitationsTo, useInvitation } from './invitations/invitation-store.ts'
import { getOpenInvitation, hashInvitationKey, keyNotFound } from './invitations/invitations.ts'
import { insertUser, renameUser } from './user-store.ts'

interface SignUp {
  email: string
  name: string
  password: string
  /** The key of an invitation. */
  invitation?: string | undefined
}

/**
 * Creates an account with a password, or sets up the account that the invitation names. One transaction uses the invitation and
 * writes the account. Returns the account and the hash of its password.
 * @throws SIGN_UP_CLOSED, INVITATION_NOT_FOUND, ACCOUNT_EMAIL_CONFLICT, VALIDATION_ERROR
 */
export async function signUp(
  app: App,
  request: SignUp,
  isOpen: boolean,
): Promise<{ user: User; hash: string }> {
  const { email, password, invitation: key } = request
  if (key === undefined && !isOpen) throw new ServiceError('SIGN_UP_CLOSED')
  // Before hashing, so that a request with a wrong key costs little.
  const invitation = key === undefined ? null : await getOpenInvitation(app, key)
  if (!isEmail(email)) throw validationError([{ path: 'email', message: 'must be an email address' }])

  const hash = await app.passwords.hash(password)
  return app.db.identity.transaction(async (connection) => {
    const user = await (key === undefined || invitation === null
      ? newUser(connection, request)
      : invitedUser(connection, request, key, invitation))
    await setPassword(connection, user.id, hash)
    return { user, hash }
  })
}

/** @param invitation of the key, as it was before the transaction */
async function invitedUser(
  connection: Connection,
  request: SignUp,
  key: string,
  invitation: Invitation,
): Promise<User> {
  const { email, name } = request
  if (invitation.email !== null && invitation.email !== email.toLowerCase()) {
    throw validationError([{ path: 'email', message: 'must be the email that was invited' }])
  }
  const use = async () => {
    if (!(await useInvitation(connection, hashInvitationKey(key)))) throw keyNotFound()
  }
  const id = invitation.claimsUserId
  if (id === null) {
    await use()
    return newUser(connection, request)
  }
  // The account's row is locked before its invitations: of several requests with different invitations to the account one
  // succeeds, and they cannot deadlock.
  const user = (await renameUser(connection, { id, email, name })) ?? refuseTakenEmail()
  if (await hasPassword(connection, id)) throw keyNotFound()
  await use()
  await revokeInvitationsTo(connection, id)
  return user
}

async function newUser(connection: Connection, { email, name }: SignUp): Promise<User> {
  return (await insertUser(connection, email, name)) ?? refuseTakenEmail()
}

function refuseTakenEmail(): never {
  throw new ServiceError('ACCOUNT_EMAIL_CONFLICT')
}
