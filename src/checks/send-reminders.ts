import type { App } from '../app.ts'
import { checkAfter, checkAtOrBefore } from '../core/claims/lifecycle.ts'
import type { TestClock } from '../core/records.ts'
import type { Connection } from '../platform/database/connection.ts'
import { isTransient } from '../platform/database/database-unavailable.ts'
import { MOVE_BATCH_SIZE, RECOVERY_LIST_SIZE_PER_SHARD } from './limits.ts'
import {
  type CheckSpan,
  FIRST_REMINDER,
  listClaimsToRemind,
  listClaimsToRemindOnReachableShards,
  type ReminderCursor,
  sendReminders,
  sendRemindersInShards,
} from './reminder-store.ts'

/**
 * Sends the reminders of live claims that are due at the scheduled check, batch by batch (§2.16). Called after the check has
 * moved the due claims.
 * @param shards locked by the check
 * @param isOver true if the time of the check is over. Called after each batch. The check of a later minute continues
 */
export async function sendDueReminders(
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
      countSent(db, sent)
      if (claims < MOVE_BATCH_SIZE || isOver()) return
    }
  }
  const locked = new Set(shards)
  for (let cursor: ReminderCursor | null = FIRST_REMINDER; cursor && !isOver(); ) {
    const page: Awaited<ReturnType<typeof listClaimsToRemind>> = await listClaimsToRemind(
      checks,
      null,
      checkTime,
      cursor,
      MOVE_BATCH_SIZE,
    )
    const ids = page.ids.filter((id) => locked.has(checks.distribution.shardOf(id)))
    for (const idsOfNode of checks.distribution.byNode(ids, (id) => id))
      await throttle.run(() => sendForClaims(db, span, idsOfNode))
    cursor = page.next
  }
}

/**
 * After a failed check of distributed tables: sends the reminders of all reachable shards, in a transaction for each shard. The
 * next check sends those of a shard that fails.
 */
export async function sendRemindersOfReachableShards(
  { db }: Pick<App, 'db'>,
  shards: ReadonlySet<number>,
  checkTime: Date,
): Promise<void> {
  const { checks } = db
  const found = await listClaimsToRemindOnReachableShards(checks, checkTime, RECOVERY_LIST_SIZE_PER_SHARD)
  for (const ids of checks.distribution.byShard(found, (id) => id)) {
    if (!shards.has(checks.distribution.shardOf(ids[0] as string))) continue
    // Not thrown: the error of the failed check is thrown and logged.
    await sendForClaims(db, { from: checkTime, until: checkTime }, ids).catch(() => {})
  }
}

/** If it fails because a shard has just moved, the next check sends the reminders. */
async function sendForClaims(db: App['db'], span: CheckSpan, ids: readonly string[]): Promise<void> {
  try {
    const send = (connection: Connection) => sendRemindersInShards(connection, null, span, ids, null)
    countSent(db, await db.checks.transaction(send))
  } catch (error) {
    if (!isTransient(error)) throw error
  }
}

const countSent = ({ metrics }: App['db'], sent: number): void =>
  metrics.instruments.reminders.inc({ by: 'check' }, sent)

/**
 * Sends the reminders that the scheduled checks from the clock's time to a later time find, each with the time of its check.
 * The transaction has locked the clock. Returns the number of sent reminders.
 * @param announced key of the transaction's announcement
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
      const { ids, next } = await listClaimsToRemind(db, id, span.until, FIRST_REMINDER, MOVE_BATCH_SIZE)
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
