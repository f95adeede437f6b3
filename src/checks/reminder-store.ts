import { NIL } from 'uuid'
import { MINUTE_MS } from '../core/claims/lifecycle.ts'
import {
  ANNOUNCE,
  insertNotifications,
  NOTIFICATION_COLUMNS,
  takeNumbers,
} from '../outbox/notification-number-store.ts'
import { nodesOf, queryInShards, type ShardStatement } from '../platform/database/citus/in-shards.ts'
import { Columns } from '../platform/database/columns.ts'
import type { Connection } from '../platform/database/connection.ts'
import { plainArray } from '../platform/database/sql-array.ts'

/*
 * Reminders (§2.16). The row of a claim has the time of each reminder, and how many are passed. A statement locks claims
 * whose next reminder is reached, counts the reached ones as passed, and stores the notifications. So each is sent once,
 * whatever other servers do. A claim that is settled or stopped leaves the index by its own change.
 */

/** The scheduled checks of each whole minute between these two, which are included. */
export interface CheckSpan {
  from: Date
  until: Date
}

const IS_RUNNING = "status = 'OPEN' AND due_at IS NOT NULL"
const isReachedBy = (until: string) =>
  `next_reminder_at IS NOT NULL AND next_reminder_at <= ${until}::timestamptz`
/** Of a live claim. A claim that is due moves, and gets no reminder. */
const isLiveBy = (until: string) =>
  `${isReachedBy(until)} AND ${IS_RUNNING} AND test_clock_id IS NULL AND due_at > ${until}::timestamptz`
const isOnClockBy = (until: string, clock: string) =>
  `${isReachedBy(until)} AND ${IS_RUNNING} AND test_clock_id = ${clock}::uuid`
/** A live claim that another transaction has locked is left to the next check. */
const LOCK_LIVE = 'FOR NO KEY UPDATE SKIP LOCKED'
/** Claims on a locked test clock are locked only by changes of their metadata. */
const LOCK_ON_CLOCK = 'FOR NO KEY UPDATE'

/** SQL: the first whole minute at a time or after it. Times are whole milliseconds. */
const minuteOf = (time: string) =>
  `date_bin('1 minute', ${time} + interval '${MINUTE_MS - 1} milliseconds', to_timestamp(0))`

/**
 * SQL: CTEs, the last of which is `reached`, the reminders to send. $1 and $2 are the span of the checks. Of the reminders
 * that one check finds only the last is sent.
 * @param selected SQL behind the table: which claims, and how they are locked
 */
const passReminders = (claims: string, selected: string) => `due AS MATERIALIZED (
        SELECT id, user_id, due_at, reminders, reminder_times, reminders_passed FROM ${claims}
        WHERE ${selected}
      ),
      passed AS (
        UPDATE ${claims} c
        SET reminders_passed = (SELECT count(*) FROM unnest(c.reminder_times) AS t WHERE t <= $2::timestamptz),
          next_reminder_at = (SELECT min(t) FROM unnest(c.reminder_times) AS t WHERE t > $2::timestamptz)
        FROM due WHERE c.id = due.id
      ),
      reached AS MATERIALIZED (
        SELECT due.user_id, due.id, found.checked_at, due.due_at, due.reminders[found.number] AS reminder
        FROM due, LATERAL (
          SELECT greatest(${minuteOf('t')}, $1::timestamptz) AS checked_at, max(number) AS number
          FROM unnest(due.reminder_times) WITH ORDINALITY AS r (t, number)
          WHERE number > due.reminders_passed AND t <= $2::timestamptz
          GROUP BY 1
        ) AS found
        WHERE found.checked_at < ${minuteOf('due.due_at')}
      )`

const NOTIFICATION = `${NOTIFICATION_COLUMNS}, reminder`
const notify = (from: string) => `notified AS (
        ${insertNotifications(
          `SELECT user_id, id, 'due_soon', 0, checked_at, due_at, NULL::text, reminder
          FROM ${from} ORDER BY checked_at, id`,
          NOTIFICATION,
        )}
      )`
const COUNTS =
  'SELECT (SELECT count(*)::integer FROM due) AS claims, (SELECT count(*)::integer FROM reached) AS sent'

const SEND = `-- send_reminders
      WITH ${passReminders('claims', `${isLiveBy('$2')} ORDER BY next_reminder_at, id LIMIT $3 ${LOCK_LIVE}`)},
      announced AS MATERIALIZED (${ANNOUNCE} WHERE EXISTS (SELECT FROM reached)),
      ${notify('reached, announced')}
      ${COUNTS}`
const SEND_ON_TEST_CLOCK = `-- send_reminders_on_test_clock
      WITH ${passReminders('claims', `${isOnClockBy('$2', '$4')} ORDER BY next_reminder_at, id LIMIT $3 ${LOCK_ON_CLOCK}`)},
      ${notify('reached')}
      ${COUNTS}`

/** What one statement did. */
export interface SentReminders {
  /** Claims whose next reminder was reached. */
  claims: number
  sent: number
}

/**
 * Sends the reminders that the checks find, of at most `limit` claims, on one PostgreSQL.
 * @param testClockId null for live claims. Otherwise the transaction has locked the clock, and has announced its
 *   notifications (`announceOfAccount`).
 */
export async function sendReminders(
  db: Connection,
  testClockId: string | null,
  { from, until }: CheckSpan,
  limit: number,
): Promise<SentReminders> {
  const values = [from, until, limit]
  const [row] = await db.query<SentReminders>(
    testClockId === null
      ? { name: 'send_reminders', text: SEND, values }
      : {
          name: 'send_reminders_on_test_clock',
          text: SEND_ON_TEST_CLOCK,
          values: [...values, testClockId],
        },
  )
  return row as SentReminders
}

/** A place in the index of reminders. */
export interface ReminderCursor {
  at: Date | '-infinity'
  id: string
}
export const REMINDERS_START: ReminderCursor = { at: '-infinity', id: NIL }

/**
 * On distributed tables: the next claims after the cursor whose reminders are reached at a time.
 * @param testClockId null for live claims
 */
export async function listReminded(
  db: Connection,
  testClockId: string | null,
  until: Date,
  after: ReminderCursor,
  limit: number,
): Promise<{ ids: string[]; next: ReminderCursor | null }> {
  const rows = await db.query<{ id: string; at: Date }>({
    text: `-- list_reminded
      SELECT id, next_reminder_at AS at FROM claims
      WHERE ${testClockId === null ? isLiveBy('$1') : isOnClockBy('$1', '$5')} AND (next_reminder_at, id) > ($2, $3)
      ORDER BY next_reminder_at, id LIMIT $4`,
    values: [until, after.at, after.id, limit, ...(testClockId === null ? [] : [testClockId])],
    readOnly: true,
  })
  const last = rows.at(-1)
  return { ids: rows.map(({ id }) => id), next: last && rows.length === limit ? last : null }
}

/**
 * On distributed tables: live claims whose reminders are reached at a time, of the nodes that answer, at most `limit` of each
 * shard. See `listDueOnReachableShards`.
 */
export async function listRemindedOnReachableShards(
  db: Connection,
  until: Date,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ ids: string[] }>({
    text: `-- list_reminded_where_reached
      SELECT nullif(result, '')::uuid[] AS ids
      FROM run_command_on_shards('claims', format(
        $of_shard$SELECT array_agg(id) FROM (
          SELECT id FROM %%s WHERE ${isLiveBy('%1$L')} ORDER BY next_reminder_at, id LIMIT %2$s
        ) reached$of_shard$, $1::timestamptz, $2::integer))
      WHERE success AND result <> ''`,
    values: [until, limit],
    readOnly: true,
  })
  return rows.flatMap(({ ids }) => ids)
}

/** A notification of a reminder. */
interface Reached {
  user_id: string
  id: string
  checked_at: Date
  due_at: Date
  reminder: number
}

const passInShard = (name: string, selected: string): ShardStatement => ({
  name,
  columns: 'user_id uuid, id uuid, checked_at timestamptz, due_at timestamptz, reminder float8',
  text: `WITH ${passReminders('{{claims}}', `id = ANY ($3::uuid[]) AND ${selected}`)}
      SELECT user_id, id, checked_at, due_at, reminder FROM reached`,
})
const PASS = passInShard('pass_reminders_in_shards', `${isLiveBy('$2')} ORDER BY id ${LOCK_LIVE}`)
const PASS_ON_TEST_CLOCK = passInShard(
  'pass_reminders_of_test_clock_in_shards',
  `${isOnClockBy('$2', '$4')} ORDER BY id ${LOCK_ON_CLOCK}`,
)

const NUMBERED = new Columns<Reached & { number: string }>({
  subject_id: ['uuid', ({ id }) => id],
  number: ['bigint', ({ number }) => number],
  user_id: ['uuid', ({ user_id }) => user_id],
  checked_at: ['timestamptz', ({ checked_at }) => checked_at],
  due_at: ['timestamptz', ({ due_at }) => due_at],
  reminder: ['float8', ({ reminder }) => reminder],
})
const NOTIFY: ShardStatement = {
  name: 'notify_of_reminders_in_shards',
  columns: 'done boolean',
  text: `WITH told AS (
        INSERT INTO {{notifications}} (number, ${NOTIFICATION}, created_at)
        SELECT number, user_id, subject_id, 'due_soon', 0, checked_at, due_at, NULL, reminder, $${NUMBERED.next}::timestamptz
        FROM ${NUMBERED.as('n')}
      )
      SELECT true`,
}

/**
 * `sendReminders` on distributed tables, of claims of `listReminded`. Call it in a transaction. Takes the numbers last, because
 * the feeds of all accounts wait for taken numbers. Returns how many reminders were sent.
 * @param announced the key of what the transaction has announced (`announceOfAccount`); null for nothing
 */
export async function sendRemindersInShards(
  db: Connection,
  testClockId: string | null,
  { from, until }: CheckSpan,
  ids: readonly string[],
  announced: string | null,
): Promise<number> {
  const nodes = await nodesOf(db, ids, (id) => id)
  const statement = testClockId === null ? PASS : PASS_ON_TEST_CLOCK
  const clock = testClockId === null ? [] : [testClockId]
  const found = await queryInShards<Reached, string>(db, statement, nodes, (some) => [
    from,
    until,
    plainArray(some),
    ...clock,
  ])
  if (found.length === 0) return 0
  const { key, numbers, now } = await takeNumbers(db, found.length, announced)
  const reached = found.toSorted((a, b) => a.checked_at.getTime() - b.checked_at.getTime())
  const numbered = reached.map((one, i) => ({ ...one, number: numbers[i] as string }))
  // The node may commit after the coordinator has given up, so it holds the lock too.
  const ofNodes = await nodesOf(db, numbered, ({ id }) => id)
  await queryInShards(db, { ...NOTIFY, announced: key }, ofNodes, (some) => [...NUMBERED.values(some), now])
  return found.length
}
