import type { App } from '../app.ts'
import { checkAfter, checkAtOrBefore } from '../core/claims/lifecycle.ts'
import type { TestClock } from '../core/records.ts'
import type { Connection } from '../platform/database/connection.ts'
import { isTransient } from '../platform/database/database-unavailable.ts'
import { MOVE_BATCH_SIZE, RECOVERY_LIST_SIZE_PER_SHARD } from './limits.ts'
import {
  type CheckSpan,
  listReminded,
  listRemindedOnReachableShards,
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
  if (!checks.distribution.isOn) {
    for (;;) {
      const { claims, sent } = await throttle.run(() => sendReminders(checks, null, span, MOVE_BATCH_SIZE))
      count(db, sent)
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
      await throttle.run(() => sendOfNode(db, span, ofNode))
    cursor = found.next
  }
}

/**
 * After a failed check of distributed tables: sends the reminders of all shards that can be reached, each shard by itself. A
 * shard that fails is left to the next check.
 */
export async function sendRemindersOfReachableShards(
  { db }: Pick<App, 'db'>,
  shards: ReadonlySet<number>,
  checkTime: Date,
): Promise<void> {
  const { checks } = db
  const found = await listRemindedOnReachableShards(checks, checkTime, RECOVERY_LIST_SIZE_PER_SHARD)
  for (const ids of checks.distribution.byShard(found, (id) => id)) {
    if (!shards.has(checks.distribution.shardOf(ids[0] as string))) continue
    // The error of the check itself is thrown and logged.
    await sendOfNode(db, { from: checkTime, until: checkTime }, ids).catch(() => {})
  }
}

/** A shard may have moved meanwhile: then the next check sends the reminders. */
async function sendOfNode(db: App['db'], span: CheckSpan, ids: readonly string[]): Promise<void> {
  try {
    const send = (connection: Connection) => sendRemindersInShards(connection, null, span, ids, null)
    count(db, await db.checks.transaction(send))
  } catch (error) {
    if (!isTransient(error)) throw error
  }
}

const count = ({ metrics }: App['db'], sent: number): void =>
  metrics.instruments.reminders.inc({ by: 'check' }, sent)

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
