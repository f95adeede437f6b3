import { StartupError } from '../startup-error.ts'
import { setPassword } from '../storage/credentials.ts'
import { deleteSessionsOf } from '../storage/sessions.ts'
import { findUserByEmail } from '../storage/users.ts'
import type { App } from './app.ts'
import { isEmail } from './email.ts'
import { PASSWORD_LENGTH } from './passwords.ts'

/** Gives the account a new password and signs it out everywhere, for those who forgot theirs. */
export async function setUserPassword(app: App, email: string, password: string): Promise<void> {
  const user = await findUserByEmail(app.db, email)
  if (!user) throw new StartupError(`No account has the email ${email}. See: claimkeeper user list`)
  const hash = await hashUsablePassword(app, email, password)
  await app.db.transaction(async (connection) => {
    await setPassword(connection, user.id, hash)
    await deleteSessionsOf(connection, user.id)
  })
}

/** @throws StartupError where nobody could sign in with them */
export function hashUsablePassword(app: App, email: string, password: string): Promise<string> {
  const { min, max } = PASSWORD_LENGTH
  if (!isEmail(email)) {
    throw new StartupError(`Nobody can sign in as ${JSON.stringify(email)}: it is not a whole email address.`)
  }
  if (password.length < min || password.length > max) {
    throw new StartupError(`The password must have ${min} to ${max} characters.`)
  }
  return app.passwords.hash(password)
}
