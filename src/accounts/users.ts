import type { App } from '../app.ts'
import type { User } from '../core/records.ts'
import { OperatorError } from '../kernel/operator-error.ts'
import { setPassword } from './credential-store.ts'
import { isEmail } from './email.ts'
import { revokeInvitationsTo } from './invitations/invitation-store.ts'
import { MAX_EMAIL_LENGTH, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from './limits.ts'
import { deleteSessionsOf } from './sessions/session-store.ts'
import { findUserByEmail, insertUser, listUsers as readUsers } from './user-store.ts'

/** The form of an email that an account without a password needs. */
const LOOSE_EMAIL = /^[^\s@]+@[^\s@]+$/

/** Creates an account. Emails are unique regardless of upper and lower case. Without a password the account can be used only with tokens. */
export async function createUser(app: App, email: string, password?: string): Promise<User> {
  if (!LOOSE_EMAIL.test(email) || email.length > MAX_EMAIL_LENGTH) {
    throw new OperatorError(`${JSON.stringify(email)} is not an email address.`)
  }
  const hash = password === undefined ? null : await checkAndHashPassword(app, email, password)
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
 * Resets a forgotten password and ends all sessions of the account. Sign-up links for this account stop working.
 */
export async function setUserPassword(app: App, email: string, password: string): Promise<void> {
  const user = await findUserByEmail(app.db, email)
  if (!user) throw new OperatorError(`No account has the email ${email}. See: claimkeeper user list`)
  const hash = await checkAndHashPassword(app, email, password)
  await app.db.transaction(async (connection) => {
    await setPassword(connection, user.id, hash)
    await deleteSessionsOf(connection, user.id)
    await revokeInvitationsTo(connection, user.id)
  })
}

/** @throws OperatorError if sign-in would not accept the email or the password */
function checkAndHashPassword(app: App, email: string, password: string): Promise<string> {
  if (!isEmail(email)) {
    throw new OperatorError(
      `${JSON.stringify(email)} cannot be used to sign in: it is not a complete email address.`,
    )
  }
  if (password.length < MIN_PASSWORD_LENGTH || password.length > MAX_PASSWORD_LENGTH) {
    throw new OperatorError(
      `The password must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters.`,
    )
  }
  return app.passwords.hash(password)
}
