import {
  contractParameters,
  givenContracts,
  type NewContract,
  storeContracts,
} from '../contracts/contract-store.ts'
import type { Claim, ClaimAddress, NotedClaim } from '../core/claims/claim.ts'
import { openState } from '../core/claims/lifecycle.ts'
import type { Contract } from '../core/contracts/contract.ts'
import type { Metadata } from '../kernel/metadata.ts'
import { ANNOUNCE, insertNotifications } from '../outbox/notification-number-store.ts'
import { NOW } from '../platform/database/clock.ts'
import type { Connection } from '../platform/database/connection.ts'
import { ENTER_TURNSTILES } from '../platform/database/lists/list-page.ts'
import { addPairs, metadataColumns, metadataParameters } from '../platform/database/metadata.ts'
import { plainArray } from '../platform/database/sql-array.ts'
import { CLAIM_COLUMNS, type ClaimRow, toWholeClaim } from './claim-columns.ts'
import { candidateId, claimIdOf } from './claim-ids.ts'
import { insertIntoShards, type NewRow, storeMissing } from './insert-into-shards-store.ts'

/** The address as the columns `id` and `candidate_alias` hold it. */
export function addressColumns(address: ClaimAddress): { id: string; alias: string | null } {
  return { id: claimIdOf(address), alias: address.kind === 'candidate' ? address.alias : null }
}

/** The claim without its log; null if the account has none at this address. */
export async function findClaim(
  db: Connection,
  userId: string,
  address: ClaimAddress,
): Promise<Claim | null> {
  const { id, alias } = addressColumns(address)
  const [row] = await db.query<ClaimRow>({
    name: 'find_claim',
    text: `-- find_claim
      SELECT ${CLAIM_COLUMNS} FROM claims
      WHERE id = $1 AND user_id = $2 AND candidate_alias IS NOT DISTINCT FROM $3`,
    values: [id, userId, alias],
    readOnly: true,
  })
  return row ? toWholeClaim(row) : null
}

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
  schemaId: string | null
  /** Of that schema, whose contract it is; null without one. */
  schemaVersion: number | null
  /** Lives by this clock's time; null for the real time. */
  testClockId: string | null
  metadata: Metadata
}

const LIVE = `turnstiles AS MATERIALIZED (${ENTER_TURNSTILES}),
      clock AS MATERIALIZED (
        SELECT ${NOW} AS now FROM turnstiles, (SELECT $3::uuid) AS live
      )`
/**
 * The clock's row is locked, so that it cannot be advanced past claims that are just being opened; before the turnstile,
 * which holds up the account's lists. An advance is not waited for.
 */
const ON_TEST_CLOCK = `held AS MATERIALIZED (
        SELECT frozen_time AS now FROM test_clocks WHERE user_id = ($2::uuid[])[1] AND id = $3 FOR SHARE SKIP LOCKED
      ),
      turnstiles AS MATERIALIZED (${ENTER_TURNSTILES} WHERE EXISTS (SELECT FROM held)),
      clock AS MATERIALIZED (SELECT held.now FROM turnstiles, held)`

// What may be there already is looked for first: an insert would wait for whoever is changing it just then, an
// advance of its clock for instance, and all that goes with it would wait too. One that comes after the statement has
// begun is not seen: so the wait is short (`ENTER_TURNSTILES`), and the next try sees it.
// They get their positions in the order given, but are inserted in the order of their ids: whoever else inserts some of
// them then waits for this one, and not each for the other.
const insertion = (name: string, clock: string, hasMetadata: boolean) => ({
  name: hasMetadata ? `${name}_with_metadata` : name,
  text: `-- insert_claims
      WITH ${clock},
      ${givenContracts(9)},
      new AS MATERIALIZED (
        SELECT * FROM unnest($4::uuid[], $2::uuid[], $5::uuid[], $6::text[], $7::text[], $8::integer[], $16::uuid[],
          $17::text[], $18::uuid[], $19::integer[]${hasMetadata ? ', $20::jsonb[], $21::text[]' : ''})
          WITH ORDINALITY AS n (id, user_id, customer_id, alias, external_id, contract, schema_id, reference, seed,
            schema_version${hasMetadata ? ', metadata, pairs' : ''}, place)
        WHERE coalesce(alias, reference, seed::text) IS NULL OR ((SELECT true FROM claims WHERE claims.id = n.id) IS NULL
          AND (SELECT true FROM archived_claims a WHERE a.id = n.id) IS NULL)
        ORDER BY place
      ),
      ${storeContracts('(SELECT given.* FROM given, clock WHERE number IN (SELECT contract FROM new))')},
      placed AS MATERIALIZED (
        SELECT nextval('claims_position_seq') AS position, new.*, now
        FROM new, clock, (SELECT count(*) FROM stored) AS contracts_are_there
      ),
      inserted AS (
        INSERT INTO claims (id, position, user_id, customer_id, candidate_alias, customer_external_id, contract_hash,
          price, status, status_since, due_at, schema_id, test_clock_id, created_at, reference, seed,
          schema_version${hasMetadata ? ', metadata' : ''})
        OVERRIDING SYSTEM VALUE
        SELECT id, position, user_id, customer_id, alias, external_id, hash, price, 'OPEN', now,
          now + window_ms * interval '1 millisecond', schema_id, $3::uuid, now, reference, seed,
          schema_version${hasMetadata ? ', metadata' : ''}
        FROM placed JOIN given ON given.number = placed.contract ORDER BY id, position
        ON CONFLICT (id) DO NOTHING
        RETURNING id, position, user_id, due_at
      ),
      ${hasMetadata ? `noted AS (${addPairs('claims', 'SELECT placed.* FROM placed JOIN inserted USING (id, position)')}),` : ''}
      announced AS MATERIALIZED (${ANNOUNCE}),
      notified AS (
        ${insertNotifications(`SELECT user_id, id, 'created', 0, now, due_at, NULL
          FROM inserted, clock, announced`)}
      )
      SELECT inserted.id, now FROM clock LEFT JOIN inserted ON true`,
})
const insertions = (hasMetadata: boolean) => ({
  live: insertion('insert_claims', LIVE, hasMetadata),
  onTestClock: insertion('insert_claims_on_test_clock', ON_TEST_CLOCK, hasMetadata),
})
/** What has no metadata does not pay for it. */
const INSERTIONS = { plain: insertions(false), noted: insertions(true) }

/**
 * Stores new OPEN claims, live ones of any accounts. Each is the claim, or null if its id (so its alias, or its reference) is
 * taken.
 */
export async function insertClaims(
  db: Connection,
  claims: readonly NewClaim[],
): Promise<(NotedClaim | null)[]> {
  return (await insert(db, claims, null)) as (NotedClaim | null)[]
}

/** The same for claims of one account on this test clock; null for all if the clock is held, or gone. */
export const insertClaimsOnTestClock = (
  db: Connection,
  claims: readonly NewClaim[],
  testClockId: string,
): Promise<(NotedClaim | null)[] | null> => insert(db, claims, testClockId)

async function insert(
  db: Connection,
  claims: readonly NewClaim[],
  testClockId: string | null,
): Promise<(NotedClaim | null)[] | null> {
  const rows = claims.map(toNewRow)
  const store = db.distribution.isOn ? insertIntoShards : insertAtOnce
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
  const contracts = new Map(rows.map(({ contract }) => [contract.hash, contract]))
  const numbers = new Map(contracts.keys().map((hash, i) => [hash, i + 1]))
  const hasMetadata = rows.some(({ metadata }) => metadata !== null)
  const { live, onTestClock } = hasMetadata ? INSERTIONS.noted : INSERTIONS.plain
  const inserted = await db.query<{ id: string | null; now: Date }>({
    ...(testClockId === null ? live : onTestClock),
    values: [
      'claims',
      plainArray(rows.map(({ userId }) => userId)),
      testClockId,
      plainArray(rows.map(({ id }) => id)),
      plainArray(rows.map(({ customerId }) => customerId)),
      rows.map(({ alias }) => alias),
      rows.map(({ customerExternalId }) => customerExternalId),
      plainArray(rows.map(({ contract }) => numbers.get(contract.hash) as number)),
      ...contractParameters([...contracts.values()]),
      plainArray(rows.map(({ schemaId }) => schemaId)),
      rows.map(({ reference }) => reference),
      plainArray(rows.map(({ seed }) => seed)),
      plainArray(rows.map(({ schemaVersion }) => schemaVersion)),
      ...(hasMetadata ? metadataParameters(rows) : []),
    ],
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
): NotedClaim {
  const { address, reference, userId, customerId, customerExternalId } = claim
  const { schemaId, schemaVersion, testClockId, metadata } = claim
  return {
    id,
    userId,
    customerId,
    reference,
    candidateAlias: address.kind === 'candidate' ? address.alias : null,
    customerExternalId,
    contract,
    ...openState(contract, now),
    eventCount: 0,
    logBytes: 0,
    schemaId,
    schemaVersion,
    testClockId,
    createdAt: now,
    metadata,
  }
}

/** Whose candidates these aliases name, archived ones as well, by alias; those that name none are not there. */
export async function findAliasOwners(
  db: Connection,
  aliases: readonly string[],
): Promise<Map<string, string>> {
  const aliasOf = new Map(aliases.map((alias) => [candidateId(alias), alias]))
  const rows = await db.query<{ id: string; user_id: string }>({
    name: 'find_alias_owners',
    text: `-- find_alias_owners
      SELECT id, user_id FROM claims WHERE id = ANY($1::uuid[])
      UNION ALL SELECT id, user_id FROM archived_claims WHERE id = ANY($1::uuid[])`,
    values: [[...aliasOf.keys()]],
    readOnly: true,
  })
  return new Map(rows.map(({ id, user_id: userId }) => [aliasOf.get(id) as string, userId]))
}
