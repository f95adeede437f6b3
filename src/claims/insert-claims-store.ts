import {
  contractColumns,
  givenContracts,
  type NewContract,
  storeContracts,
  storeContractsCte,
} from '../contracts/contract-store.ts'
import type { TimeMeasure } from '../core/calendars/working-time.ts'
import type { ClaimAddress, ClaimWithMetadata } from '../core/claims/claim.ts'
import { openState } from '../core/claims/lifecycle.ts'
import { reminderMs, reminderTimes } from '../core/claims/reminder-times.ts'
import { type Contract, isExtended, windowMs } from '../core/contracts/contract.ts'
import type { Metadata } from '../kernel/metadata.ts'
import { ANNOUNCE, insertNotifications } from '../outbox/notification-number-store.ts'
import { type ClaimNotification, notificationOf, notifyInShards } from '../outbox/outbox-store.ts'
import { runCooperatively } from '../platform/concurrency/cooperative.ts'
import { nodesOf, queryInShards, type ShardStatement } from '../platform/database/citus/in-shards.ts'
import { NOW } from '../platform/database/clock.ts'
import { type ColumnList, Columns } from '../platform/database/columns.ts'
import type { Connection } from '../platform/database/connection.ts'
import { MAX_LOCK_WAIT } from '../platform/database/limits.ts'
import { ENTER_INSERT_BARRIERS } from '../platform/database/lists/list-page.ts'
import {
  addPairs,
  METADATA_COLUMNS,
  type MetadataColumns,
  metadataColumns,
} from '../platform/database/metadata.ts'
import { plainArray } from '../platform/database/sql-array.ts'
import { addressColumns } from './claim-store.ts'

export interface NewClaim {
  address: ClaimAddress
  /** Of a claim whose id is made of it; null for none. */
  reference: string | null
  /** Of the key of the request that creates it, and its place there; null for none. */
  seed: string | null
  userId: string
  customerId: string
  /** For a candidate. */
  customerExternalId: string | null
  contract: NewContract
  /** The working time of the contract's calendar, if it has one. */
  calendar?: TimeMeasure
  schemaId: string | null
  /** Of that schema, whose contract it is; null without one. */
  schemaVersion: number | null
  /** Lives by this clock's time; null for the real time. */
  testClockId: string | null
  metadata: Metadata
  /** Ascending; left out if there are none. */
  reminders?: readonly number[]
}

/** A new claim as its row has it. */
interface NewRow extends Omit<NewClaim, 'address' | 'metadata'>, MetadataColumns {
  id: string
  alias: string | null
}

/** The user ids come first: the insert barrier has them as $2. */
const NEW_ROW = {
  user_id: ['uuid', ({ userId }) => userId],
  id: ['uuid', ({ id }) => id],
  customer_id: ['uuid', ({ customerId }) => customerId],
  alias: ['text', ({ alias }) => alias],
  external_id: ['text', ({ customerExternalId }) => customerExternalId],
  hash: ['bytea', ({ contract }) => `\\x${contract.hash}`],
  schema_id: ['uuid', ({ schemaId }) => schemaId],
  reference: ['text', ({ reference }) => reference],
  seed: ['uuid', ({ seed }) => seed],
  schema_version: ['integer', ({ schemaVersion }) => schemaVersion],
} satisfies ColumnList<NewRow>

/**
 * SQL: whether the claim `n` may be inserted. An insert of an existing id would wait for a transaction that changes its row,
 * for example an advance of its clock, so the statement looks for the id first. It does not see a row that is inserted after it
 * began: then the wait for the lock is short (`ENTER_INSERT_BARRIERS`), and the next attempt sees the row.
 */
const isNew = (claims: string, archived: string) =>
  `(coalesce(alias, reference, seed::text) IS NULL OR ((SELECT true FROM ${claims} c WHERE c.id = n.id) IS NULL
          AND (SELECT true FROM ${archived} a WHERE a.id = n.id) IS NULL))`

/** Columns that are null for most claims. */
const MORE = {
  ...METADATA_COLUMNS,
  // See the constraint `extended_contract_is_known`.
  decided_count: ['integer', ({ contract }) => (isExtended(contract.contract) ? 0 : null)],
  remaining_ms: [
    'bigint',
    ({ contract: { contract } }) => (contract.clock ? windowMs(contract.activity_window) : null),
  ],
  reminders: ['text', ({ reminders }) => (reminders ? plainArray(reminders) : null)],
} satisfies ColumnList<NewRow>
/** Used with `MORE` by statements that read the clock and compute the reminder times with it. */
const REMINDER_MS = {
  reminder_ms: [
    'text',
    ({ reminders, contract: { contract } }) =>
      reminders ? plainArray(reminders.map((reminder) => reminderMs(contract, reminder))) : null,
  ],
} satisfies ColumnList<NewRow>
/** SQL: the reminder times, in the order of `reminder_ms`. */
const REMINDER_TIMES = `CASE WHEN reminder_ms IS NOT NULL THEN ARRAY(
              SELECT now + ms * interval '1 millisecond'
              FROM unnest(reminder_ms::bigint[]) WITH ORDINALITY AS r (ms, number) ORDER BY number
            ) END AS reminder_times`

/** SQL: further columns of `claims`, each with its value from a row with the columns of `MORE`. */
const MORE_VALUES = {
  metadata: 'metadata',
  decided_count: 'decided_count',
  remaining_ms: 'remaining_ms',
  clock_since: 'CASE WHEN remaining_ms IS NOT NULL THEN now END',
  reminders: 'reminders::float8[]',
  reminder_times: 'reminder_times::timestamptz[]',
  reminders_passed: 'CASE WHEN reminders IS NOT NULL THEN 0 END',
  next_reminder_at: '(reminder_times::timestamptz[])[1]',
}

/**
 * SQL: inserts OPEN claims from rows with the columns of `NEW_ROW` and with position, price, now, due_at and test_clock_id.
 * @param hasMore whether the rows have the columns of `MORE` and `reminder_times`
 */
const insertFrom = (claims: string, rows: string, hasMore: boolean) => {
  const more = Object.entries(hasMore ? MORE_VALUES : {})
  const [columns, values] = [more.map(([name]) => `, ${name}`), more.map(([, value]) => `, ${value}`)]
  return `INSERT INTO ${claims} (id, position, user_id, customer_id, candidate_alias, customer_external_id, contract_hash,
          price, status, status_since, due_at, schema_id, test_clock_id, created_at, reference, seed, schema_version${columns.join('')})
        OVERRIDING SYSTEM VALUE
        SELECT id, position, user_id, customer_id, alias, external_id, hash, price, 'OPEN', now, due_at, schema_id,
          test_clock_id, now, reference, seed, schema_version${values.join('')}
        FROM ${rows}
        ON CONFLICT (id) DO NOTHING`
}

/** The time is read after all insert barriers: lists by time continue after the claims that they have shown. */
const LIVE = `barriers AS MATERIALIZED (${ENTER_INSERT_BARRIERS}),
      clock AS MATERIALIZED (SELECT ${NOW} AS now FROM barriers)`
/**
 * The clock's row is locked, so that it cannot be advanced past claims that are just being opened; before the insert barrier,
 * which holds up the account's lists. An advance is not waited for.
 */
const ON_TEST_CLOCK = (parameter: number) => `held AS MATERIALIZED (
        SELECT frozen_time AS now FROM test_clocks WHERE user_id = ($2::uuid[])[1] AND id = $${parameter} FOR SHARE SKIP LOCKED
      ),
      barriers AS MATERIALIZED (${ENTER_INSERT_BARRIERS} WHERE EXISTS (SELECT FROM held)),
      clock AS MATERIALIZED (SELECT held.now FROM barriers, held)`

/**
 * Inserts claims on one PostgreSQL. $1 is the list. Positions are taken in the given order. Rows are inserted in the order of
 * their ids, so two statements that insert the same claims cannot wait for each other in a circle.
 */
function insertion(name: string, isLive: boolean, hasMore: boolean) {
  const columns = new Columns<NewRow>(hasMore ? { ...NEW_ROW, ...MORE, ...REMINDER_MS } : NEW_ROW, 2)
  const contracts = contractColumns(columns.next)
  const testClock = contracts.next
  const text = `-- insert_claims
      WITH ${isLive ? LIVE : ON_TEST_CLOCK(testClock)},
      ${givenContracts(contracts)},
      new AS MATERIALIZED (
        SELECT * FROM ${columns.as('n', 'place')} WHERE ${isNew('claims', 'archived_claims')} ORDER BY place
      ),
      ${storeContractsCte('(SELECT given.* FROM given, clock WHERE hash IN (SELECT hash FROM new))')},
      placed AS MATERIALIZED (
        SELECT nextval('claims_position_seq') AS position, new.*, now, $${testClock}::uuid AS test_clock_id
        FROM new, clock, (SELECT count(*) FROM stored) AS contracts_are_there
      ),
      inserted AS (
        ${insertFrom(
          'claims',
          `(
          SELECT placed.*, price, now + window_ms * interval '1 millisecond' AS due_at${
            hasMore ? `, ${REMINDER_TIMES}` : ''
          }
          FROM placed JOIN given ON given.hash = placed.hash
        ) AS priced ORDER BY id, position`,
          hasMore,
        )}
        RETURNING id, position, user_id, due_at
      ),
      ${hasMore ? `noted AS (${addPairs('claims', 'SELECT placed.* FROM placed JOIN inserted USING (id, position)')}),` : ''}
      announced AS MATERIALIZED (${ANNOUNCE}),
      notified AS (
        ${insertNotifications(`SELECT user_id, id, 'created', 0, now, due_at, NULL
          FROM inserted, clock, announced`)}
      )
      SELECT inserted.id, now FROM clock LEFT JOIN inserted ON true`
  const valuesOf = (rows: readonly NewRow[], testClockId: string | null) => [
    'claims',
    ...columns.values(rows),
    ...contracts.values([...new Map(rows.map(({ contract }) => [contract.hash, contract])).values()]),
    testClockId,
  ]
  return { statement: { name: hasMore ? `${name}_with_metadata` : name, text }, valuesOf }
}
const insertions = (hasMore: boolean) => ({
  live: insertion('insert_claims', true, hasMore),
  onTestClock: insertion('insert_claims_on_test_clock', false, hasMore),
})
/** A statement without metadata, extended contracts and reminders is faster. */
const INSERTIONS = { plain: insertions(false), withMore: insertions(true) }

/**
 * Stores new OPEN claims, live ones of any accounts. Each is the claim, or null if its id (so its alias, or its reference) is
 * taken.
 */
export async function insertClaims(
  db: Connection,
  claims: readonly NewClaim[],
): Promise<(ClaimWithMetadata | null)[]> {
  return (await insert(db, claims, null)) as (ClaimWithMetadata | null)[]
}

/** The same for claims of one account on this test clock; null for all if the clock is held, or gone. */
export const insertClaimsOnTestClock = (
  db: Connection,
  claims: readonly NewClaim[],
  testClockId: string,
): Promise<(ClaimWithMetadata | null)[] | null> => insert(db, claims, testClockId)

async function insert(
  db: Connection,
  claims: readonly NewClaim[],
  testClockId: string | null,
): Promise<(ClaimWithMetadata | null)[] | null> {
  const rows = claims.map(toNewRow)
  const store = db.distribution.isOn
    ? insertIntoShards
    : claims.some(({ calendar }) => calendar)
      ? insertAtKnownTime
      : insertAtOnce
  const stored = await store(db, rows, testClockId)
  if (stored === null) return null
  return rows.map((row, i) => {
    const now = stored.get(row.id)
    // Of two with the same alias the first is stored.
    stored.delete(row.id)
    return now ? claimAsCreated(claims[i] as NewClaim, row.id, now, row.contract.contract) : null
  })
}

const toNewRow = (claim: NewClaim): NewRow => ({
  ...claim,
  ...addressColumns(claim.address),
  ...metadataColumns(claim.userId, claim.address.kind, claim.metadata),
})

/**
 * On distributed tables, before they are stored: sees to it that their contracts are there. False of one that is known to be
 * there already.
 */
export async function prepareContracts(db: Connection, claims: readonly NewClaim[]): Promise<boolean[]> {
  const rows = claims.map(toNewRow)
  const ready = new Set(await storeMissing(db, rows))
  return rows.map((row) => ready.has(row))
}

/** When each claim that was stored was made, by its id; null if the clock is held, or gone. */
async function insertAtOnce(
  db: Connection,
  rows: readonly NewRow[],
  testClockId: string | null,
): Promise<Map<string, Date> | null> {
  const hasMore = rows.some(
    ({ metadata, contract, reminders }) =>
      metadata !== null || isExtended(contract.contract) || reminders !== undefined,
  )
  const { live, onTestClock } = hasMore ? INSERTIONS.withMore : INSERTIONS.plain
  const { statement, valuesOf } = testClockId === null ? live : onTestClock
  const inserted = await db.query<{ id: string | null; now: Date }>({
    ...statement,
    values: valuesOf(rows, testClockId),
  })
  if (inserted.length === 0) return null
  return new Map(inserted.flatMap(({ id, now }) => (id === null ? [] : [[id, now]])))
}

/** OPEN, with nothing in its log. */
export function claimAsCreated(
  claim: Omit<NewClaim, 'contract' | 'seed'>,
  id: string,
  now: Date,
  contract: Contract,
): ClaimWithMetadata {
  const { address, reference, userId, customerId, customerExternalId } = claim
  const { schemaId, schemaVersion, testClockId, metadata, reminders } = claim
  return {
    id,
    userId,
    customerId,
    reference,
    candidateAlias: address.kind === 'candidate' ? address.alias : null,
    customerExternalId,
    contract,
    ...openState(contract, now, claim.calendar),
    eventCount: 0,
    logBytes: 0,
    reviewStart: null,
    schemaId,
    schemaVersion,
    testClockId,
    createdAt: now,
    metadata,
    ...(reminders && { reminders }),
  }
}

/** SQL: takes a position for each claim. $1 list, $2 user ids of the claims. @param clock has the time as `clock` */
const takePositions = (clock: string) => `WITH ${clock}
      SELECT nextval('claims_position_seq') AS position, now
      FROM clock, unnest($2::uuid[]) AS each_of_them`
export const TAKE_LIVE_POSITIONS = `-- take_positions
      ${takePositions(LIVE)}`
const TAKE_POSITIONS_ON_TEST_CLOCK = `-- take_positions_on_test_clock
      ${takePositions(ON_TEST_CLOCK(3))}`

interface PlacedRow extends NewRow {
  position: string
  now: Date
  dueAt: Date | null
  /** An array of PostgreSQL; null without reminders. */
  reminderTimes: string | null
}

const PLACED_ROWS = new Columns<PlacedRow>({
  ...NEW_ROW,
  ...MORE,
  position: ['bigint', ({ position }) => position],
  price: ['numeric', ({ contract }) => contract.contract.price],
  now: ['timestamptz', ({ now }) => now],
  due_at: ['timestamptz', ({ dueAt }) => dueAt],
  test_clock_id: ['uuid', ({ testClockId }) => testClockId],
  reminder_times: ['text', ({ reminderTimes }) => reminderTimes],
})

const INSERT: ShardStatement = {
  name: 'insert_in_shards',
  columns: 'id uuid',
  text: `WITH new AS MATERIALIZED (
        SELECT * FROM ${PLACED_ROWS.as('n')} WHERE ${isNew('{{claims}}', '{{archived_claims}}')} ORDER BY id
      ),
      inserted AS (
        ${insertFrom('{{claims}}', 'new', true)} RETURNING id
      ),
      noted AS (
        ${addPairs('claims', 'SELECT new.* FROM new JOIN inserted USING (id) WHERE metadata IS NOT NULL', '{{claim_metadata}}')}
      )
      SELECT id FROM inserted`,
}

/**
 * Stores new claims on distributed tables, whose contracts are there (`storeMissing`), in one transaction. Returns when each
 * claim that was stored was made, by its id; null if the clock is held, or gone.
 */
async function insertIntoShards(
  db: Connection,
  rows: readonly NewRow[],
  testClockId: string | null,
): Promise<Map<string, Date> | null> {
  return db.transaction(async (connection) => {
    const placed = await place(connection, rows, testClockId)
    const [first] = placed
    if (!first) return null
    // Another may be inserting one of them: SET LOCAL reaches the node that has it.
    if (rows.some(mayBeThere)) await connection.query({ text: `SET LOCAL lock_timeout = '${MAX_LOCK_WAIT}'` })
    const nodes = await nodesOf(connection, placed, ({ id }) => id)
    const inserted = await queryInShards<{ id: string }, PlacedRow>(connection, INSERT, nodes, (some) =>
      PLACED_ROWS.values(some),
    )
    const stored = new Map(inserted.map(({ id }) => [id, first.now]))
    await notifyInShards(connection, creationsOf(placed, stored), null)
    return stored
  })
}

/** The rows with positions and time. Locks last until the transaction ends. Empty if the clock is locked or gone. */
async function place(
  connection: Connection,
  rows: readonly NewRow[],
  testClockId: string | null,
): Promise<PlacedRow[]> {
  const places = await connection.query<{ position: string; now: Date }>({
    name: testClockId === null ? 'take_positions' : 'take_positions_on_test_clock',
    text: testClockId === null ? TAKE_LIVE_POSITIONS : TAKE_POSITIONS_ON_TEST_CLOCK,
    values: [
      'claims',
      plainArray(rows.map(({ userId }) => userId)),
      ...(testClockId === null ? [] : [testClockId]),
    ],
  })
  const [first] = places
  if (!first) return []
  const positions = places.map(({ position }) => position)
  return firstOfEachId(await runCooperatively(placeEach(rows, positions, testClockId, first.now)))
}

/** One step per row: with a calendar each time takes tens of microseconds, and the first one in a time zone more. */
function* placeEach(
  rows: readonly NewRow[],
  positions: readonly string[],
  testClockId: string | null,
  now: Date,
): Generator<void, PlacedRow[]> {
  const timesOf = reminderTimesAt(now)
  const placed: PlacedRow[] = []
  for (const [i, row] of rows.entries()) {
    const position = positions[i] as string
    const { dueAt } = openState(row.contract.contract, now, row.calendar)
    placed.push({ ...row, position, testClockId, now, dueAt, reminderTimes: timesOf(row) })
    yield
  }
  return placed
}

/**
 * Returns a function that computes the reminder times of claims created at this time. Claims that share a contract and
 * reminders share a result: with a calendar each takes microseconds, and a statement may have thousands.
 */
function reminderTimesAt(now: Date): (row: NewRow) => string | null {
  const known = new Map<string, string>()
  return ({ reminders, contract: { contract, hash }, calendar }) => {
    if (!reminders) return null
    const key = `${hash} ${reminders}`
    const clock = { remainingMs: windowMs(contract.activity_window), since: now }
    const times = known.get(key) ?? plainArray(reminderTimes(reminders, contract, clock, calendar))
    known.set(key, times)
    return times
  }
}

const PLACED_CONTRACTS = contractColumns(PLACED_ROWS.next)
const INSERT_PLACED = `-- insert_placed_claims
      WITH ${givenContracts(PLACED_CONTRACTS)},
      new AS MATERIALIZED (
        SELECT * FROM ${PLACED_ROWS.as('n')} WHERE ${isNew('claims', 'archived_claims')}
      ),
      ${storeContractsCte('(SELECT * FROM given WHERE hash IN (SELECT hash FROM new))')},
      inserted AS (
        ${insertFrom(
          'claims',
          '(SELECT new.* FROM new, (SELECT count(*) FROM stored) AS contracts_are_there) AS ready ORDER BY id',
          true,
        )} RETURNING id, user_id, due_at, created_at
      ),
      noted AS (${addPairs('claims', 'SELECT new.* FROM new JOIN inserted USING (id) WHERE metadata IS NOT NULL')}),
      announced AS MATERIALIZED (${ANNOUNCE}),
      notified AS (
        ${insertNotifications(`SELECT user_id, id, 'created', 0, created_at, due_at, NULL
          FROM inserted, announced`)}
      )
      SELECT id FROM inserted`

/**
 * Stores new claims of contracts with calendars. PostgreSQL cannot compute the end of their windows, so this function
 * reads the time of creation first. The insert barrier is held from that read until the end of the transaction.
 */
async function insertAtKnownTime(
  db: Connection,
  rows: readonly NewRow[],
  testClockId: string | null,
): Promise<Map<string, Date> | null> {
  return db.transaction(async (connection) => {
    const placed = await place(connection, rows, testClockId)
    const [first] = placed
    if (!first) return null
    const contracts = new Map(placed.map(({ contract }) => [contract.hash, contract]))
    const inserted = await connection.query<{ id: string }>({
      name: 'insert_placed_claims',
      text: INSERT_PLACED,
      values: [...PLACED_ROWS.values(placed), ...PLACED_CONTRACTS.values([...contracts.values()])],
    })
    return new Map(inserted.map(({ id }) => [id, first.now]))
  })
}

/**
 * Stores the contracts of new claims that are not there yet, for which all nodes are needed. As a rule all are known: they
 * are looked for on the coordinator, which is done at once. Returns the rows whose
 * contracts are there then: all but those of candidates that are, and whose contracts nobody has.
 */
async function storeMissing(db: Connection, rows: readonly NewRow[]): Promise<readonly NewRow[]> {
  const contracts = new Map(rows.map(({ contract }) => [contract.hash, contract]))
  const known = await db.query<{ hash: string }>({
    name: 'find_stored_contracts',
    text: `-- find_stored_contracts
      SELECT encode(hash, 'hex') AS hash FROM contracts WHERE hash = ANY ($1::bytea[]) AND unused_since IS NULL`,
    values: [[...contracts.keys()].map((hash) => `\\x${hash}`)],
  })
  const stored = new Set(known.map(({ hash }) => hash))
  const lacking = rows.filter(({ contract }) => !stored.has(contract.hash))
  if (lacking.length === 0) return rows
  const refused = lacking.some(mayBeThere) ? await findKnown(db, lacking) : new Set<string>()
  const missing = new Map(
    lacking.filter(({ id }) => !refused.has(id)).map(({ contract }) => [contract.hash, contract]),
  )
  if (missing.size > 0) await db.transaction((connection) => store(connection, [...missing.values()]))
  return rows.filter(({ id, contract }) => stored.has(contract.hash) || !refused.has(id))
}

/** One writes to contracts after the other; if that takes long, it fails (`isTransient`). */
async function store(db: Connection, contracts: readonly NewContract[]): Promise<void> {
  await db.query({ text: `SET LOCAL lock_timeout = '${MAX_LOCK_WAIT}'` })
  await storeContracts(db, 'store_contracts', contracts)
}

/** What has a name, or a key, may be there already; any other claim is new. */
const mayBeThere = ({ alias, reference, seed }: NewRow) => (alias ?? reference ?? seed) !== null

const creationsOf = (rows: readonly PlacedRow[], stored: ReadonlyMap<string, Date>): ClaimNotification[] =>
  rows
    .filter(({ id }) => stored.has(id))
    .map(({ id, contract: { contract }, calendar, now }) =>
      notificationOf(id, 0, openState(contract, now, calendar)),
    )

/** Of several with one id, so with one alias or reference, the first. */
function firstOfEachId(rows: readonly PlacedRow[]): PlacedRow[] {
  const first = new Map<string, PlacedRow>()
  for (const row of rows) if (!first.has(row.id)) first.set(row.id, row)
  return [...first.values()]
}

/** Ids of the claims that exist or were archived. An insert would wait for a transaction that is changing one of them. */
async function findKnown(db: Connection, rows: readonly NewRow[]): Promise<Set<string>> {
  const known = await db.query<{ id: string }>({
    name: 'find_known_claims',
    text: `-- find_known_claims
      SELECT id FROM claims WHERE id = ANY ($1::uuid[])
      UNION ALL SELECT id FROM archived_claims WHERE id = ANY ($1::uuid[])`,
    values: [plainArray(rows.map(({ id }) => id))],
  })
  return new Set(known.map(({ id }) => id))
}
