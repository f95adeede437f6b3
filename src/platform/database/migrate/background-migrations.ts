import { OperatorError } from '../../../kernel/operator-error.ts'
import { BACKGROUND_MIGRATIONS } from '../advisory-locks.ts'
import type { Connection } from '../connection.ts'
import type { Borrower } from '../pool/borrower.ts'
import type { IndexStatement } from './background-statements.ts'
import { readIndexProgress, readIndexState } from './index-state.ts'
import { type Migration, OWN_MIGRATIONS } from './migration-files.ts'

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
export function runWaiting(db: Borrower, migrations = OWN_MIGRATIONS): Promise<boolean> {
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
