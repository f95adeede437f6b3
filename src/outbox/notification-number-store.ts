import { NOTIFICATION_NUMBERS, NOTIFICATION_NUMBERS_PARTITION } from '../platform/database/advisory-locks.ts'
import { NOW } from '../platform/database/clock.ts'
import type { Connection } from '../platform/database/connection.ts'
import { DatabaseUnavailable } from '../platform/database/database-unavailable.ts'

/*
 * Notifications are read in the order of their numbers. A number is taken before its row is committed, so a reader might
 * see 12 before 11 is committed. A reader that continues after 12 would never see 11. So a writer announces that it takes
 * numbers: until the commit it holds an advisory lock whose key is the last number that was taken before. All numbers up
 * to the lowest such key are settled: their notifications are committed, or will never exist. No session waits for these
 * locks. See docs/decisions/0034.
 */

/** The lower half of a key has this many values. */
const LOW_HALF = '4294967295'
const announce = (
  upper: string,
) => `SELECT max(key)::text AS key, count(pg_advisory_xact_lock_shared(key)) AS held
        FROM (SELECT (${upper})::bigint << 32 | (last_value & ${LOW_HALF}) AS key FROM notification_numbers) AS last`

/** SQL, one row. The statement must evaluate it before the transaction takes numbers. */
export const ANNOUNCE = announce(`${NOTIFICATION_NUMBERS}`)

/** SQL: the upper half of the key of an account. Accounts with the same hash share it. */
const partitionOf = (userId: string) =>
  `${NOTIFICATION_NUMBERS_PARTITION} + (hashtext(${userId}::uuid::text) & 255)`

/**
 * Announces numbers for a transaction of one account. The transaction may be long: only the feeds of accounts with the
 * same key wait for it. Returns the key of the lock.
 */
export async function announceOfAccount(db: Connection, userId: string): Promise<string> {
  const [row] = await db.query<{ key: string }>({
    name: 'announce_notifications',
    text: `-- announce_notifications
      ${announce(partitionOf('$1'))}`,
    values: [userId],
  })
  return (row as { key: string }).key
}

/** The columns of a notification besides its number and its time. */
export const NOTIFICATION_COLUMNS =
  'user_id, subject_id, kind, sequence, status_since, due_at, scheduled_outcome'

/**
 * SQL: stores a notification for each selected row. The transaction must have announced them.
 * @param columns of the rows
 */
export const insertNotifications = (
  selected: string,
  columns = NOTIFICATION_COLUMNS,
): string => `INSERT INTO notifications
          (number, ${columns}, created_at)
        SELECT nextval('notification_numbers'), selected.*, ${NOW}
        FROM (${selected}) AS selected (${columns})`

export interface Numbers {
  /** Key of the lock. */
  key: string
  numbers: string[]
  now: Date
}

// The parameter is in a subselect for the reason given at `lookupRows`.
const numbersBy = (announced: string) => `WITH announced AS MATERIALIZED (${announced})
      SELECT key, numbers::text, ${NOW} AS now FROM (
        SELECT key, array_agg(nextval('notification_numbers')) AS numbers FROM announced, generate_series(1, (SELECT $1::integer)) GROUP BY key
      ) AS taken`
const ANNOUNCE_AND_TAKE = {
  name: 'announce_and_take_numbers',
  text: `-- announce_and_take_numbers
      ${numbersBy(ANNOUNCE)}`,
}
const TAKE = {
  name: 'take_numbers',
  text: `-- take_numbers
      ${numbersBy('SELECT $2::text AS key')}`,
}

/**
 * Takes numbers on the coordinator for distributed tables: the other nodes have no sequence.
 * @param count at least one
 * @param key of the transaction's announcement; null without one
 */
export async function takeNumbers(db: Connection, count: number, key: string | null): Promise<Numbers> {
  const rows = await db.query<{ key: string; numbers: string; now: Date }>(
    key === null ? { ...ANNOUNCE_AND_TAKE, values: [count] } : { ...TAKE, values: [count, key] },
  )
  const taken = rows[0] as (typeof rows)[number]
  return { ...taken, numbers: taken.numbers.slice(1, -1).split(',') }
}

/**
 * A node may commit a notification before the coordinator has flushed that its number is taken. After a crash the
 * coordinator would take the number again, although readers have passed it. So a reader first flushes everything that
 * was written before.
 */
const FLUSH = "pg_logical_emit_message(true, 'claimkeeper', '')"

/** SQL: the lower halves of the held keys. */
const announcements = (where: string, userId: string) => `SELECT objid::bigint FROM pg_locks
        WHERE ${where} locktype = 'advisory' AND objsubid = 1
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND classid::bigint IN (${NOTIFICATION_NUMBERS}, ${partitionOf(userId)})`

// The last number must be read first: PostgreSQL changes a sequence in place.
const settled = (
  also: string,
) => `WITH last AS MATERIALIZED (SELECT last_value AS number FROM notification_numbers)
      SELECT number AS last, ARRAY(${announcements('number > 0 AND', '$1')}) AS locks${also} FROM last`
const READ_SETTLED = {
  name: 'read_settled',
  text: `-- read_settled
      ${settled('')}`,
}
const READ_SETTLED_HERE = {
  name: 'read_settled_here',
  text: `-- read_settled_here
      ${settled(`, ${FLUSH} AS flushed`)}`,
}

/**
 * The highest number up to which the notifications of this account are settled. It is read in a separate statement, so
 * that later statements see all notifications up to this number.
 * @throws DatabaseUnavailable if a node is unavailable, because its uncommitted notifications are unknown
 */
export async function readSettled(db: Connection, userId: string): Promise<bigint> {
  const { isOn } = db.distribution
  const [row] = await db.query<{ last: string; locks: string[] }>({
    ...(isOn ? READ_SETTLED_HERE : READ_SETTLED),
    values: [userId],
  })
  const { last, locks } = row as { last: string; locks: string[] }
  // A writer locks on the coordinator first, and unlocks there last unless something failed.
  const onNodes = isOn ? await readAnnouncementsOnNodes(db, userId) : []
  return lowestOf(BigInt(last), [...locks, ...onNodes])
}

async function readAnnouncementsOnNodes(db: Connection, userId: string): Promise<string[]> {
  const rows = await db.query<{ success: boolean; result: string }>({
    name: 'read_settled_on_machines',
    text: `-- read_settled_on_machines
      SELECT success, result FROM run_command_on_all_nodes($1)`,
    values: [
      `SELECT coalesce(string_agg(objid::text, ' '), '') FROM (${announcements('', `'${userId}'`)}) AS held`,
    ],
    readOnly: true,
  })
  if (rows.some(({ success }) => !success)) {
    throw new DatabaseUnavailable('A node of the database is unavailable.', 'not applied')
  }
  return rows.flatMap(({ result }) => result.split(' ').filter(Boolean))
}

const HALF = 1n << 31n

/**
 * `pg_locks` shows the lower half of a key. A key above `last` was announced after `last` was read, and does not count.
 */
function lowestOf(last: bigint, locks: readonly string[]): bigint {
  const behind = locks.map((low) => BigInt.asUintN(32, last - BigInt(low))).filter((by) => by < HALF)
  return behind.reduce((lowest, by) => (last - by < lowest ? last - by : lowest), last)
}
