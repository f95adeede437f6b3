import type { User } from '../../domain/records.ts'
import { findUser } from '../../storage/accounts/users.ts'
import type { App } from '../app.ts'

/** The account that asks. Accounts are never deleted. */
export async function getMe(app: App, userId: string): Promise<User> {
  const user = await findUser(app.db.reads.for(userId), userId)
  if (!user) throw new Error(`the account ${userId} of a valid token or session is gone`)
  return user
}
