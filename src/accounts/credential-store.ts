import { v7 as uuidv7 } from 'uuid'
import type { Connection } from '../platform/database/connection.ts'

/* Passwords in the form of better-auth: a row with this provider and the user's ID as the account ID. */

const PROVIDER = 'credential'

/** Sets or replaces the account's password. */
export async function setPassword(db: Connection, userId: string, hash: string): Promise<void> {
  await db.query({
    name: 'set_password',
    text: `-- set_password
      INSERT INTO credentials (id, user_id, provider_id, account_id, password, created_at, updated_at)
      VALUES ($1, $2::uuid, $3, $2::uuid::text, $4, clock_timestamp(), clock_timestamp())
      ON CONFLICT (user_id, provider_id) DO UPDATE SET password = $4, updated_at = clock_timestamp()`,
    values: [uuidv7(), userId, PROVIDER, hash],
  })
}

/** Sets another hash of the same password, unless the password has been changed in the meantime. */
export async function replacePassword(
  db: Connection,
  { email, from, to }: { email: string; from: string; to: string },
): Promise<void> {
  await db.query({
    name: 'replace_password',
    text: `-- replace_password
      UPDATE credentials SET password = $4, updated_at = clock_timestamp()
      WHERE user_id = (SELECT id FROM users WHERE lower(email) = $1) AND provider_id = $2 AND password = $3`,
    values: [email.toLowerCase(), PROVIDER, from, to],
  })
}

/** Whether a person can sign in to the account. */
export async function hasPassword(db: Connection, userId: string): Promise<boolean> {
  const rows = await db.query({
    name: 'has_password',
    text: `-- has_password
      SELECT 1 FROM credentials WHERE user_id = $1 AND provider_id = $2`,
    values: [userId, PROVIDER],
  })
  return rows.length > 0
}
