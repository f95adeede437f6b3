import { setTimeout as pause } from 'node:timers/promises'
import { readClock } from '../../storage/claim-writes/due-claims.ts'
import type { App } from '../app.ts'

const MINUTE_MS = 60_000
/** A host's clock that runs ahead of the database's by no more than this is waited for. */
const TOLERATED_LEAD_MS = 5_000

/**
 * The time of the scheduled check that is on now: the whole minute that has begun, by the database's clock.
 * Where the host's clock rings a little before the database's minute, waits for that minute to begin.
 */
export async function readCheckTime(app: App): Promise<Date> {
  const now = (await readClock(app.db.checks)).getTime()
  const next = Math.ceil(now / MINUTE_MS) * MINUTE_MS
  if (next - now <= TOLERATED_LEAD_MS) {
    await pause(next - now)
    return new Date(next)
  }
  return new Date(next - MINUTE_MS)
}
