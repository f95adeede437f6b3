import type { Claim } from '../../core/claims/claim.ts'
import { ANNOUNCE } from '../../outbox/notification-number-store.ts'
import { CLAIM_NOTIFICATION, type ClaimNotification } from '../../outbox/outbox-store.ts'
import { type ColumnList, Columns } from '../../platform/database/columns.ts'
import type { Connection } from '../../platform/database/connection.ts'
import { plainArray } from '../../platform/database/sql-array.ts'
import type { NewEvent } from './append-events-store.ts'
import { guardedWrite, LOG_ITEM, type LogWrite, shardWrite, writeToShards } from './guarded-write-store.ts'

/** A write to one claim of an extended contract (§2.1a). The decision has set the time of recording. */
export interface ExtendedAppend {
  /** The claim that the decision is based on. The write has no effect if the claim has changed since. */
  seen: Claim
  becomes: Claim
  /** When the claim's reminders are reached, if its clock continues; null if they stay as they are. */
  reminderTimes: readonly Date[] | null
  /** The time of recording of the events. Not before the last item of the log. */
  at: Date
  /** At least one, in their order. */
  events: readonly (NewEvent & { lateMs: number | null })[]
  /** In order. `recorded` notifications are not stored for accounts without event notifications. */
  notifications: readonly ClaimNotification[]
}

const WRITE = {
  id: ['uuid', ({ seen }) => seen.id],
  seen_status: ['text', ({ seen }) => seen.status],
  seen: ['integer', ({ seen }) => seen.eventCount],
  count: ['integer', ({ becomes }) => becomes.eventCount],
  bytes: ['integer', ({ becomes }) => becomes.logBytes],
  status: ['text', ({ becomes }) => becomes.status],
  outcome: ['text', ({ becomes }) => becomes.scheduledOutcome],
  since: ['timestamptz', ({ becomes }) => becomes.statusSince],
  due: ['timestamptz', ({ becomes }) => becomes.dueAt],
  review_start: ['integer', ({ becomes }) => becomes.reviewStart],
  remaining_ms: ['bigint', ({ becomes }) => becomes.clock?.remainingMs ?? null],
  clock_since: ['timestamptz', ({ becomes }) => becomes.clock?.since ?? null],
  reminder_times: ['text', ({ reminderTimes }) => reminderTimes && plainArray(reminderTimes)],
  at: ['timestamptz', ({ at }) => at],
} satisfies ColumnList<ExtendedAppend>

/** The row's own number of passed reminders counts: the claim may come from the cache, which does not have it. */
const BECOMES = `event_count = d.count, decided_count = d.count, log_bytes = d.bytes, status = d.status,
          scheduled_outcome = d.outcome, status_since = d.since, due_at = d.due, review_start = d.review_start,
          remaining_ms = d.remaining_ms, clock_since = d.clock_since,
          reminder_times = coalesce(d.reminder_times::timestamptz[], c.reminder_times),
          next_reminder_at = CASE WHEN d.reminder_times IS NULL THEN c.next_reminder_at
            ELSE (d.reminder_times::timestamptz[])[c.reminders_passed + 1] END,
          last_event_at = CASE WHEN d.status = c.status THEN d.at END`

type ExtendedItem = LogWrite & { lateMs: number | null }
const ITEM = {
  ...LOG_ITEM,
  late_ms: ['bigint', ({ lateMs }) => lateMs],
} satisfies ColumnList<ExtendedItem>

const WRITES = new Columns<ExtendedAppend>(WRITE)
const ITEMS = new Columns<ExtendedItem>(ITEM, WRITES.next)
const NOTIFICATIONS = new Columns<ClaimNotification>(CLAIM_NOTIFICATION, ITEMS.next)
const APPEND = guardedWrite({
  name: 'append_extended_events',
  decided: `notifications_to_store AS MATERIALIZED (SELECT * FROM ${NOTIFICATIONS.as('n', 'place')}),
      announced AS MATERIALIZED (${ANNOUNCE} WHERE EXISTS (SELECT FROM notifications_to_store)),
      decided AS MATERIALIZED (SELECT * FROM ${WRITES.as('d')})`,
  becomes: BECOMES,
  items: `SELECT e.* FROM ${ITEMS.as('e')} JOIN written w ON w.id = e.claim_id`,
  haveLateness: true,
  notifications: `SELECT w.user_id, n.id, n.kind, n.sequence, n.status_since, n.due_at, n.scheduled_outcome
          FROM notifications_to_store n JOIN written w ON w.id = n.id, announced ORDER BY n.place`,
  result: 'SELECT id FROM written',
})
const APPEND_IN_SHARDS = shardWrite<ExtendedAppend & { id: string }, ExtendedItem>({
  name: 'append_extended_in_shards',
  writes: WRITE,
  decided: '*',
  becomes: BECOMES,
  items: ITEM,
  haveLateness: true,
})

/**
 * Appends the events to the logs and sets the claims' states, in one statement. Skips claims that have changed since they
 * were read. `unordered` has at most one entry for a claim.
 * @param subscribers the accounts that get notifications of recorded events
 * @returns the ids of the claims that were written
 */
export async function appendExtendedEvents(
  db: Connection,
  unordered: readonly ExtendedAppend[],
  subscribers: ReadonlySet<string>,
): Promise<Set<string>> {
  // In the order of ids: see `Parts.decided`.
  const appends = unordered.toSorted((a, b) => (a.seen.id < b.seen.id ? -1 : 1))
  const items = appends.flatMap(itemsOf)
  const notifications = appends.flatMap(({ seen, notifications }) =>
    notifications.filter(({ kind }) => kind !== 'recorded' || subscribers.has(seen.userId)),
  )
  if (db.distribution.isOn) {
    const writes = appends.map((append) => ({ ...append, id: append.seen.id }))
    return writeToShards(db, APPEND_IN_SHARDS, writes, items, notifications, null)
  }
  const written = await db.query<{ id: string }>({
    name: 'append_extended_events',
    text: APPEND,
    values: [...WRITES.values(appends), ...ITEMS.values(items), ...NOTIFICATIONS.values(notifications)],
  })
  return new Set(written.map(({ id }) => id))
}

const itemsOf = ({ seen, at, events }: ExtendedAppend): ExtendedItem[] =>
  events.map(({ submission: { id, type }, payloadJson, lateMs }, i) => ({
    claimId: seen.id,
    seq: seen.eventCount + i + 1,
    id,
    type,
    payload: payloadJson,
    system: false,
    at,
    lateMs,
  }))
