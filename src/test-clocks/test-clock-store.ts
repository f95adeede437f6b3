import { NIL, v7 as uuidv7 } from 'uuid'
import type { TestClock, TestClockReference } from '../core/records.ts'
import { notifyOfOther } from '../outbox/outbox-store.ts'
import { NOW, readClock } from '../platform/database/clock.ts'
import type { Connection } from '../platform/database/connection.ts'
import { keepPositions } from '../platform/database/lists/deleted-positions.ts'
import {
  ENTER_INSERT_BARRIERS,
  IS_FRESH,
  type ListedRow,
  type Page,
  readPage,
} from '../platform/database/lists/list-page.ts'
import { ListQuery } from '../platform/database/lists/list-query.ts'
import { plainArray } from '../platform/database/sql-array.ts'

interface TestClockRow {
  id: string
  user_id: string
  name: string | null
  frozen_time: Date
  next_due_at: Date | null
  created_at: Date
}

const NEXT_DUE_AT = '(SELECT min(due_at) FROM claims WHERE test_clock_id = test_clocks.id)'

/** The columns of `TestClockRow`. On distributed tables `next_due_at` is null, and `withDueTimes` reads it. */
const columnsOf = ({ distribution }: Connection) =>
  `id, user_id, name, frozen_time, created_at, ${distribution.isOn ? 'NULL::timestamptz' : NEXT_DUE_AT} AS next_due_at`

/** Reads the due times of clocks on distributed tables. */
async function withDueTimes<Row extends TestClockRow>(db: Connection, rows: Row[]): Promise<Row[]> {
  if (!db.distribution.isOn || rows.length === 0) return rows
  const found = await db.query<{ id: string; next_due_at: Date | null }>({
    name: 'find_next_due',
    text: `-- find_next_due
      SELECT test_clock_id AS id, min(due_at) AS next_due_at FROM claims
      WHERE test_clock_id = ANY ($1::uuid[]) GROUP BY test_clock_id`,
    values: [plainArray(rows.map(({ id }) => id))],
  })
  const dueTimes = new Map(found.map(({ id, next_due_at }) => [id, next_due_at]))
  return rows.map((row) => ({ ...row, next_due_at: dueTimes.get(row.id) ?? null }))
}

const toTestClock = (row: TestClockRow): TestClock => ({
  id: row.id,
  userId: row.user_id,
  name: row.name,
  frozenTime: row.frozen_time,
  nextDueAt: row.next_due_at,
  createdAt: row.created_at,
})

export async function insertTestClock(
  db: Connection,
  clock: Pick<TestClock, 'userId' | 'name' | 'frozenTime'>,
): Promise<TestClock> {
  const [row] = await db.query<TestClockRow>({
    name: 'insert_test_clock',
    text: `-- insert_test_clock
      WITH barriers AS MATERIALIZED (${ENTER_INSERT_BARRIERS})
      INSERT INTO test_clocks (user_id, id, name, frozen_time, created_at)
      SELECT ($2::uuid[])[1], $3, $4, $5, ${NOW} FROM barriers
      RETURNING ${columnsOf(db)}`,
    // $1 and $2 are the parameters of the insert barriers too.
    values: ['test_clocks', plainArray([clock.userId]), uuidv7(), clock.name, clock.frozenTime],
  })
  // A new clock has no claims.
  return toTestClock(row as TestClockRow)
}

/** The account's clocks with these ids. */
export async function findTestClocks(
  db: Connection,
  userId: string,
  ids: readonly string[],
): Promise<TestClock[]> {
  const rows = await db.query<TestClockRow>({
    name: 'find_test_clocks',
    text: `-- find_test_clocks
      SELECT ${columnsOf(db)} FROM test_clocks WHERE user_id = $1 AND id = ANY ($2)`,
    values: [userId, ids],
  })
  return (await withDueTimes(db, rows)).map(toTestClock)
}

/** Returns the ids of clocks that are unlocked or deleted. Does not wait for locks. */
export async function findFreeTestClocks(
  db: Connection,
  clocks: readonly TestClockReference[],
): Promise<string[]> {
  const rows = await db.query<{ id: string }>({
    name: 'find_free_test_clocks',
    text: `-- find_free_test_clocks
      WITH named AS MATERIALIZED (SELECT * FROM unnest($1::uuid[], $2::uuid[]) AS n (user_id, id)),
      free AS MATERIALIZED (
        SELECT c.id FROM named n JOIN test_clocks c ON c.user_id = n.user_id AND c.id = n.id
        FOR SHARE OF c SKIP LOCKED
      )
      SELECT id FROM named n
      WHERE id IN (SELECT id FROM free)
        OR NOT EXISTS (SELECT FROM test_clocks c WHERE c.user_id = n.user_id AND c.id = n.id)`,
    values: [plainArray(clocks.map(({ userId }) => userId)), plainArray(clocks.map(({ id }) => id))],
  })
  return rows.map(({ id }) => id)
}

/**
 * Locks the clock until the transaction ends. Other advances, the deletion, and writes to claims on the clock wait.
 * Null if the account does not have the clock.
 * @param lockTimeoutMs limit of the wait for the lock; then throws an error that `isTransient`
 */
export async function lockTestClock(
  db: Connection,
  userId: string,
  id: string,
  lockTimeoutMs: number,
): Promise<TestClock | null> {
  await db.query({
    text: "SELECT set_config('lock_timeout', $1, true)",
    values: [lockTimeoutMs],
  })
  const [row] = await db.query<TestClockRow>({
    name: 'hold_test_clock',
    text: `-- hold_test_clock
      SELECT ${columnsOf(db)} FROM test_clocks WHERE user_id = $1 AND id = $2 FOR UPDATE`,
    values: [userId, id],
  })
  await db.query({ text: 'SET LOCAL lock_timeout = 0' })
  if (row && db.distribution.isOn) await commitInTwoPhases(db)
  const [found] = await withDueTimes(db, row ? [row] : [])
  return found ? toTestClock(found) : null
}

/**
 * Forces a two-phase commit. The row of the clock is on the coordinator. If all claims of the clock were on one other
 * node, Citus would commit there first, and a crash of the coordinator would then leave the claims moved and the
 * clock not. A statement over all nodes, which changes nothing, makes Citus prepare the transaction.
 */
async function commitInTwoPhases(db: Connection): Promise<void> {
  await db.query({
    text: `-- commit_in_two_phases
      UPDATE claims SET due_at = due_at WHERE test_clock_id = $1`,
    values: [NIL],
  })
}

/**
 * Sets the clock's time, and notifies the account. Call it with the clock locked. Returns the changed clock.
 * @param announced key of the lock by which the transaction announces its notifications (`announceOfAccount`)
 */
export async function setTestClock(
  db: Connection,
  clock: TestClock,
  frozenTime: Date,
  announced: string,
): Promise<TestClock> {
  const [row] = await db.query<TestClockRow>({
    name: 'set_test_clock',
    text: `-- set_test_clock
      UPDATE test_clocks SET frozen_time = $3 WHERE user_id = $1 AND id = $2 RETURNING ${columnsOf(db)}`,
    values: [clock.userId, clock.id, frozenTime],
  })
  await notifyOfOther(
    db,
    { userId: clock.userId, subjectId: clock.id, kind: 'advanced', at: frozenTime },
    announced,
  )
  return toTestClock((await withDueTimes(db, [row as TestClockRow]))[0] as TestClockRow)
}

/** Statements that delete the records that belong to the clock's claims, and the notifications of the clock. */
const DELETE_RECORDS_OF_CLAIMS = [
  `-- delete_test_clock_events
      DELETE FROM claim_events WHERE claim_id IN (SELECT id FROM claims WHERE test_clock_id = $1)`,
  `-- delete_test_clock_metadata
      DELETE FROM claim_metadata WHERE claim_id IN (SELECT id FROM claims WHERE test_clock_id = $1)`,
  `-- delete_test_clock_notifications
      DELETE FROM notifications WHERE subject_id IN (SELECT id FROM claims WHERE test_clock_id = $1)`,
  `-- delete_test_clock_own_notifications
      DELETE FROM notifications WHERE subject_id = $1`,
]

/**
 * Deletes the clock with its claims and candidates, their logs and all of their notifications. Marks their contracts
 * as possibly unused (see `unused-contracts.ts`). Call it with the clock locked.
 */
export async function deleteTestClock(db: Connection, clock: TestClock): Promise<void> {
  await keepPositions(db, clock)
  for (const text of DELETE_RECORDS_OF_CLAIMS) await db.query({ text, values: [clock.id] })
  await (db.distribution.isOn ? deleteClaimsInShards(db, clock) : deleteClaims(db, clock))
  await db.query({
    text: `-- delete_test_clock
      DELETE FROM test_clocks WHERE user_id = $1 AND id = $2`,
    values: [clock.userId, clock.id],
  })
}

/** Does not mark locked contracts: a transaction that creates a claim with the contract has locked it. */
async function deleteClaims(db: Connection, clock: TestClock): Promise<void> {
  await db.query({
    text: `-- delete_test_clock_claims
      WITH deleted AS (DELETE FROM claims WHERE test_clock_id = $1 RETURNING contract_hash),
      free AS MATERIALIZED (
        SELECT hash FROM contracts
        WHERE hash = ANY (ARRAY(SELECT DISTINCT contract_hash FROM deleted))
        FOR NO KEY UPDATE SKIP LOCKED
      )
      UPDATE contracts SET unused_since = ${NOW} WHERE hash = ANY (ARRAY(SELECT hash FROM free))`,
    values: [clock.id],
  })
}

async function deleteClaimsInShards(db: Connection, clock: TestClock): Promise<void> {
  const deleted = await db.query<{ hash: string }>({
    text: `-- delete_test_clock_claims_in_shards
      DELETE FROM claims WHERE test_clock_id = $1 RETURNING encode(contract_hash, 'hex') AS hash`,
    values: [clock.id],
  })
  const hashes = new Set(deleted.map(({ hash }) => `\\x${hash}`))
  if (hashes.size === 0) return
  await db.query({
    text: `-- mark_unused_contracts
      UPDATE contracts SET unused_since = $2 WHERE hash = ANY ($1::bytea[])`,
    values: [[...hashes], await readClock(db)],
  })
}

export interface TestClockFilter {
  userId: string
  /** Position of the record to continue after. */
  after: string | null
  order: 'asc' | 'desc'
  limit: number
}

export async function listTestClocks(db: Connection, filter: TestClockFilter): Promise<Page<TestClock>> {
  const list = { name: 'test_clocks', userId: filter.userId } as const
  const { rows, hasMore } = await readPage(db, list, filter, async (count, upTo) => {
    const query = new ListQuery()
      .where('user_id', '=', filter.userId)
      .after(filter.after, filter.order)
      .where('position', '<=', upTo)
    const page = await db.query<TestClockRow & ListedRow>({
      text: `-- list_test_clocks
        SELECT ${columnsOf(db)}, position, ${IS_FRESH} AS fresh FROM test_clocks
        WHERE ${query.conditions} ORDER BY position ${filter.order} LIMIT ${query.parameter(count)}`,
      values: query.values,
    })
    return withDueTimes(db, page)
  })
  return { rows: rows.map(toTestClock), hasMore }
}

/** A clock's position in the account's list. Null if the account does not have the clock. */
export async function findTestClockPosition(
  db: Connection,
  userId: string,
  id: string,
): Promise<string | null> {
  const [row] = await db.query<{ position: string }>({
    name: 'find_test_clock_position',
    text: `-- find_test_clock_position
      SELECT position FROM test_clocks WHERE user_id = $1 AND id = $2`,
    values: [userId, id],
  })
  return row?.position ?? null
}
