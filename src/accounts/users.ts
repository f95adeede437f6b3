import type { App } from '../app.ts'
import type { User } from '../core/records.ts'
import { OperatorError } from '../kernel/operator-error.ts'
import { setPassword } from './credential-store.ts'
import { isEmail, MAX_EMAIL_LENGTH } from './email.ts'
import { revokeInvitationsTo } from './invitations/invitation-store.ts'
import { PASSWORD_LENGTH } from './passwords.ts'
import { deleteSessionsOf } from './sessions/session-store.ts'
import { findUserByEmail, insertUser, listUsers as readUsers } from './user-store.ts'

const EMAIL = /^[^\s@]+@[^\s@]+$/

/** Makes an account; emails are unique in any case of letters. Without a password only tokens open it. */
export async function createUser(app: App, email: string, password?: string): Promise<User> {
  if (!EMAIL.test(email) || email.length > MAX_EMAIL_LENGTH) {
    throw new OperatorError(`${JSON.stringify(email)} is not an email address.`)
  }
  const hash = password === undefined ? null : await hashUsablePassword(app, email, password)
  return app.db.transaction(async (connection) => {
    const user = await insertUser(connection, email)
    if (!user) throw new OperatorError(`An account with the email ${email} exists already.`)
    if (hash !== null) await setPassword(connection, user.id, hash)
    return user
  })
}

/** Every account, oldest first. */
export function listUsers(app: App): Promise<User[]> {
  return readUsers(app.db)
}

/**
 * Resets a forgotten password and ends all sessions of the account. Links to set up the first account stop working.
 */
export async function setUserPassword(app: App, email: string, password: string): Promise<void> {
  const user = await findUserByEmail(app.db, email)
  if (!user) throw new OperatorError(`No account has the email ${email}. See: claimkeeper user list`)
  const hash = await hashUsablePassword(app, email, password)
  await app.db.transaction(async (connection) => {
    await setPassword(connection, user.id, hash)
    await deleteSessionsOf(connection, user.id)
    await revokeInvitationsTo(connection, user.id)
  })
}

/** @throws OperatorError if nobody could sign in with them */
function hashUsablePassword(app: App, email: string, password: string): Promise<string> {
  const { min, max } = PASSWORD_LENGTH
  if (!isEmail(email)) {
    throw new OperatorError(
      `Nobody can sign in as ${JSON.stringify(email)}: it is not a whole email address.`,
    )
  }
  if (password.length < min || password.length > max) {
    throw new OperatorError(`The password must have ${min} to ${max} characters.`)
  }
  return app.passwords.hash(password)
}
