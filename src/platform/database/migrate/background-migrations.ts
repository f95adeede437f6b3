import { OperatorError } from '../../../kernel/operator-error.ts'
import { BACKGROUND_MIGRATIONS } from '../advisory-locks.ts'
import type { Connection } from '../connection.ts'
import type { PooledConnection } from '../pool/pooled-connection.ts'
import { type IndexStatement, type Migration, OWN_MIGRATIONS } from './migration-files.ts'

/** How it goes with what runs in the background. */
export interface BackgroundState {
  /** Migrations that are not done. */
  left: number
  /** The one that is on, or will be next; null if this code does not know it. */
  name: string | null
  /** How much of that one is done, from 0 to 1. */
  progress: number
}

/** Those that are announced and not done, by their numbers; also such as this code does not know. */
async function listWaiting(db: Pick<Connection, 'query'>): Promise<number[]> {
  const rows = await db.query<{ version: number }>({
    text: `-- list_waiting_migrations
      SELECT version FROM schema_migrations WHERE NOT is_done ORDER BY version`,
    readOnly: true,
  })
  return rows.map(({ version }) => version)
}

/** The first of these that this code knows. */
const nextKnown = (waiting: readonly number[], migrations: readonly Migration[]): Migration | undefined =>
  migrations.find(({ version }) => waiting.includes(version))

/**
 * Runs those that wait, one statement after the other, while the service works. One server at a time: the connection that builds
 * has the lock, so even if its server dies, nobody else begins before PostgreSQL has ended what it was building. What it left
 * is made use of if it is whole, and made again if not.
 * @param db of statements that may take as long as they need
 * @returns false if another server is at it
 */
export function runWaiting(db: PooledConnection, migrations = OWN_MIGRATIONS): Promise<boolean> {
  return db.withConnection(async (connection) => {
    const [lock] = await connection.query<{ isOurs: boolean }>({
      text: `SELECT pg_try_advisory_lock(${BACKGROUND_MIGRATIONS}) AS "isOurs"`,
    })
    if (!lock?.isOurs) return false
    try {
      for (;;) {
        const next = nextKnown(await listWaiting(connection), migrations)
        if (!next) return true
        await run(connection, next).catch((error) => {
          throw new OperatorError(`${next.name} could not be run in the background: ${error.message}`, {
            cause: error,
          })
        })
      }
    } finally {
      // If this fails, the connection is gone, and the lock with it.
      await connection.query({ text: `SELECT pg_advisory_unlock(${BACKGROUND_MIGRATIONS})` }).catch(() => {})
    }
  })
}

async function run(connection: Connection, migration: Migration): Promise<void> {
  for (const statement of migration.background ?? []) await carryOut(connection, statement)
  await connection.query({
    text: 'UPDATE schema_migrations SET is_done = true, applied_at = clock_timestamp() WHERE version = $1',
    values: [migration.version],
  })
}

async function carryOut(connection: Connection, { text, index, isMade }: IndexStatement): Promise<void> {
  if (!isMade) return void (await connection.query({ text }))
  const { isThere, isValid } = await readIndexState(connection, index)
  if (isValid) return
  // Who was killed left it: PostgreSQL keeps it up to date, and never reads it. Of its shards some may have none.
  if (isThere) await connection.query({ text: `DROP INDEX CONCURRENTLY IF EXISTS ${index}` })
  await connection.query({ text })
}

/** How it goes with those that wait, whichever server runs them; null if none is left. */
export async function readBackgroundState(
  db: Pick<Connection, 'query' | 'distribution'>,
  migrations = OWN_MIGRATIONS,
): Promise<BackgroundState | null> {
  const waiting = await listWaiting(db)
  if (waiting.length === 0) return null
  const next = nextKnown(waiting, migrations)
  return { left: waiting.length, name: next?.name ?? null, progress: next ? await readProgress(db, next) : 0 }
}

async function readProgress(
  db: Pick<Connection, 'query' | 'distribution'>,
  migration: Migration,
): Promise<number> {
  const made = (migration.background ?? []).filter(({ isMade }) => isMade)
  let sum = 0
  for (const { index } of made) sum += await readIndexProgress(db, index)
  return made.length === 0 ? 0 : sum / made.length
}

type Queries = Pick<Connection, 'query' | 'distribution'>

/** An index that is made while others write. */
interface IndexState {
  isThere: boolean
  /** On distributed tables only when those of all shards are. */
  isValid: boolean
}

async function readIndexState(db: Pick<Connection, 'query'>, index: string): Promise<IndexState> {
  const [row] = await db.query<{ isValid: boolean }>({
    text: `-- read_index_state
      SELECT indisvalid AND indisready AS "isValid" FROM pg_index WHERE indexrelid = to_regclass($1)`,
    values: [index],
    readOnly: true,
  })
  return { isThere: row !== undefined, isValid: row?.isValid === true }
}

/** What PostgreSQL is doing to make an index, and from where to where of the whole it takes us, roughly. */
const PHASES: Readonly<Record<string, readonly [number, number]>> = {
  initializing: [0, 0],
  'waiting for writers before build': [0, 0],
  'building index': [0, 0],
  'building index: scanning table': [0, 0.45],
  'building index: sorting live tuples': [0.45, 0.45],
  'building index: loading tuples in tree': [0.45, 0.65],
  'waiting for writers before validation': [0.65, 0.65],
  'index validation: scanning index': [0.65, 0.7],
  'index validation: sorting tuples': [0.7, 0.7],
  'index validation: scanning table': [0.7, 0.99],
  'waiting for old snapshots': [0.99, 0.99],
}

/** How much of an index is made, from 0 to 1. */
async function readIndexProgress(db: Queries, index: string): Promise<number> {
  const { isThere, isValid } = await readIndexState(db, index)
  if (isValid) return 1
  if (!isThere) return 0
  return db.distribution.isOn ? readShardsDone(db, index) : readPhase(db, index)
}

async function readPhase(db: Queries, index: string): Promise<number> {
  const [row] = await db.query<{ phase: string; blocks: number | null; tuples: number | null }>({
    text: `-- read_index_phase
      SELECT phase, blocks_done::float8 / nullif(blocks_total, 0) AS blocks,
        tuples_done::float8 / nullif(tuples_total, 0) AS tuples
      FROM pg_stat_progress_create_index WHERE index_relid = to_regclass($1)`,
    values: [index],
    readOnly: true,
  })
  if (!row) return 0
  const [from, to] = PHASES[row.phase] ?? [0, 0]
  const part = (row.phase.includes('tuples in tree') ? row.tuples : row.blocks) ?? 0
  return from + (to - from) * Math.min(1, part)
}

/** Citus makes those of the shards one after the other. */
async function readShardsDone(db: Queries, index: string): Promise<number> {
  const rows = await db.query<{ result: string }>({
    text: `-- read_shards_with_index
      SELECT result FROM run_command_on_all_nodes(format(
        'SELECT count(*) FROM pg_index JOIN pg_class ON oid = indexrelid WHERE indisvalid AND relname ~ %L',
        '^' || $1::text || '_[0-9]+$'))`,
    values: [index],
    readOnly: true,
  })
  const done = rows.reduce((sum, { result }) => sum + (Number(result) || 0), 0)
  return Math.min(1, done / db.distribution.shards)
}
