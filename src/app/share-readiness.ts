import { setTimeout as pause } from 'node:timers/promises'
import { unavailable } from '../errors.ts'
import type { Database } from '../storage/database/database.ts'
import { DatabaseUnavailable } from '../storage/database/database-unavailable.ts'
import { tryWrite } from '../storage/database/try-write.ts'
import { CODE_VERSION } from '../storage/upgrade/migration-files.ts'
import { readSchemaVersion, whyTooNew } from '../storage/upgrade/schema-version.ts'
import type { App } from './app.ts'
import { describeLimits } from './doctor/check-connections.ts'
import { tryDecisions, Undecidable } from './doctor/try-decisions.ts'

/** For so long it is taken that claims can be decided; a failure is looked at again with the next answer. */
const DECIDABLE_FOR_MS = 10_000
/** For so long others may hold locks that keep claims from being decided. */
const LONGEST_HELD_MS = 30_000
/** An answer is given to whoever asks so soon after, and none is waited for longer, in milliseconds. */
const GOOD_FOR_MS = 2_000
const LONGEST_WAIT_MS = 3_000

/**
 * Whether the service can take events: the database is reachable, migrated as far as this server needs and can, gives connections to all kinds of
 * work, takes a write just now, and lets claims be decided. Rejects with UNAVAILABLE otherwise. Anyone may ask, as often as they like: the database is asked once for all, by one at a time.
 */
export function shareReadiness(app: App): () => Promise<void> {
  let shared: Promise<void> | null = null
  let until = 0
  let underWay: Promise<void> | null = null
  let heldSince: number | null = null
  let decidableUntil = 0

  const look = async () => {
    await checkReadiness(app)
    const now = performance.now()
    if (now < decidableUntil) return
    if (await checkDecisions(app)) {
      heldSince = null
      decidableUntil = now + DECIDABLE_FOR_MS
      return
    }
    heldSince ??= now
    if (now - heldSince > LONGEST_HELD_MS) throw unavailable('No claim can be decided: others hold locks.')
  }

  const check = () => {
    const made = look().finally(() => {
      underWay = null
    })
    // Who waited may have gone by the time that it fails.
    made.catch(() => {})
    return made
  }

  return () => {
    if (shared && performance.now() < until) return shared
    underWay ??= check()
    const answer = withinTime(underWay)
    const keep = () => {
      until = performance.now() + GOOD_FOR_MS
    }
    shared = answer
    until = Number.POSITIVE_INFINITY
    answer.then(keep, keep)
    return answer
  }
}

async function withinTime(work: Promise<void>): Promise<void> {
  const timer = new AbortController()
  const late = pause(LONGEST_WAIT_MS, 'late', { ref: false, signal: timer.signal }).catch(() => 'cancelled')
  try {
    if ((await Promise.race([work, late])) === 'late')
      throw unavailable('The database takes too long to write.')
  } finally {
    timer.abort()
  }
}

async function checkReadiness({ db }: App): Promise<void> {
  const schema = await readSchemaVersion(db.checks)
  if (schema.version < CODE_VERSION) throw unavailable('The database has not all migrations of this server.')
  const why = whyTooNew(schema)
  if (why) throw unavailable(`The database is too new for this server: ${why}.`)
  await requireConnections(db)
  try {
    await tryWrite(db.checks)
  } catch (error) {
    if (error instanceof DatabaseUnavailable && !error.outcomeKnown) throw error
    // A full disk, a standby, a database that is set to be read only, or damaged; the log has its words.
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

/** By its connection the write is made all the same, while other work gets none. */
async function requireConnections(db: Database): Promise<void> {
  try {
    await db.requireConnections()
  } catch (error) {
    const limits = await describeLimits(db.checks, db.poolSize)
    throw unavailable(`PostgreSQL gives this server no more connections: ${limits}`, error)
  }
}
