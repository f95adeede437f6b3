import { v7 as uuidv7 } from 'uuid'
import type { Account, ExpectedVersions, User, Versioned } from '../core/records.ts'
import { BOOTSTRAP } from '../platform/database/advisory-locks.ts'
import { NOW } from '../platform/database/clock.ts'
import type { Connection } from '../platform/database/connection.ts'
import { isExpected, versionOf } from '../platform/database/record-version.ts'

interface UserRow {
  id: string
  email: string
  name: string | null
  created_at: Date
}

const toUser = (row: UserRow): User => ({
  id: row.id,
  email: row.email,
  name: row.name,
  createdAt: row.created_at,
})

/* Emails are lower-cased here, as in better-auth: lower() of PostgreSQL depends on the locale of the database. */

/** Stores a new account. Returns null if an account has this email, in any case. */
export async function insertUser(
  db: Connection,
  email: string,
  name: string | null = null,
): Promise<User | null> {
  const [row] = await db.query<UserRow>({
    name: 'insert_user',
    text: `-- insert_user
      INSERT INTO users (id, email, name, created_at)
      VALUES ($1, $2, $3, ${NOW})
      ON CONFLICT ((lower(email))) DO NOTHING
      RETURNING id, email, name, created_at`,
    values: [uuidv7(), email.toLowerCase(), name],
  })
  return row ? toUser(row) : null
}

type AccountRow = Versioned<UserRow & { currency: string | null; time_zone: string }>

/** A version of the fields that can change. */
const VERSION = versionOf('email', 'name', 'currency', 'time_zone')
const ACCOUNT_COLUMNS = `id, email, name, created_at, currency, time_zone, ${VERSION} AS version`

const toAccount = (row: AccountRow): Versioned<Account> => ({
  ...toUser(row),
  currency: row.currency,
  timeZone: row.time_zone,
  version: row.version,
})

export async function findAccount(db: Connection, id: string): Promise<Versioned<Account> | null> {
  const [row] = await db.query<AccountRow>({
    name: 'find_account',
    text: `-- find_account
      SELECT ${ACCOUNT_COLUMNS} FROM users WHERE id = $1`,
    values: [id],
    readOnly: true,
  })
  return row ? toAccount(row) : null
}

/** Undefined fields stay unchanged. */
export interface AccountChanges {
  currency: string | null | undefined
  timeZone: string | undefined
}

/** Returns null if the account has none of the expected versions. */
export async function updateAccount(
  db: Connection,
  id: string,
  { currency, timeZone }: AccountChanges,
  expected: ExpectedVersions,
): Promise<Versioned<Account> | null> {
  const [row] = await db.query<AccountRow>({
    name: 'update_account',
    text: `-- update_account
      UPDATE users SET currency = CASE WHEN $2 THEN $3 ELSE currency END, time_zone = coalesce($4, time_zone)
      WHERE id = $1 AND ${isExpected(VERSION, '$5')} RETURNING ${ACCOUNT_COLUMNS}`,
    values: [id, currency !== undefined, currency, timeZone, expected],
  })
  return row ? toAccount(row) : null
}

/** The name of the time zone in the database's spelling, found in any case; null if the database does not know the name. */
export async function findTimeZone(db: Connection, name: string): Promise<string | null> {
  const [row] = await db.query<{ name: string }>({
    name: 'find_time_zone',
    text: `-- find_time_zone
      SELECT name FROM pg_timezone_names WHERE lower(name COLLATE "C") = lower($1 COLLATE "C")`,
    values: [name],
    readOnly: true,
  })
  return row?.name ?? null
}

export async function findUserByEmail(db: Connection, email: string): Promise<User | null> {
  const [row] = await db.query<UserRow>({
    name: 'find_user_by_email',
    text: `-- find_user_by_email
      SELECT id, email, name, created_at FROM users WHERE lower(email) = $1`,
    values: [email.toLowerCase()],
  })
  return row ? toUser(row) : null
}

const UNIQUE_VIOLATION = '23505'

/** Changes the email and name of the account. Returns null if another account has the email: then the transaction must end. */
export async function renameUser(
  db: Connection,
  { id, email, name }: Pick<User, 'id' | 'email' | 'name'>,
): Promise<User | null> {
  try {
    const [row] = await db.query<UserRow>({
      name: 'rename_user',
      text: `-- rename_user
        UPDATE users SET email = $2, name = $3, updated_at = clock_timestamp() WHERE id = $1
        RETURNING id, email, name, created_at`,
      values: [id, email.toLowerCase(), name],
    })
    return row ? toUser(row) : null
  } catch (error) {
    if ((error as { code?: string }).code === UNIQUE_VIOLATION) return null
    throw error
  }
}

/** Every account, oldest first. */
export async function listUsers(db: Connection): Promise<User[]> {
  const rows = await db.query<UserRow>({
    name: 'list_users',
    text: `-- list_users
      SELECT id, email, name, created_at FROM users ORDER BY created_at, id`,
  })
  return rows.map(toUser)
}

/** Serializes servers that start at the same time, until the transaction ends. */
export async function lockBootstrap(db: Connection): Promise<void> {
  await db.query({ text: `SELECT pg_advisory_xact_lock(${BOOTSTRAP})` })
}
