import { NIL } from 'uuid'
import { MINUTE_MS } from '../kernel/durations.ts'
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
 * Reminders (§2.16). The row of a claim has the time of each reminder and the number of passed reminders: sent or left out.
 * A statement locks claims whose next reminder is reached, counts the reached reminders as passed, and stores the
 * notifications. So no two servers send the same reminder. The statement that settles a claim or stops its clock removes it
 * from the index.
 */

/** The scheduled checks from `from` to `until`, both included. Both are whole minutes. */
export interface CheckSpan {
  from: Date
  until: Date
}

const IS_RUNNING = "status = 'OPEN' AND due_at IS NOT NULL"
const isReached = (until: string) =>
  `next_reminder_at IS NOT NULL AND next_reminder_at <= ${until}::timestamptz`
/** A claim that is due gets no reminder: the check moves it. */
const isReachedOfLiveClaim = (until: string) =>
  `${isReached(until)} AND ${IS_RUNNING} AND test_clock_id IS NULL AND due_at > ${until}::timestamptz`
const isReachedOnTestClock = (until: string, clock: string) =>
  `${isReached(until)} AND ${IS_RUNNING} AND test_clock_id = ${clock}::uuid`
/** The next check finds the live claims that another transaction has locked. */
const LOCK_LIVE = 'FOR NO KEY UPDATE SKIP LOCKED'
/** The test clock is locked, so only changes of metadata can lock its claims. The statement waits for them. */
const LOCK_ON_CLOCK = 'FOR NO KEY UPDATE'

/** SQL: the first scheduled check at or after a time. Times are whole milliseconds. */
const checkAtOrAfter = (time: string) =>
  `date_bin('1 minute', ${time} + interval '${MINUTE_MS - 1} milliseconds', to_timestamp(0))`

/**
 * SQL: CTEs. `locked` are the claims, `to_send` the reminders to send: if one check finds several reminders of a claim, only
 * the last. $1 and $2 are the `CheckSpan`.
 * @param selected the condition of the claims, their order and the lock
 */
const passReminders = (claims: string, selected: string) => `locked AS MATERIALIZED (
        SELECT id, user_id, due_at, reminders, reminder_times, reminders_passed FROM ${claims}
        WHERE ${selected}
      ),
      passed AS (
        UPDATE ${claims} c
        SET reminders_passed = (SELECT count(*) FROM unnest(c.reminder_times) AS t WHERE t <= $2::timestamptz),
          next_reminder_at = (SELECT min(t) FROM unnest(c.reminder_times) AS t WHERE t > $2::timestamptz)
        FROM locked WHERE c.id = locked.id
      ),
      to_send AS MATERIALIZED (
        SELECT locked.user_id, locked.id, found.checked_at, locked.due_at, locked.reminders[found.number] AS reminder
        FROM locked, LATERAL (
          SELECT greatest(${checkAtOrAfter('t')}, $1::timestamptz) AS checked_at, max(number) AS number
          FROM unnest(locked.reminder_times) WITH ORDINALITY AS r (t, number)
          WHERE number > locked.reminders_passed AND t <= $2::timestamptz
          GROUP BY 1
        ) AS found
        WHERE found.checked_at < ${checkAtOrAfter('locked.due_at')}
      )`

const REMINDER_COLUMNS = `${NOTIFICATION_COLUMNS}, reminder`
const notify = (from: string) => `notified AS (
        ${insertNotifications(
          `SELECT user_id, id, 'due_soon', 0, checked_at, due_at, NULL::text, reminder
          FROM ${from} ORDER BY checked_at, id`,
          REMINDER_COLUMNS,
        )}
      )`
const COUNTS =
  'SELECT (SELECT count(*)::integer FROM locked) AS claims, (SELECT count(*)::integer FROM to_send) AS sent'

const SEND = `-- send_reminders
      WITH ${passReminders('claims', `${isReachedOfLiveClaim('$2')} ORDER BY next_reminder_at, id LIMIT $3 ${LOCK_LIVE}`)},
      announced AS MATERIALIZED (${ANNOUNCE} WHERE EXISTS (SELECT FROM to_send)),
      ${notify('to_send, announced')}
      ${COUNTS}`
const SEND_ON_TEST_CLOCK = `-- send_reminders_on_test_clock
      WITH ${passReminders('claims', `${isReachedOnTestClock('$2', '$4')} ORDER BY next_reminder_at, id LIMIT $3 ${LOCK_ON_CLOCK}`)},
      ${notify('to_send')}
      ${COUNTS}`

/** The result of one statement. */
export interface SentReminders {
  /** Number of locked claims whose next reminder was reached. */
  claims: number
  /** Number of sent reminders. */
  sent: number
}

/**
 * Sends the reminders that the checks find for at most `limit` claims. For tables that are not distributed.
 * @param testClockId null for live claims. Otherwise the transaction has locked the clock, and has announced
 *   notifications (`announceOfAccount`)
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

/** A position in the index of reminders. */
export interface ReminderCursor {
  at: Date | '-infinity'
  id: string
}
export const FIRST_REMINDER: ReminderCursor = { at: '-infinity', id: NIL }

/**
 * For distributed tables: the first claims after the cursor whose next reminder is reached at a time.
 * @param testClockId null for live claims
 */
export async function listClaimsToRemind(
  db: Connection,
  testClockId: string | null,
  until: Date,
  after: ReminderCursor,
  limit: number,
): Promise<{ ids: string[]; next: ReminderCursor | null }> {
  const rows = await db.query<{ id: string; at: Date }>({
    text: `-- list_reminded
      SELECT id, next_reminder_at AS at FROM claims
      WHERE ${testClockId === null ? isReachedOfLiveClaim('$1') : isReachedOnTestClock('$1', '$5')} AND (next_reminder_at, id) > ($2, $3)
      ORDER BY next_reminder_at, id LIMIT $4`,
    values: [until, after.at, after.id, limit, ...(testClockId === null ? [] : [testClockId])],
    readOnly: true,
  })
  const last = rows.at(-1)
  return { ids: rows.map(({ id }) => id), next: last && rows.length === limit ? last : null }
}

/**
 * For distributed tables: live claims of reachable shards whose next reminder is reached at a time, at most `limit` of each
 * shard. Each shard is queried separately, as in `listDueOnReachableShards`.
 */
export async function listClaimsToRemindOnReachableShards(
  db: Connection,
  until: Date,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ ids: string[] }>({
    text: `-- list_reminded_where_reached
      SELECT nullif(result, '')::uuid[] AS ids
      FROM run_command_on_shards('claims', format(
        $of_shard$SELECT array_agg(id) FROM (
          SELECT id FROM %%s WHERE ${isReachedOfLiveClaim('%1$L')} ORDER BY next_reminder_at, id LIMIT %2$s
        ) reached$of_shard$, $1::timestamptz, $2::integer))
      WHERE success AND result <> ''`,
    values: [until, limit],
    readOnly: true,
  })
  return rows.flatMap(({ ids }) => ids)
}

/** A reminder to send. */
interface ReminderToSend {
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
      SELECT user_id, id, checked_at, due_at, reminder FROM to_send`,
})
const PASS = passInShard('pass_reminders_in_shards', `${isReachedOfLiveClaim('$2')} ORDER BY id ${LOCK_LIVE}`)
const PASS_ON_TEST_CLOCK = passInShard(
  'pass_reminders_of_test_clock_in_shards',
  `${isReachedOnTestClock('$2', '$4')} ORDER BY id ${LOCK_ON_CLOCK}`,
)

const NUMBERED = new Columns<ReminderToSend & { number: string }>({
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
  text: `WITH notified AS (
        INSERT INTO {{notifications}} (number, ${REMINDER_COLUMNS}, created_at)
        SELECT number, user_id, subject_id, 'due_soon', 0, checked_at, due_at, NULL, reminder, $${NUMBERED.next}::timestamptz
        FROM ${NUMBERED.as('n')}
      )
      SELECT true`,
}

/**
 * Sends the reminders that the checks find for these claims. For distributed tables, in a transaction. Takes the numbers
 * last, because the feeds of all accounts wait until a transaction that has taken numbers ends. Returns the number of sent
 * reminders.
 * @param announced key of the transaction's announcement (`announceOfAccount`); null without one
 */
export async function sendRemindersInShards(
  db: Connection,
  testClockId: string | null,
  { from, until }: CheckSpan,
  ids: readonly string[],
  announced: string | null,
): Promise<number> {
  const idsByNode = await nodesOf(db, ids, (id) => id)
  const statement = testClockId === null ? PASS : PASS_ON_TEST_CLOCK
  const clock = testClockId === null ? [] : [testClockId]
  const found = await queryInShards<ReminderToSend, string>(db, statement, idsByNode, (idsOfShard) => [
    from,
    until,
    plainArray(idsOfShard),
    ...clock,
  ])
  if (found.length === 0) return 0
  const { key, numbers, now } = await takeNumbers(db, found.length, announced)
  const sorted = found.toSorted((a, b) => a.checked_at.getTime() - b.checked_at.getTime())
  const numbered = sorted.map((reminder, i) => ({ ...reminder, number: numbers[i] as string }))
  // A node may commit after the transaction has failed on the coordinator, so the node holds the lock too.
  const numberedByNode = await nodesOf(db, numbered, ({ id }) => id)
  await queryInShards(db, { ...NOTIFY, announced: key }, numberedByNode, (shardRows) => [
    ...NUMBERED.values(shardRows),
    now,
  ])
  return found.length
}
