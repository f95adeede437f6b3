import { OperatorError } from '../../../kernel/operator-error.ts'
import { BACKGROUND_MIGRATIONS } from '../advisory-locks.ts'
import type { Connection } from '../connection.ts'
import type { PooledConnection } from '../pool/pooled-connection.ts'
import { type IndexStatement, type Migration, OWN_MIGRATIONS } from './migration-files.ts'

export interface BackgroundState {
  /** The number of migrations that are not done. */
  left: number
  /** The running or next migration; null if this code does not know it. */
  name: string | null
  /** The completed part of that migration, from 0 to 1. */
  progress: number
}

/** The numbers of recorded migrations that are not done, including migrations that this code does not know. */
async function listPending(db: Pick<Connection, 'query'>): Promise<number[]> {
  const rows = await db.query<{ version: number }>({
    text: `-- list_waiting_migrations
      SELECT version FROM schema_migrations WHERE NOT is_done ORDER BY version`,
    readOnly: true,
  })
  return rows.map(({ version }) => version)
}

/** The first pending migration that this code knows. */
const nextKnown = (pending: readonly number[], migrations: readonly Migration[]): Migration | undefined =>
  migrations.find(({ version }) => pending.includes(version))

/**
 * Runs the pending migrations one after another while the service works. The connection that builds the indexes
 * holds an advisory lock. If its server dies, another server begins only after PostgreSQL has ended the statement. That server
 * keeps a complete index and rebuilds an incomplete one.
 * @param db without a statement timeout
 * @returns false if another server holds the lock
 */
export function runPending(db: PooledConnection, migrations = OWN_MIGRATIONS): Promise<boolean> {
  return db.withConnection(async (connection) => {
    const [lock] = await connection.query<{ isAcquired: boolean }>({
      text: `SELECT pg_try_advisory_lock(${BACKGROUND_MIGRATIONS}) AS "isAcquired"`,
    })
    if (!lock?.isAcquired) return false
    try {
      for (;;) {
        const next = nextKnown(await listPending(connection), migrations)
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
  for (const statement of migration.background ?? []) await execute(connection, statement)
  await connection.query({
    text: 'UPDATE schema_migrations SET is_done = true, applied_at = clock_timestamp() WHERE version = $1',
    values: [migration.version],
  })
}

async function execute(connection: Connection, { text, index, isCreate }: IndexStatement): Promise<void> {
  if (!isCreate) return void (await connection.query({ text }))
  const { exists, isValid } = await readIndexState(connection, index)
  if (isValid) return
  // A killed build leaves an invalid index, which PostgreSQL maintains and never reads.
  if (exists) await connection.query({ text: `DROP INDEX CONCURRENTLY IF EXISTS ${index}` })
  await connection.query({ text })
}

/** The progress of the pending migrations, on any server; null if none is pending. */
export async function readBackgroundState(
  db: Pick<Connection, 'query' | 'distribution'>,
  migrations = OWN_MIGRATIONS,
): Promise<BackgroundState | null> {
  const pending = await listPending(db)
  if (pending.length === 0) return null
  const next = nextKnown(pending, migrations)
  return { left: pending.length, name: next?.name ?? null, progress: next ? await readProgress(db, next) : 0 }
}

async function readProgress(
  db: Pick<Connection, 'query' | 'distribution'>,
  migration: Migration,
): Promise<number> {
  const createStatements = (migration.background ?? []).filter(({ isCreate }) => isCreate)
  let sum = 0
  for (const { index } of createStatements) sum += await readIndexProgress(db, index)
  return createStatements.length === 0 ? 0 : sum / createStatements.length
}

type Queries = Pick<Connection, 'query' | 'distribution'>

interface IndexState {
  exists: boolean
  /** On distributed tables true only if the index of each shard is valid. */
  isValid: boolean
}

async function readIndexState(db: Pick<Connection, 'query'>, index: string): Promise<IndexState> {
  const [row] = await db.query<{ isValid: boolean }>({
    text: `-- read_index_state
      SELECT indisvalid AND indisready AS "isValid" FROM pg_index WHERE indexrelid = to_regclass($1)`,
    values: [index],
    readOnly: true,
  })
  return { exists: row !== undefined, isValid: row?.isValid === true }
}

/** The phases of CREATE INDEX CONCURRENTLY, with the approximate progress at their start and end. */
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

/** The completed part of an index, from 0 to 1. */
async function readIndexProgress(db: Queries, index: string): Promise<number> {
  const { exists, isValid } = await readIndexState(db, index)
  if (isValid) return 1
  if (!exists) return 0
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

/** Citus builds the indexes of the shards one after another. */
async function readShardsDone(db: Queries, index: string): Promise<number> {
  const rows = await db.query<{ result: string }>({
    text: `-- read_shards_with_index
      SELECT result FROM run_command_on_all_nodes(format(
        'SELECT count(*) FROM pg_index JOIN pg_class ON oid = indexrelid WHERE indisvalid AND relname ~ %L',
        '^' || $1::text || '_[0-9]+$'))`,
    values: [index],
    readOnly: true,
  })
  const valid = rows.reduce((sum, { result }) => sum + (Number(result) || 0), 0)
  return Math.min(1, valid / db.distribution.shards)
}
