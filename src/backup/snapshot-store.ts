import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { OperatorError } from '../kernel/operator-error.ts'
import {
  beginWithoutTimeout,
  IS_IN_SERVICE_SCHEMA,
  toOperatorError,
  UNQUOTED_IDENTIFIER,
} from './backup-session-store.ts'
import { COPY_CHUNK_BYTES, MAX_PAUSE_MS, MAX_SILENCE_MS, MIN_PAUSE_MS } from './limits.ts'

/** A table of a backup. */
export interface BackupTable {
  name: string
  columns: string[]
  /** The size on the disk without indexes, an estimate of the size of its rows. */
  bytes: number
}

/** The state of the data in a backup. */
export interface Contents {
  /** The backup contains everything that was acknowledged before this time. */
  takenAt: Date
  /** The last migration of its tables. */
  migration: number
  /** Version of the PostgreSQL server. */
  postgres: string
  claims: number
  /** The newest item of the log of a claim without a test clock. */
  lastEvent: { at: Date; claim: string; event: string } | null
  lastNotification: { number: string; at: Date } | null
}

export interface Sequence {
  name: string
  last: string
  isCalled: boolean
}

/** The database at one moment. */
export interface Snapshot {
  contents: Contents
  /** A table comes after the tables that it references. */
  tables: BackupTable[]
  /** The rows in the text format of COPY. */
  rowsOf: (table: BackupTable) => AsyncGenerator<Buffer>
  /** Call it after the rows: sequences are not part of the snapshot, and must not be behind the rows. */
  readSequences: () => Promise<Sequence[]>
  close: () => Promise<void>
}

/**
 * Tables that a backup leaves empty. A restored session could be one that was ended after the backup, so people sign in again.
 * Attempts are counted from zero. The restoration records its own migrations.
 */
export const NOT_BACKED_UP = ['schema_migrations', 'sessions', 'throttles', 'verifications']

/** Counting claims and finding the last event may read whole tables. They must not take all cores. */
const ONE_CORE = 'SET LOCAL max_parallel_workers_per_gather = 0'

/**
 * Opens one read-only transaction with one snapshot. It blocks only changes of the schema.
 * @throws OperatorError if the tables are distributed: the nodes have no common snapshot
 */
export async function openSnapshot(connectionString: string): Promise<Snapshot> {
  try {
    const client = await beginSnapshot(connectionString)
    try {
      await client.query(ONE_CORE)
      await requireOneNode(client)
      const tables = await readTables(client)
      return {
        contents: await readContents(client, tables),
        tables,
        rowsOf: (table) => rowsOf(client, table),
        readSequences: () => readSequences(client),
        close: () => client.end(),
      }
    } catch (error) {
      await client.end()
      throw error
    }
  } catch (error) {
    throw toOperatorError('The database could not be read', error)
  }
}

/** Reads the tables before it locks them. The caller reads them again, because they may change before the lock. */
async function beginSnapshot(connectionString: string): Promise<pg.Client> {
  const first = await beginWithoutTimeout(connectionString, 'READ ONLY', '')
  const tables = await readTables(first).finally(() => first.end())
  const names = tables.map(({ name }) => name).join(', ')
  return beginWithoutTimeout(
    connectionString,
    'ISOLATION LEVEL REPEATABLE READ READ ONLY',
    `LOCK TABLE ${names} IN ACCESS SHARE MODE`,
  )
}

async function requireOneNode(client: pg.Client): Promise<void> {
  const { rows } = await client.query("SELECT to_regclass('pg_dist_partition') IS NOT NULL AS has")
  if (!rows[0].has) return
  const found = await client.query("SELECT FROM pg_dist_partition WHERE logicalrelid = 'claims'::regclass")
  if (found.rowCount === 0) return
  throw new OperatorError(
    'The claims are distributed by Citus, whose nodes have no common snapshot. Back up each node by pg_basebackup and its WAL, with common restore points by citus_create_restore_point.',
  )
}

async function readTables(client: pg.Client): Promise<BackupTable[]> {
  const { rows } = await client.query<Omit<BackupTable, 'bytes'> & { bytes: string }>(TABLES, [NOT_BACKED_UP])
  const needsQuotes = ({ name, columns }: { name: string; columns: string[] }) =>
    ![name, ...columns].every((identifier) => UNQUOTED_IDENTIFIER.test(identifier))
  const foreign = rows.find(needsQuotes)
  if (foreign)
    throw new OperatorError(
      `The table ${JSON.stringify(foreign.name)} is not a table of Claimkeeper: move it to another schema.`,
    )
  return rows.map((row) => ({ ...row, bytes: Number(row.bytes) }))
}

/** All tables of the schema: each version of Claimkeeper has other tables. */
const TABLES = `-- read_tables_to_back_up
  WITH RECURSIVE own AS (
    SELECT c.oid, relname FROM pg_class c
    WHERE relkind = 'r' AND ${IS_IN_SERVICE_SCHEMA}
  ), depths (oid, depth) AS (
    SELECT oid, 0 FROM own
    UNION
    SELECT conrelid, depth + 1 FROM depths JOIN pg_constraint ON confrelid = depths.oid AND conrelid <> confrelid
    WHERE contype = 'f' AND depth < 20
  )
  SELECT relname AS name, pg_table_size(oid) AS bytes, ARRAY(
      SELECT attname::text FROM pg_attribute
      WHERE attrelid = oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum
    ) AS columns
  FROM own JOIN (SELECT oid, max(depth) AS depth FROM depths GROUP BY oid) AS deepest USING (oid)
  WHERE relname <> ALL ($1) ORDER BY depth, relname`

async function readContents(client: pg.Client, tables: BackupTable[]): Promise<Contents> {
  const { rows } = await client.query(`-- read_contents
    SELECT date_trunc('milliseconds', now()) AS taken_at, current_setting('server_version') AS postgres,
      (SELECT max(version) FROM schema_migrations) AS migration, (SELECT count(*) FROM claims) AS claims`)
  const [{ taken_at: takenAt, postgres, migration, claims }] = rows
  const hasFeed = tables.some(({ name }) => name === 'notifications')
  return {
    takenAt,
    migration,
    postgres,
    claims: Number(claims),
    lastEvent: (await client.query(LAST_EVENT)).rows[0] ?? null,
    lastNotification: hasFeed ? ((await client.query(LAST_NOTIFICATION)).rows[0] ?? null) : null,
  }
}

/** Without claims on test clocks, whose events may have any time. */
const LAST_EVENT = `-- read_last_event
  SELECT created_at AS at, claim_id AS claim, id AS event FROM claim_events
  WHERE claim_id NOT IN (SELECT id FROM claims WHERE test_clock_id IS NOT NULL)
  ORDER BY created_at DESC, seq DESC LIMIT 1`
const LAST_NOTIFICATION = `-- read_last_notification
  SELECT number, created_at AS at FROM notifications ORDER BY number DESC LIMIT 1`

/**
 * Pauses after a chunk for as long as the chunk took, so that the database works for the backup at most half of the time. On a busy
 * machine a chunk and the pause after it take longer.
 */
async function* rowsOf(client: pg.Client, { name, columns }: BackupTable): AsyncGenerator<Buffer> {
  const rows = client.query(
    copyTo(`COPY ${name} (${columns.join(', ')}) TO STDOUT`, { highWaterMark: COPY_CHUNK_BYTES }),
  )
  const startTimer = () =>
    setTimeout(
      () => rows.destroy(new Error(`no connection: the database sent nothing for ${MAX_SILENCE_MS} ms`)),
      MAX_SILENCE_MS,
    )
  let timer = startTimer()
  let startedAt = performance.now()
  try {
    for await (const chunk of rows) {
      // While the caller handles the chunk, the database need not send anything.
      clearTimeout(timer)
      yield chunk
      const workedMs = performance.now() - startedAt
      if (workedMs >= MIN_PAUSE_MS) {
        await pause(Math.min(workedMs, MAX_PAUSE_MS))
        startedAt = performance.now()
      }
      timer = startTimer()
    }
  } catch (error) {
    throw toOperatorError(`The table ${name} could not be read`, error)
  } finally {
    clearTimeout(timer)
  }
}

async function readSequences(client: pg.Client): Promise<Sequence[]> {
  const { rows } = await client.query<{ name: string }>(SEQUENCES)
  const sequences: Sequence[] = []
  for (const { name } of rows.filter((row) => UNQUOTED_IDENTIFIER.test(row.name))) {
    const found = await client.query(`SELECT last_value, is_called FROM ${name}`)
    sequences.push({ name, last: found.rows[0].last_value, isCalled: found.rows[0].is_called })
  }
  return sequences
}

const SEQUENCES = `-- read_sequences
  SELECT relname AS name FROM pg_class c
  WHERE relkind = 'S' AND ${IS_IN_SERVICE_SCHEMA}
  ORDER BY relname`
