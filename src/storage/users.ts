import { v7 as uuidv7 } from 'uuid'
import type { Connection } from './database.ts'

/** An account: everything that the service holds belongs to one. */
export interface User {
  id: string
  email: string
  createdAt: Date
}

interface UserRow {
  id: string
  email: string
  created_at: Date
}

const toUser = (row: UserRow): User => ({ id: row.id, email: row.email, createdAt: row.created_at })

/** Stores a new account; null where one has this email (in any case of letters). */
export async function insertUser(db: Connection, email: string): Promise<User | null> {
  const [row] = await db.query<UserRow>({
    name: 'insert_user',
    text: `-- insert_user
      INSERT INTO users (id, email, created_at) VALUES ($1, $2, date_trunc('milliseconds', clock_timestamp()))
      ON CONFLICT ((lower(email))) DO NOTHING
      RETURNING id, email, created_at`,
    values: [uuidv7(), email],
  })
  return row ? toUser(row) : null
}

export async function findUserByEmail(db: Connection, email: string): Promise<User | null> {
  const [row] = await db.query<UserRow>({
    name: 'find_user_by_email',
    text: `-- find_user_by_email
      SELECT id, email, created_at FROM users WHERE lower(email) = lower($1)`,
    values: [email],
  })
  return row ? toUser(row) : null
}

/** Every account, oldest first. */
export async function listUsers(db: Connection): Promise<User[]> {
  const rows = await db.query<UserRow>({
    name: 'list_users',
    text: `-- list_users
      SELECT id, email, created_at FROM users ORDER BY created_at, id`,
  })
  return rows.map(toUser)
}

/** Servers that start together on an empty database take turns here. Until the transaction ends. */
export async function takeBootstrapTurn(db: Connection): Promise<void> {
  await db.query({ text: "SELECT pg_advisory_xact_lock(hashtext('claimkeeper bootstrap'))" })
}
