import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { OperatorError } from '../kernel/operator-error.ts'
import { beginLong, IS_OURS, inOneLine, PLAIN_NAME } from './backup-session-store.ts'

/** A table as it goes into a backup. */
export interface BackupTable {
  name: string
  columns: string[]
  /** On the disk, without indexes: about what it will come to. */
  bytes: number
}

/** What the newest things are that a backup holds. */
export interface Contents {
  /** Everything that was acknowledged before is in it. */
  takenAt: Date
  /** The last migration of its tables. */
  migration: number
  /** Version of the server. */
  postgres: string
  claims: number
  /** The newest item of the log of a claim that lives by real time. */
  lastEvent: { at: Date; claim: string; event: string } | null
  lastNotification: { number: string; at: Date } | null
}

export interface Sequence {
  name: string
  last: string
  isCalled: boolean
}

/** The database as it was at one moment. */
export interface Snapshot {
  contents: Contents
  /** A table comes after those to which it refers. */
  tables: BackupTable[]
  /** The rows as COPY writes them. */
  rowsOf: (table: BackupTable) => AsyncGenerator<Buffer>
  /** Read at the end: none is before what is in the tables. */
  readSequences: () => Promise<Sequence[]>
  close: () => Promise<void>
}

/**
 * Left empty in a backup. Who is signed in signs in again: a session that was ended meanwhile must not be there once more.
 * Attempts are counted anew. Migrations are noted by who restores.
 */
export const NOT_BACKED_UP = ['schema_migrations', 'sessions', 'throttles', 'verifications']

/** For so long a database may be silent: then it is lost. */
const SILENCE_MS = 300_000
/** Of rows that are handed on at once. */
const PIECE_BYTES = 256 * 1024
/** Counting claims and looking for the last event may read all of them: at one core, not at each that there is. */
const ONE_CORE = 'SET LOCAL max_parallel_workers_per_gather = 0'
/** A timer may be late by a millisecond or two. */
const SHORTEST_REST_MS = 20
/** A piece that took longer waited for the disk, or for whoever takes it. */
const LONGEST_REST_MS = 250

/**
 * One transaction that sees one moment, however long it is read; it holds nobody up but who would change the tables.
 * @throws OperatorError if the tables are distributed: each machine has moments of its own
 */
export async function openSnapshot(connectionString: string): Promise<Snapshot> {
  const what = 'The database could not be read'
  try {
    const client = await beginSnapshot(connectionString)
    try {
      await client.query(ONE_CORE)
      await requireOneMachine(client)
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
    throw inOneLine(what, error)
  }
}

/** The tables are looked up twice: before they are locked, nobody keeps them as they are. */
async function beginSnapshot(connectionString: string): Promise<pg.Client> {
  const first = await beginLong(connectionString, 'READ ONLY', '')
  const tables = await readTables(first).finally(() => first.end())
  const names = tables.map(({ name }) => name).join(', ')
  return beginLong(
    connectionString,
    'ISOLATION LEVEL REPEATABLE READ READ ONLY',
    `LOCK TABLE ${names} IN ACCESS SHARE MODE`,
  )
}

async function requireOneMachine(client: pg.Client): Promise<void> {
  const { rows } = await client.query("SELECT to_regclass('pg_dist_partition') IS NOT NULL AS has")
  if (!rows[0].has) return
  const found = await client.query("SELECT FROM pg_dist_partition WHERE logicalrelid = 'claims'::regclass")
  if (found.rowCount === 0) return
  throw new OperatorError(
    'The claims are distributed by Citus, whose machines have no moment in common that could be read. Back up each machine by pg_basebackup and its log, with common points by citus_create_restore_point.',
  )
}

async function readTables(client: pg.Client): Promise<BackupTable[]> {
  const { rows } = await client.query<Omit<BackupTable, 'bytes'> & { bytes: string }>(TABLES, [NOT_BACKED_UP])
  const isOdd = ({ name, columns }: { name: string; columns: string[] }) =>
    ![name, ...columns].every((one) => PLAIN_NAME.test(one))
  const odd = rows.find(isOdd)
  if (odd)
    throw new OperatorError(`The table ${JSON.stringify(odd.name)} is none of Claimkeeper’s: move it away.`)
  return rows.map((row) => ({ ...row, bytes: Number(row.bytes) }))
}

/** All that are where ours are: which they are, each version has its own answer to. */
const TABLES = `-- read_tables_to_back_up
  WITH RECURSIVE ours AS (
    SELECT c.oid, relname FROM pg_class c
    WHERE relkind = 'r' AND ${IS_OURS}
  ), depths (oid, depth) AS (
    SELECT oid, 0 FROM ours
    UNION
    SELECT conrelid, depth + 1 FROM depths JOIN pg_constraint ON confrelid = depths.oid AND conrelid <> confrelid
    WHERE contype = 'f' AND depth < 20
  )
  SELECT relname AS name, pg_table_size(oid) AS bytes, ARRAY(
      SELECT attname::text FROM pg_attribute
      WHERE attrelid = oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum
    ) AS columns
  FROM ours JOIN (SELECT oid, max(depth) AS depth FROM depths GROUP BY oid) AS deepest USING (oid)
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

/** Claims on test clocks have events of any time. */
const LAST_EVENT = `-- read_last_event
  SELECT created_at AS at, claim_id AS claim, id AS event FROM claim_events
  WHERE claim_id NOT IN (SELECT id FROM claims WHERE test_clock_id IS NOT NULL)
  ORDER BY created_at DESC, seq DESC LIMIT 1`
const LAST_NOTIFICATION = `-- read_last_notification
  SELECT number, created_at AS at FROM notifications ORDER BY number DESC LIMIT 1`

/**
 * The database works for a backup half of the time at most, so that submissions have the rest: on a machine that is busy a
 * piece takes longer, and so does the rest after it.
 */
async function* rowsOf(client: pg.Client, { name, columns }: BackupTable): AsyncGenerator<Buffer> {
  const rows = client.query(
    copyTo(`COPY ${name} (${columns.join(', ')}) TO STDOUT`, { highWaterMark: PIECE_BYTES }),
  )
  const listen = () =>
    setTimeout(() => rows.destroy(new Error(`no connection: silent for ${SILENCE_MS} ms`)), SILENCE_MS)
  let silence = listen()
  let began = performance.now()
  try {
    for await (const piece of rows) {
      // As long as nobody takes the rows, nothing is expected of the database.
      clearTimeout(silence)
      yield piece
      const workedMs = performance.now() - began
      if (workedMs >= SHORTEST_REST_MS) {
        await pause(Math.min(workedMs, LONGEST_REST_MS))
        began = performance.now()
      }
      silence = listen()
    }
  } catch (error) {
    throw inOneLine(`The table ${name} could not be read`, error)
  } finally {
    clearTimeout(silence)
  }
}

async function readSequences(client: pg.Client): Promise<Sequence[]> {
  const { rows } = await client.query<{ name: string }>(SEQUENCES)
  const sequences: Sequence[] = []
  for (const { name } of rows.filter((row) => PLAIN_NAME.test(row.name))) {
    const found = await client.query(`SELECT last_value, is_called FROM ${name}`)
    sequences.push({ name, last: found.rows[0].last_value, isCalled: found.rows[0].is_called })
  }
  return sequences
}

const SEQUENCES = `-- read_sequences
  SELECT relname AS name FROM pg_class c
  WHERE relkind = 'S' AND ${IS_OURS}
  ORDER BY relname`
