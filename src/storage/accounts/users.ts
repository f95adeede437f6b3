import { v7 as uuidv7 } from 'uuid'
import type { Account, ExpectedVersions, User, Versioned } from '../../domain/records.ts'
import { BOOTSTRAP } from '../database/advisory-locks.ts'
import { NOW } from '../database/clock.ts'
import type { Connection } from '../database/connection.ts'
import { isExpected, versionOf } from '../record-version.ts'

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

/** Stores a new account; null if one has this email (in any case of letters). */
export async function insertUser(
  db: Connection,
  email: string,
  name: string | null = null,
): Promise<User | null> {
  const [row] = await db.query<UserRow>({
    name: 'insert_user',
    text: `-- insert_user
      INSERT INTO users (id, email, name, created_at)
      VALUES ($1, lower($2), $3, ${NOW})
      ON CONFLICT ((lower(email))) DO NOTHING
      RETURNING id, email, name, created_at`,
    values: [uuidv7(), email, name],
  })
  return row ? toUser(row) : null
}

type AccountRow = Versioned<UserRow & { currency: string | null }>

/** Of what can change. */
const VERSION = versionOf('email', 'name', 'currency')
const ACCOUNT_COLUMNS = `id, email, name, created_at, currency, ${VERSION} AS version`

const toAccount = (row: AccountRow): Versioned<Account> => ({
  ...toUser(row),
  currency: row.currency,
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

/** Null if it is of none of the versions that are expected. */
export async function setCurrency(
  db: Connection,
  id: string,
  currency: string | null,
  expected: ExpectedVersions,
): Promise<Versioned<Account> | null> {
  const [row] = await db.query<AccountRow>({
    name: 'set_currency',
    text: `-- set_currency
      UPDATE users SET currency = $2 WHERE id = $1 AND ${isExpected(VERSION, '$3')} RETURNING ${ACCOUNT_COLUMNS}`,
    values: [id, currency, expected],
  })
  return row ? toAccount(row) : null
}

export async function findUserByEmail(db: Connection, email: string): Promise<User | null> {
  const [row] = await db.query<UserRow>({
    name: 'find_user_by_email',
    text: `-- find_user_by_email
      SELECT id, email, name, created_at FROM users WHERE lower(email) = lower($1)`,
    values: [email],
  })
  return row ? toUser(row) : null
}

const UNIQUE_VIOLATION = '23505'

/** Gives the account another email and name; null if another has the email: then end the transaction. */
export async function renameUser(
  db: Connection,
  { id, email, name }: Pick<User, 'id' | 'email' | 'name'>,
): Promise<User | null> {
  try {
    const [row] = await db.query<UserRow>({
      name: 'rename_user',
      text: `-- rename_user
        UPDATE users SET email = lower($2), name = $3, updated_at = clock_timestamp() WHERE id = $1
        RETURNING id, email, name, created_at`,
      values: [id, email, name],
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

/** Servers that start together on an empty database take turns here. Until the transaction ends. */
export async function takeBootstrapTurn(db: Connection): Promise<void> {
  await db.query({ text: `SELECT pg_advisory_xact_lock(${BOOTSTRAP})` })
}
