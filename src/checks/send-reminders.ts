import type { App } from '../app.ts'
import { checkAfter, checkAtOrBefore } from '../core/claims/lifecycle.ts'
import type { TestClock } from '../core/records.ts'
import type { Connection } from '../platform/database/connection.ts'
import { isTransient } from '../platform/database/database-unavailable.ts'
import { MOVE_BATCH_SIZE } from './limits.ts'
import {
  type CheckSpan,
  listReminded,
  REMINDERS_START,
  type ReminderCursor,
  sendReminders,
  sendRemindersInShards,
} from './reminder-store.ts'

/**
 * Sends the reminders of live claims that the scheduled check of a minute finds, batch by batch (§2.16). It comes after the
 * moves of the check.
 * @param shards those that are checked
 * @param isOver asked after each batch: then the check of a later minute continues
 */
export async function sendLiveReminders(
  { db, throttle }: Pick<App, 'db' | 'throttle'>,
  shards: readonly number[],
  checkTime: Date,
  isOver: () => boolean,
): Promise<void> {
  const { checks } = db
  const span = { from: checkTime, until: checkTime }
  const count = (sent: number) => db.metrics.instruments.reminders.inc({ by: 'check' }, sent)
  if (!checks.distribution.isOn) {
    for (;;) {
      const { claims, sent } = await throttle.run(() => sendReminders(checks, null, span, MOVE_BATCH_SIZE))
      count(sent)
      if (claims < MOVE_BATCH_SIZE || isOver()) return
    }
  }
  const isLocked = new Set(shards)
  for (let cursor: ReminderCursor | null = REMINDERS_START; cursor && !isOver(); ) {
    const found: Awaited<ReturnType<typeof listReminded>> = await listReminded(
      checks,
      null,
      checkTime,
      cursor,
      MOVE_BATCH_SIZE,
    )
    const ids = found.ids.filter((id) => isLocked.has(checks.distribution.shardOf(id)))
    for (const ofNode of checks.distribution.byNode(ids, (id) => id))
      count(await throttle.run(() => sendOfNode(checks, span, ofNode)))
    cursor = found.next
  }
}

/** A shard may have moved meanwhile: then the next check sends the reminders. */
async function sendOfNode(
  checks: App['db']['checks'],
  span: CheckSpan,
  ids: readonly string[],
): Promise<number> {
  try {
    return await checks.transaction((connection) => sendRemindersInShards(connection, null, span, ids, null))
  } catch (error) {
    if (!isTransient(error)) throw error
    return 0
  }
}

/**
 * Sends the reminders that the scheduled checks between the time of the clock and a later time find, each at its minute. The
 * clock is locked. Returns how many were sent.
 * @param announced the key of what the transaction has announced
 */
export async function sendRemindersOnTestClock(
  db: Connection,
  { id, frozenTime }: Pick<TestClock, 'id' | 'frozenTime'>,
  to: Date,
  announced: string,
): Promise<number> {
  const span = { from: checkAfter(frozenTime), until: checkAtOrBefore(to) }
  if (span.from > span.until) return 0
  let total = 0
  for (let isLast = false; !isLast; ) {
    if (db.distribution.isOn) {
      const { ids, next } = await listReminded(db, id, span.until, REMINDERS_START, MOVE_BATCH_SIZE)
      if (ids.length > 0) total += await sendRemindersInShards(db, id, span, ids, announced)
      isLast = next === null
    } else {
      const { claims, sent } = await sendReminders(db, id, span, MOVE_BATCH_SIZE)
      total += sent
      isLast = claims < MOVE_BATCH_SIZE
    }
  }
  return total
}
