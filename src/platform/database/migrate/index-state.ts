import type { Connection } from '../connection.ts'

type Queries = Pick<Connection, 'query' | 'distribution'>

/** An index that is made while others write. */
export interface IndexState {
  isThere: boolean
  /** On distributed tables only when those of all shards are. */
  isValid: boolean
}

export async function readIndexState(db: Pick<Connection, 'query'>, index: string): Promise<IndexState> {
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
export async function readIndexProgress(db: Queries, index: string): Promise<number> {
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
