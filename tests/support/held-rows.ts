import pg from 'pg'
import type { ListName } from '../../src/platform/database/lists/list-page.ts'
import { isOnCitus, urlsOfDatabase } from './database-nodes.ts'
import { eventually } from './eventually.ts'
import type { Scope } from './test-database.ts'
import type { TestService } from './test-service.ts'

export interface HeldRows {
  /** Resolves when a statement of the service waits for the rows: as many as are given. */
  keepWaiting: (statements?: number) => Promise<unknown>
  /** Resolves when one waits that was sent later than those that wait now. */
  keepWaitingAnew: () => Promise<unknown>
  /** Changes something in the transaction that holds the rows. */
  run: (sql: string, values: unknown[]) => Promise<unknown>
  letGo: () => Promise<void>
}

/** Locks the claims' rows from a connection of the test's own, so that nothing can be written to them. */
export async function holdClaims(t: Scope, databaseUrl: string, ids: readonly string[]): Promise<HeldRows> {
  const [first, ...others] = ids.toSorted()
  // One by one: distributed tables have no such lock over several shards.
  const held = await holdBy(t, databaseUrl, HOLD_CLAIM, [first])
  for (const id of others) await held.run(HOLD_CLAIM, [id])
  return held
}

const HOLD_CLAIM = 'SELECT 1 FROM claims WHERE id = $1 FOR UPDATE'

/** Locks what each creation needs: the table of claims, or where that is distributed the insert barriers of all users. */
export const holdCreations = (t: Scope, databaseUrl: string): Promise<HeldRows> =>
  holdBy(t, databaseUrl, isOnCitus() ? HOLD_INSERT_BARRIERS : 'LOCK TABLE claims IN EXCLUSIVE MODE', [])

const HOLD_INSERT_BARRIERS = "SELECT pg_advisory_xact_lock(hashtext('claims'), hashtext(id::text)) FROM users"

/** Locks the table of claims, so that nothing of it can be read. */
export const holdReads = (t: Scope, databaseUrl: string): Promise<HeldRows> =>
  holdBy(t, databaseUrl, 'LOCK TABLE claims', [])

/** Locks the table of schemas, so that no contract can be read from one. */
export const holdSchemas = (t: Scope, databaseUrl: string): Promise<HeldRows> =>
  holdBy(t, databaseUrl, 'LOCK TABLE claim_schemas', [])

/** Locks the table of webhook endpoints, so that nobody can look for some. */
export const holdWebhookEndpoints = (t: Scope, databaseUrl: string): Promise<HeldRows> =>
  holdBy(t, databaseUrl, 'LOCK TABLE webhook_endpoints', [])

/** Locks the table of tokens, so that it cannot be asked whose one is. */
export const holdTokens = (t: Scope, databaseUrl: string): Promise<HeldRows> =>
  holdBy(t, databaseUrl, 'LOCK TABLE api_tokens', [])

/** Locks a test clock's row, as an advance does for as long as it runs. */
export const holdClock = (t: Scope, databaseUrl: string, id: string): Promise<HeldRows> =>
  holdBy(t, databaseUrl, 'SELECT 1 FROM test_clocks WHERE id = $1 FOR UPDATE', [id])

/** Locks all contracts' rows. */
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

/** Locks the table of migrations, so that it cannot be asked how far the database is. */
export const holdMigrations = (t: Scope, databaseUrl: string): Promise<HeldRows> =>
  holdBy(t, databaseUrl, 'LOCK TABLE schema_migrations', [])

/** Holds what the statement locks. */
export async function holdBy(
  t: Scope,
  databaseUrl: string,
  sql: string,
  values: unknown[],
): Promise<HeldRows> {
  const client = await connectTo(databaseUrl)
  // What is held in a shard is waited for on its machine.
  const watchers = await Promise.all(urlsOfDatabase(databaseUrl).map(connectTo))
  await client.query('BEGIN')
  await client.query(sql, values)
  let ended = false
  const letGo = async () => {
    if (ended) return
    ended = true
    await client.query('COMMIT').catch(() => {})
    await Promise.all([client, ...watchers].map((one) => one.end()))
  }
  t.after(letGo)
  const waiting = async () => {
    const found = await Promise.all(watchers.map((watcher) => watcher.query<{ since: Date }>(WAITING)))
    const since = found.flatMap(({ rows }) => rows.map((row) => row.since.getTime()))
    return { count: since.length, last: Math.max(...since) }
  }
  return {
    keepWaiting: (statements = 1) => eventually(async () => (await waiting()).count >= statements),
    keepWaitingAnew: async () => {
      const { last } = await waiting()
      return eventually(async () => (await waiting()).last > last)
    },
    run: (statement, parameters) => client.query(statement, parameters),
    letGo,
  }
}

/** Resolves when a statement on the service's database waits for a lock. */
export const waitsForLock = (sql: TestService['sql']) =>
  eventually(async () => (await sql(WAITING)).length > 0)

const WAITING = `SELECT query_start AS since FROM pg_stat_activity
  WHERE wait_event_type = 'Lock' AND datname = current_database()`

async function connectTo(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  // The test's database may be dropped under it.
  client.on('error', () => {})
  await client.connect()
  return client
}
