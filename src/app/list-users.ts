import { listUsers as readUsers, type User } from '../storage/users.ts'
import type { App } from './app.ts'

/** Every account, oldest first. */
export function listUsers(app: App): Promise<User[]> {
  return readUsers(app.db)
}
