import type { Claim } from '../core/claims/claim.ts'
import type { ClaimState, Outcome } from '../core/claims/lifecycle.ts'
import { nodesOf, queryInShards, type ShardStatement } from '../platform/database/citus/in-shards.ts'
import { NOW } from '../platform/database/clock.ts'
import { type ColumnList, Columns } from '../platform/database/columns.ts'
import type { Connection } from '../platform/database/connection.ts'
import { insertNotifications, NOTIFICATION_COLUMNS, takeNumbers } from './notification-number-store.ts'

/** A change of a claim. */
export interface ClaimNotification {
  subjectId: string
  kind: 'created' | 'pending' | 'confirmed' | 'failed' | 'outcome_changed' | 'due_soon' | 'recorded'
  /** Number of the log item; 0 for a creation. */
  sequence: number
  state: ClaimState
}

/** The notification of the state that a claim reached with this log item. */
export const notificationOf = (claimId: string, sequence: number, state: ClaimState): ClaimNotification => ({
  subjectId: claimId,
  kind: state.status === 'OPEN' ? 'created' : (state.status.toLowerCase() as Lowercase<Outcome | 'PENDING'>),
  sequence,
  state,
})

/** The notification of a recorded event. @param claim in the state before the event */
export const notificationOfEvent = (claim: Claim, sequence: number): ClaimNotification => ({
  subjectId: claim.id,
  kind: 'recorded',
  sequence,
  state: claim,
})

/** The columns of a claim's notification without its number. */
export const CLAIM_NOTIFICATION = {
  id: ['uuid', ({ subjectId }) => subjectId],
  kind: ['text', ({ kind }) => kind],
  sequence: ['integer', ({ sequence }) => sequence],
  status_since: ['timestamptz', ({ state }) => state.statusSince],
  due_at: ['timestamptz', ({ state }) => state.dueAt],
  scheduled_outcome: ['text', ({ state }) => state.scheduledOutcome],
} satisfies ColumnList<ClaimNotification>
const NUMBERED = new Columns<ClaimNotification & { number: string }>({
  ...CLAIM_NOTIFICATION,
  number: ['bigint', ({ number }) => number],
})
const NOTIFY: ShardStatement = {
  name: 'notify_in_shards',
  columns: 'done boolean',
  text: `WITH notified AS (
        INSERT INTO {{notifications}} (number, ${NOTIFICATION_COLUMNS}, created_at)
        SELECT n.number, c.user_id, c.id, n.kind, n.sequence, n.status_since, n.due_at, n.scheduled_outcome,
          $${NUMBERED.next}::timestamptz
        FROM {{claims}} c JOIN ${NUMBERED.as('n')} ON n.id = c.id
        WHERE c.id = ANY ($1::uuid[])
      )
      SELECT true AS done`,
}

/**
 * Inserts notifications of claims that the transaction has written. Takes the numbers last, because the feeds of all
 * accounts wait until a transaction that has taken numbers ends.
 * @param key of the transaction's announcement (`announceOfAccount`); null without one
 */
export async function notifyInShards(
  db: Connection,
  notifications: readonly ClaimNotification[],
  key: string | null,
): Promise<void> {
  if (notifications.length === 0) return
  const taken = await takeNumbers(db, notifications.length, key)
  const numbered = notifications.map((notification, i) => ({
    ...notification,
    number: taken.numbers[i] as string,
  }))
  // A node may commit after the transaction has failed on the coordinator, so the node holds the lock too.
  const statement = { ...NOTIFY, announced: taken.key }
  const nodes = await nodesOf(db, numbered, ({ subjectId }) => subjectId)
  await queryInShards(db, statement, nodes, (some) => [...NUMBERED.values(some), taken.now])
}

/**
 * The node with the rows may commit them after the transaction has failed on the coordinator. So the node takes the lock
 * too, before the coordinator releases its own.
 */
async function announceOnNode(db: Connection, subjectId: string, key: string): Promise<void> {
  await db.query({
    name: 'announce_on_machine',
    text: `-- announce_on_machine
      SELECT count(pg_advisory_xact_lock_shared($2::bigint)) FROM notifications WHERE subject_id = $1`,
    values: [subjectId, key],
  })
}

/** A change of a test clock or a webhook endpoint, not of a claim. */
export interface OtherNotification {
  userId: string
  subjectId: string
  kind: 'advanced' | 'failing' | 'gone'
  /** The clock's time. Null for the current time. */
  at: Date | null
}

/** @param key of the transaction's announcement (`announceOfAccount`) */
export async function notifyOfOther(
  db: Connection,
  { userId, subjectId, kind, at }: OtherNotification,
  key: string,
): Promise<void> {
  await db.query({
    name: 'notify_of_other',
    text: `-- notify_of_other
      ${insertNotifications(`SELECT $1::uuid, $2::uuid, $3, 0, coalesce($4::timestamptz, ${NOW}), NULL::timestamptz, NULL::text`)}`,
    values: [userId, subjectId, kind, at],
  })
  if (db.distribution.isOn) await announceOnNode(db, subjectId, key)
}
