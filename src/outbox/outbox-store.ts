import type { Claim } from '../core/claims/claim.ts'
import type { ClaimState, Outcome } from '../core/claims/lifecycle.ts'
import { nodesOf, queryInShards, type ShardStatement } from '../platform/database/citus/in-shards.ts'
import { NOW } from '../platform/database/clock.ts'
import { type ColumnList, Columns } from '../platform/database/columns.ts'
import type { Connection } from '../platform/database/connection.ts'
import { insertNotifications, takeNumbers, WHAT_HAPPENED } from './notification-number-store.ts'

/** What became of a claim. */
export interface ClaimNotification {
  subjectId: string
  kind: 'created' | 'pending' | 'confirmed' | 'failed' | 'outcome_changed' | 'due_soon' | 'recorded'
  /** Of the log's item that it tells of; 0 for a creation. */
  sequence: number
  state: ClaimState
}

/** Of a claim that became this with the log's item of this number. */
export const notificationOf = (claimId: string, sequence: number, state: ClaimState): ClaimNotification => ({
  subjectId: claimId,
  kind: state.status === 'OPEN' ? 'created' : (state.status.toLowerCase() as Lowercase<Outcome | 'PENDING'>),
  sequence,
  state,
})

/** The notification of a recorded event. @param claim as it was before the event */
export const notificationOfEvent = (claim: Claim, sequence: number): ClaimNotification => ({
  subjectId: claim.id,
  kind: 'recorded',
  sequence,
  state: claim,
})

/** The columns of a notification but for its number. */
export const TOLD = {
  id: ['uuid', ({ subjectId }) => subjectId],
  kind: ['text', ({ kind }) => kind],
  sequence: ['integer', ({ sequence }) => sequence],
  status_since: ['timestamptz', ({ state }) => state.statusSince],
  due_at: ['timestamptz', ({ state }) => state.dueAt],
  scheduled_outcome: ['text', ({ state }) => state.scheduledOutcome],
} satisfies ColumnList<ClaimNotification>
const NUMBERED = new Columns<ClaimNotification & { number: string }>({
  ...TOLD,
  number: ['bigint', ({ number }) => number],
})
const NOTIFY: ShardStatement = {
  name: 'notify_in_shards',
  columns: 'done boolean',
  text: `WITH told AS (
        INSERT INTO {{notifications}} (number, ${WHAT_HAPPENED}, created_at)
        SELECT n.number, c.user_id, c.id, n.kind, n.sequence, n.status_since, n.due_at, n.scheduled_outcome,
          $${NUMBERED.next}::timestamptz
        FROM {{claims}} c JOIN ${NUMBERED.as('n')} ON n.id = c.id
        WHERE c.id = ANY ($1::uuid[])
      )
      SELECT true AS done`,
}

/**
 * Inserts notifications of claims that the transaction has written already. Takes the numbers last, because all feeds wait for
 * a transaction that has taken numbers.
 * @param key of what the transaction has announced already (`announceOfAccount`); null for nothing
 */
export async function notifyInShards(
  db: Connection,
  told: readonly ClaimNotification[],
  key: string | null,
): Promise<void> {
  if (told.length === 0) return
  const taken = await takeNumbers(db, told.length, key)
  const numbered = told.map((one, i) => ({ ...one, number: taken.numbers[i] as string }))
  // The node may commit them after the coordinator has given up: so it holds the lock too.
  const statement = { ...NOTIFY, announced: taken.key }
  const nodes = await nodesOf(db, numbered, ({ subjectId }) => subjectId)
  await queryInShards(db, statement, nodes, (some) => [...NUMBERED.values(some), taken.now])
}

/**
 * The node that has the rows may commit them after the coordinator has given up: so it holds the lock too, before the
 * coordinator's is let go.
 */
async function announceOnNode(db: Connection, subjectId: string, key: string): Promise<void> {
  await db.query({
    name: 'announce_on_machine',
    text: `-- announce_on_machine
      SELECT count(pg_advisory_xact_lock_shared($2::bigint)) FROM notifications WHERE subject_id = $1`,
    values: [subjectId, key],
  })
}

/** What happened to a test clock, or to an endpoint of webhooks. */
export interface OtherNotification {
  userId: string
  subjectId: string
  kind: 'advanced' | 'failing' | 'gone'
  /** The clock's time; null for the present. */
  at: Date | null
}

/** @param key of what the transaction has announced (`announceOfAccount`) */
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
