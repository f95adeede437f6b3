import { setTimeout as pause } from 'node:timers/promises'
import type { App } from '../app.ts'
import { checkAtOrAfter, checksBefore } from '../core/claims/check-time.ts'
import { readClock } from '../platform/database/clock.ts'

/** A host's clock that runs ahead of the database's by no more than this is waited for. */
const TOLERATED_LEAD_MS = 5_000

/**
 * The time of the scheduled check that is on now: the whole minute that has begun, by the database's clock.
 * If the host's clock rings a little before the database's minute, waits for that minute to begin.
 */
export async function readCheckTime(app: App): Promise<Date> {
  const now = await readClock(app.db.checks)
  const next = checkAtOrAfter(now)
  const leadMs = next.getTime() - now.getTime()
  if (leadMs > TOLERATED_LEAD_MS) return checksBefore(next, 1)
  await pause(leadMs)
  return next
}
