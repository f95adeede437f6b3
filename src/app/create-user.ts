import { StartupError } from '../startup-error.ts'
import { insertUser, type User } from '../storage/users.ts'
import type { App } from './app.ts'

const EMAIL = /^[^\s@]+@[^\s@]+$/
const MAX_EMAIL_LENGTH = 254

/** Makes an account; emails are unique in any case of letters. */
export async function createUser(app: App, email: string): Promise<User> {
  if (!EMAIL.test(email) || email.length > MAX_EMAIL_LENGTH) {
    throw new StartupError(`${JSON.stringify(email)} is not an email address.`)
  }
  const user = await insertUser(app.db, email)
  if (!user) throw new StartupError(`An account with the email ${email} exists already.`)
  return user
}
