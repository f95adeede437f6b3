import {
  contractParameters,
  givenContracts,
  type NewContract,
  storeContracts,
} from '../contracts/contract-store.ts'
import { openState } from '../core/claims/lifecycle.ts'
import { windowMs } from '../core/contracts/contract.ts'
import { type ClaimNotification, notificationOf, notifyInShards } from '../outbox/outbox-store.ts'
import { machinesOf, queryInShards, type ShardStatement } from '../platform/database/citus/in-shards.ts'
import { NOW } from '../platform/database/clock.ts'
import type { Connection } from '../platform/database/connection.ts'
import { ENTER_TURNSTILES, LONGEST_LOCK_WAIT } from '../platform/database/lists/list-page.ts'
import { addPairs, type MetadataColumns } from '../platform/database/metadata.ts'
import { plainArray } from '../platform/database/sql-array.ts'

/** A new claim as its row has it. */
export interface NewRow extends MetadataColumns {
  id: string
  alias: string | null
  reference: string | null
  seed: string | null
  userId: string
  customerId: string
  customerExternalId: string | null
  contract: NewContract
  schemaId: string | null
  schemaVersion: number | null
}

/**
 * What a place in the lists is taken by: see `ENTER_TURNSTILES`. $1 list, $2 user ids; one row for each of these.
 * @param clock what enters the turnstiles, and has the time as `clock`
 */
const takePositions = (clock: string) => `WITH ${clock}
      SELECT nextval('claims_position_seq') AS position, now
      FROM clock, unnest($2::uuid[]) AS each_of_them`
/** The time is taken behind all turnstiles: lists by it go on after what they have shown. */
export const TAKE_LIVE_POSITIONS = `-- take_positions
      ${takePositions(`turnstiles AS MATERIALIZED (${ENTER_TURNSTILES}),
      clock AS MATERIALIZED (SELECT ${NOW} AS now FROM turnstiles)`)}`
const TAKE_POSITIONS_ON_TEST_CLOCK = `-- take_positions_on_test_clock
      ${takePositions(`held AS MATERIALIZED (
        SELECT frozen_time AS now FROM test_clocks WHERE user_id = ($2::uuid[])[1] AND id = $3 FOR SHARE SKIP LOCKED
      ),
      turnstiles AS MATERIALIZED (${ENTER_TURNSTILES} WHERE EXISTS (SELECT FROM held)),
      clock AS MATERIALIZED (SELECT held.now FROM turnstiles, held)`)}`

// What may be there already is looked for first: see `insertion` in claims.ts.
const INSERT_INTO = `WITH new AS MATERIALIZED (
        SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::bytea[],
          $8::numeric[], $9::timestamptz[], $10::timestamptz[], $11::uuid[], $12::uuid[], $13::text[], $14::uuid[],
          $15::integer[], $16::jsonb[], $17::text[])
          AS n (id, position, user_id, customer_id, alias, external_id, hash, price, now, due_at, schema_id, test_clock_id,
            reference, seed, schema_version, metadata, pairs)
        WHERE coalesce(alias, reference, seed::text) IS NULL
          OR ((SELECT true FROM {{claims}} c WHERE c.id = n.id) IS NULL
            AND (SELECT true FROM {{archived_claims}} a WHERE a.id = n.id) IS NULL)
        ORDER BY id
      ),
      inserted AS (
        INSERT INTO {{claims}} (id, position, user_id, customer_id, candidate_alias, customer_external_id, contract_hash,
          price, status, status_since, due_at, schema_id, test_clock_id, created_at, reference, seed, schema_version, metadata)
        OVERRIDING SYSTEM VALUE
        SELECT id, position, user_id, customer_id, alias, external_id, hash, price, 'OPEN', now, due_at, schema_id,
          test_clock_id, now, reference, seed, schema_version, metadata
        FROM new
        ON CONFLICT (id) DO NOTHING RETURNING id
      ),
      noted AS (
        ${addPairs('claims', 'SELECT new.* FROM new JOIN inserted USING (id) WHERE metadata IS NOT NULL', '{{claim_metadata}}')}
      )
      SELECT id FROM inserted`
const INSERT: ShardStatement = { name: 'insert_in_shards', text: INSERT_INTO, columns: 'id uuid' }

/**
 * Stores new claims on distributed tables, whose contracts are there (`storeMissing`), in one transaction. Returns when each
 * claim that was stored was made, by its id; null if the clock is held, or gone.
 */
export async function insertIntoShards(
  db: Connection,
  rows: readonly NewRow[],
  testClockId: string | null,
): Promise<Map<string, Date> | null> {
  return db.transaction(async (connection) => {
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
    if (!first) return null
    const positions = places.map(({ position }) => position)
    const placed = firstOfEach(
      rows.map((row, i) => ({ ...row, position: positions[i] as string, testClockId, now: first.now })),
    )
    // Another may be inserting one of them: SET LOCAL reaches the machine that has it.
    if (rows.some(mayBeThere))
      await connection.query({ text: `SET LOCAL lock_timeout = '${LONGEST_LOCK_WAIT}'` })
    const machines = await machinesOf(connection, placed, ({ id }) => id)
    const inserted = await queryInShards<{ id: string }, PlacedRow>(connection, INSERT, machines, valuesOf)
    const stored = new Map(inserted.map(({ id }) => [id, first.now]))
    await notifyInShards(connection, creationsOf(placed, stored), null)
    return stored
  })
}

/**
 * Stores the contracts of new claims that are not there yet, for which all machines are needed. As a rule all are known: they
 * are looked for on the coordinator, which is done at once. Returns the rows whose
 * contracts are there then: all but those of candidates that are, and whose contracts nobody has.
 */
export async function storeMissing(db: Connection, rows: readonly NewRow[]): Promise<readonly NewRow[]> {
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

/** One writes to contracts after the other; if that takes long, it fails (`isPassing`). */
async function store(db: Connection, contracts: readonly NewContract[]): Promise<void> {
  await db.query({ text: `SET LOCAL lock_timeout = '${LONGEST_LOCK_WAIT}'` })
  await db.query({
    name: 'store_contracts',
    text: `-- store_contracts
      WITH ${givenContracts(1)},
      ${storeContracts('given')}
      SELECT count(*) FROM stored`,
    values: contractParameters(contracts),
  })
}

/** What has a name, or a key, may be there already; any other claim is new. */
const mayBeThere = ({ alias, reference, seed }: NewRow) => (alias ?? reference ?? seed) !== null

type PlacedRow = NewRow & { position: string; testClockId: string | null; now: Date }

const creationsOf = (rows: readonly PlacedRow[], stored: ReadonlyMap<string, Date>): ClaimNotification[] =>
  rows
    .filter(({ id }) => stored.has(id))
    .map(({ id, contract: { contract }, now }) => notificationOf(id, 0, openState(contract, now)))

const valuesOf = (rows: readonly PlacedRow[]) => [
  plainArray(rows.map(({ id }) => id)),
  plainArray(rows.map(({ position }) => position)),
  plainArray(rows.map(({ userId }) => userId)),
  plainArray(rows.map(({ customerId }) => customerId)),
  rows.map(({ alias }) => alias),
  rows.map(({ customerExternalId }) => customerExternalId),
  rows.map(({ contract }) => `\\x${contract.hash}`),
  plainArray(rows.map(({ contract }) => contract.contract.price)),
  plainArray(rows.map(({ now }) => now)),
  plainArray(
    rows.map(({ now, contract }) => new Date(now.getTime() + windowMs(contract.contract.activity_window))),
  ),
  plainArray(rows.map(({ schemaId }) => schemaId)),
  plainArray(rows.map(({ testClockId }) => testClockId)),
  rows.map(({ reference }) => reference),
  plainArray(rows.map(({ seed }) => seed)),
  plainArray(rows.map(({ schemaVersion }) => schemaVersion)),
  rows.map(({ metadata }) => metadata),
  rows.map(({ pairs }) => pairs),
]

/** Of several with one id, so with one alias or reference, the first. */
function firstOfEach(rows: readonly PlacedRow[]): PlacedRow[] {
  const first = new Map<string, PlacedRow>()
  for (const row of rows) if (!first.has(row.id)) first.set(row.id, row)
  return [...first.values()]
}

/** Those that are there, or were archived. An insert would wait for whoever is changing one of them just then. */
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
