import pg from 'pg'
import type { ListName } from '../../src/platform/database/lists/list-page.ts'
import { isOnCitus, urlsOfDatabase } from './database-nodes.ts'
import { eventually } from './eventually.ts'
import type { Scope } from './test-database.ts'
import type { TestService } from './test-service.ts'

export interface HeldRows {
  /** Resolves when this number of the service's statements wait for the rows. */
  untilStatementsWait: (statements?: number) => Promise<unknown>
  /** Resolves when a statement waits that was sent later than those that wait now. */
  untilNewStatementWaits: () => Promise<unknown>
  /** Runs SQL in the transaction that holds the rows. */
  run: (sql: string, values: unknown[]) => Promise<unknown>
  /** Ends the transaction. */
  release: () => Promise<void>
}

/** Locks the rows of claims on a connection of the test, so that the service cannot write to them. */
export async function holdClaims(t: Scope, databaseUrl: string, ids: readonly string[]): Promise<HeldRows> {
  const [first, ...others] = ids.toSorted()
  // One by one: distributed tables cannot lock rows of several shards in one statement.
  const held = await holdBy(t, databaseUrl, HOLD_CLAIM, [first])
  for (const id of others) await held.run(HOLD_CLAIM, [id])
  return held
}

const HOLD_CLAIM = 'SELECT 1 FROM claims WHERE id = $1 FOR UPDATE'

/** Blocks creations by a lock of the table of claims; on distributed tables, by the insert barriers of all accounts. */
export const holdCreations = (t: Scope, databaseUrl: string): Promise<HeldRows> =>
  holdBy(t, databaseUrl, isOnCitus() ? HOLD_INSERT_BARRIERS : 'LOCK TABLE claims IN EXCLUSIVE MODE', [])

const HOLD_INSERT_BARRIERS = "SELECT pg_advisory_xact_lock(hashtext('claims'), hashtext(id::text)) FROM users"

/** Locks the table of claims against reads. */
export const holdReads = (t: Scope, databaseUrl: string): Promise<HeldRows> =>
  holdBy(t, databaseUrl, 'LOCK TABLE claims', [])

/** Locks the table of schemas, so that their contracts cannot be read. */
export const holdSchemas = (t: Scope, databaseUrl: string): Promise<HeldRows> =>
  holdBy(t, databaseUrl, 'LOCK TABLE claim_schemas', [])

/** Locks the table of webhook endpoints, so that servers cannot poll it. */
export const holdWebhookEndpoints = (t: Scope, databaseUrl: string): Promise<HeldRows> =>
  holdBy(t, databaseUrl, 'LOCK TABLE webhook_endpoints', [])

/** Locks the table of tokens, so that no token can be looked up. */
export const holdTokens = (t: Scope, databaseUrl: string): Promise<HeldRows> =>
  holdBy(t, databaseUrl, 'LOCK TABLE api_tokens', [])

/** Locks the row of a test clock, as an advance does. */
export const holdClock = (t: Scope, databaseUrl: string, id: string): Promise<HeldRows> =>
  holdBy(t, databaseUrl, 'SELECT 1 FROM test_clocks WHERE id = $1 FOR UPDATE', [id])

/** Locks the rows of all contracts. */
export const holdContracts = (t: Scope, databaseUrl: string): Promise<HeldRows> =>
  holdBy(t, databaseUrl, 'SELECT 1 FROM contracts FOR UPDATE', [])

/** Holds an account's insert barrier as a reader of one of its lists does. */
export const holdInsertBarrier = (
  t: Scope,
  databaseUrl: string,
  list: ListName,
  userId: string,
): Promise<HeldRows> =>
  holdBy(t, databaseUrl, 'SELECT pg_advisory_xact_lock(hashtext($1), hashtext($2))', [list, userId])

/** Locks the table of migrations, so that the migration state cannot be read. */
export const holdMigrations = (t: Scope, databaseUrl: string): Promise<HeldRows> =>
  holdBy(t, databaseUrl, 'LOCK TABLE schema_migrations', [])

/** Holds the locks of the statement. */
export async function holdBy(
  t: Scope,
  databaseUrl: string,
  sql: string,
  values: unknown[],
): Promise<HeldRows> {
  const client = await connectTo(databaseUrl)
  // Waits in a shard are visible on its node.
  const watchers = await Promise.all(urlsOfDatabase(databaseUrl).map(connectTo))
  await client.query('BEGIN')
  await client.query(sql, values)
  let ended = false
  const release = async () => {
    if (ended) return
    ended = true
    await client.query('COMMIT').catch(() => {})
    await Promise.all([client, ...watchers].map((connection) => connection.end()))
  }
  t.after(release)
  const waiting = async () => {
    const found = await Promise.all(watchers.map((watcher) => watcher.query<{ since: Date }>(WAITING)))
    const since = found.flatMap(({ rows }) => rows.map((row) => row.since.getTime()))
    return { count: since.length, last: Math.max(...since) }
  }
  return {
    untilStatementsWait: (statements = 1) => eventually(async () => (await waiting()).count >= statements),
    untilNewStatementWaits: async () => {
      const { last } = await waiting()
      return eventually(async () => (await waiting()).last > last)
    },
    run: (statement, parameters) => client.query(statement, parameters),
    release,
  }
}

/** Resolves when a statement on the service's database waits for a lock. */
export const waitsForLock = (sql: TestService['sql']) =>
  eventually(async () => (await sql(WAITING)).length > 0)

const WAITING = `SELECT query_start AS since FROM pg_stat_activity
  WHERE wait_event_type = 'Lock' AND datname = current_database()`

async function connectTo(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  // The test's database may be dropped during the connection.
  client.on('error', () => {})
  await client.connect()
  return client
}
