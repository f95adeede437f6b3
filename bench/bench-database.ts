import pg from 'pg'
import { hashToken, newToken } from '../src/accounts/tokens/api-token.ts'
import { insertApiToken } from '../src/accounts/tokens/api-token-store.ts'
import { insertUser } from '../src/accounts/user-store.ts'
import { openDatabase } from '../src/platform/database/open-database.ts'
import type { Cleanup } from './cleanup.ts'

/** A migrated database with one account and one customer. */
export interface BenchDatabase {
  url: string
  /** A separate connection, for loading and counting. */
  sql: pg.Client
  token: string
  userId: string
  customerId: string
}

/** Prepares an existing, empty database. */
export async function prepareDatabase(
  url: string,
  cleanup: Cleanup,
  { distribute = false } = {},
): Promise<BenchDatabase> {
  const { token, userId } = await migrateAndAddAccount(url, distribute)
  const sql = await connect(url, cleanup)
  const customerId = await addCustomer(sql, userId)
  return { url, sql, token, userId, customerId }
}

async function migrateAndAddAccount(
  databaseUrl: string,
  distribute: boolean,
): Promise<{ token: string; userId: string }> {
  const options = {
    databaseUrl,
    dataDir: '',
    poolSize: 2,
    role: 'command' as const,
    allowUnsafe: false,
    mayCreate: true,
    distribute,
    report: () => {},
    signal: new AbortController().signal,
  }
  const { db, close } = await openDatabase(options)
  const user = await insertUser(db, 'bench@localhost')
  if (!user) throw new Error('the database is not new')
  const token = newToken()
  await insertApiToken(db, {
    userId: user.id,
    name: 'bench',
    hash: hashToken(token),
    expiresAt: null,
    sessionId: null,
    maxActive: null,
  })
  await close()
  return { token, userId: user.id }
}

async function addCustomer(sql: pg.Client, userId: string): Promise<string> {
  const { rows } = await sql.query(
    `INSERT INTO customers (user_id, id, external_id, name, created_at)
     VALUES ($1, gen_random_uuid(), 'bench', 'Bench', now() - interval '1 hour') RETURNING id`,
    [userId],
  )
  return rows[0].id
}

/** Opens a connection that is closed by the clean-up. */
export async function connect(connectionString: string, cleanup: Cleanup): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  // If a statement is still running during the clean-up, the server stops before the connection.
  client.on('error', () => {})
  await client.connect()
  cleanup.add(async () => {
    await Promise.race([client.end(), new Promise((resolve) => setTimeout(resolve, 1_000))])
  })
  return client
}
