import type { App } from '../app.ts'
import { unavailable } from '../kernel/errors.ts'
import { withTimeout } from '../kernel/promises.ts'
import type { Database } from '../platform/database/database.ts'
import { DatabaseUnavailable } from '../platform/database/database-unavailable.ts'
import { CODE_VERSION } from '../platform/database/migrate/migration-files.ts'
import { incompatibilityReason, readSchemaVersion } from '../platform/database/migrate/schema-version.ts'
import { tryWrite } from '../platform/database/try-write.ts'
import { describeTightestLimit } from './check-server.ts'
import { tryDecisions, Undecidable } from './try-decisions.ts'

/** How long a successful decision counts. A failed one is tried again by the next check. */
const DECISION_TTL_MS = 10_000
/** How long others may hold the locks that a decision needs before the server is not ready. */
const MAX_LOCKED_MS = 30_000
/** How long an answer is reused. */
const ANSWER_TTL_MS = 2_000
const CHECK_TIMEOUT_MS = 3_000

/**
 * Whether the service can take events: the database is reachable, has the migrations of this server and none that are too new, gives
 * connections to all kinds of work, takes a write, and lets a claim be decided. Rejects with UNAVAILABLE otherwise. Concurrent and
 * frequent calls share one check.
 */
export function shareReadiness(app: App): () => Promise<void> {
  let shared: Promise<void> | null = null
  let sharedUntil = 0
  let running: Promise<void> | null = null
  let lockedSince: number | null = null
  let decidableUntil = 0

  const check = async () => {
    await checkReadiness(app)
    const now = performance.now()
    if (now < decidableUntil) return
    if (await checkDecisions(app)) {
      lockedSince = null
      decidableUntil = now + DECISION_TTL_MS
      return
    }
    lockedSince ??= now
    if (now - lockedSince > MAX_LOCKED_MS) throw unavailable('No claim can be decided: others hold locks.')
  }

  const startCheck = () => {
    const started = check().finally(() => {
      running = null
    })
    // It may fail after its callers have timed out.
    started.catch(() => {})
    return started
  }

  return () => {
    if (shared && performance.now() < sharedUntil) return shared
    running ??= startCheck()
    const answer = inTime(running)
    const keep = () => {
      sharedUntil = performance.now() + ANSWER_TTL_MS
    }
    shared = answer
    sharedUntil = Number.POSITIVE_INFINITY
    answer.then(keep, keep)
    return answer
  }
}

async function inTime(work: Promise<void>): Promise<void> {
  const isDone = await withTimeout(
    CHECK_TIMEOUT_MS,
    work.then(() => true),
  )
  if (!isDone) throw unavailable('The database takes too long to write.')
}

async function checkReadiness({ db }: App): Promise<void> {
  const schema = await readSchemaVersion(db.checks)
  if (schema.version < CODE_VERSION) throw unavailable('The database has not all migrations of this server.')
  const why = incompatibilityReason(schema)
  if (why) throw unavailable(`The database is too new for this server: ${why}.`)
  await requireConnections(db)
  try {
    await tryWrite(db.checks)
  } catch (error) {
    if (error instanceof DatabaseUnavailable && error.outcome === 'unknown') throw error
    // A full disk, a standby, a read-only or damaged database. The log has PostgreSQL's message.
    throw unavailable(
      'The database takes no writes now.',
      error instanceof DatabaseUnavailable ? error.cause : error,
    )
  }
}

async function checkDecisions({ db }: App): Promise<boolean> {
  try {
    return await tryDecisions(db.checks)
  } catch (error) {
    if (error instanceof Undecidable)
      throw unavailable(`No claim can be decided: ${error.message}.`, error.cause)
    throw error
  }
}

/** The write uses a connection that the server already has, so it succeeds while other work gets no connection. */
async function requireConnections(db: Database): Promise<void> {
  try {
    await db.requireConnections()
  } catch (error) {
    const limits = await describeTightestLimit(db.checks, db.poolSize)
    throw unavailable(`PostgreSQL gives this server no more connections: ${limits}`, error)
  }
}
