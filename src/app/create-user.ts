import { StartupError } from '../startup-error.ts'
import { setPassword } from '../storage/credentials.ts'
import { insertUser, type User } from '../storage/users.ts'
import type { App } from './app.ts'
import { MAX_EMAIL_LENGTH } from './email.ts'
import { hashUsablePassword } from './set-user-password.ts'

const EMAIL = /^[^\s@]+@[^\s@]+$/

/** Makes an account; emails are unique in any case of letters. Without a password only tokens open it. */
export async function createUser(app: App, email: string, password?: string): Promise<User> {
  if (!EMAIL.test(email) || email.length > MAX_EMAIL_LENGTH) {
    throw new StartupError(`${JSON.stringify(email)} is not an email address.`)
  }
  const hash = password === undefined ? null : await hashUsablePassword(app, email, password)
  return app.db.transaction(async (connection) => {
    const user = await insertUser(connection, email)
    if (!user) throw new StartupError(`An account with the email ${email} exists already.`)
    if (hash !== null) await setPassword(connection, user.id, hash)
    return user
  })
}
