import type { App } from '../app.ts'
import { unavailable } from '../kernel/errors.ts'
import { withTimeout } from '../kernel/promises.ts'
import type { Database } from '../platform/database/database.ts'
import { DatabaseUnavailable } from '../platform/database/database-unavailable.ts'
import { CODE_VERSION } from '../platform/database/migrate/migration-files.ts'
import { incompatibilityReason, readSchemaVersion } from '../platform/database/migrate/schema-version.ts'
import { tryWrite } from '../platform/database/try-write.ts'
import { describeTightestLimit } from './check-server.ts'
import { DECISION_TTL_MS, MAX_LOCKED_MS, READINESS_TIMEOUT_MS, READINESS_TTL_MS } from './limits.ts'
import { DecisionRefused, tryDecisions } from './try-decisions.ts'

/**
 * Rejects with UNAVAILABLE if the service cannot take events. The database must be reachable, have the migrations of this server and
 * none that are too new, accept connections of all pools, accept a write, and allow a claim to be decided. Concurrent and frequent
 * calls share one check.
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
    if (now - lockedSince > MAX_LOCKED_MS)
      throw unavailable('No claim can be decided: other transactions hold locks.')
  }

  const startCheck = () => {
    const started = check().finally(() => {
      running = null
    })
    // The check may fail after its callers have timed out.
    started.catch(() => {})
    return started
  }

  return () => {
    if (shared && performance.now() < sharedUntil) return shared
    running ??= startCheck()
    const result = inTime(running)
    const keep = () => {
      sharedUntil = performance.now() + READINESS_TTL_MS
    }
    shared = result
    sharedUntil = Number.POSITIVE_INFINITY
    result.then(keep, keep)
    return result
  }
}

async function inTime(work: Promise<void>): Promise<void> {
  const isDone = await withTimeout(
    READINESS_TIMEOUT_MS,
    work.then(() => true),
  )
  if (!isDone) throw unavailable('The database takes too long to write.')
}

async function checkReadiness({ db }: App): Promise<void> {
  const schema = await readSchemaVersion(db.checks)
  if (schema.version < CODE_VERSION) throw unavailable('The database lacks migrations of this server.')
  const reason = incompatibilityReason(schema)
  if (reason) throw unavailable(`The database is too new for this server: ${reason}.`)
  await requireConnections(db)
  try {
    await tryWrite(db.checks)
  } catch (error) {
    if (error instanceof DatabaseUnavailable && error.outcome === 'unknown') throw error
    // A full disk, a standby, a read-only or damaged database. The log has PostgreSQL's message.
    throw unavailable(
      'The database accepts no writes now.',
      error instanceof DatabaseUnavailable ? error.cause : error,
    )
  }
}

async function checkDecisions({ db }: App): Promise<boolean> {
  try {
    return await tryDecisions(db.checks)
  } catch (error) {
    if (error instanceof DecisionRefused)
      throw unavailable(`No claim can be decided: ${error.message}.`, error.cause)
    throw error
  }
}

/** The test write uses an open connection, so it would succeed even if other pools get no connection. */
async function requireConnections(db: Database): Promise<void> {
  try {
    await db.requireConnections()
  } catch (error) {
    const limits = await describeTightestLimit(db.checks, db.poolSize)
    throw unavailable(`PostgreSQL gives this server no more connections: ${limits}`, error)
  }
}
