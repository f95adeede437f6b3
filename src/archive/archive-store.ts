import type { ArchivedClaim } from '../claims/archived/archived-claim-store.ts'
import { type NewContract, storeContracts } from '../contracts/contract-store.ts'
import { isExtended } from '../core/contracts/contract.ts'
import { batchesByWeight } from '../kernel/batches-by-weight.ts'
import { NOW, readClock } from '../platform/database/clock.ts'
import { Columns } from '../platform/database/columns.ts'
import type { Connection } from '../platform/database/connection.ts'
import { metadataColumns, replacePairs } from '../platform/database/metadata.ts'
import { Parameters } from '../platform/database/parameters.ts'
import { plainArray, textArray } from '../platform/database/sql-array.ts'
import {
  type ArchivedClaimRow,
  type ArchivedEventRow,
  type ExpectedClaim,
  METADATA_DIGEST,
} from './claims-to-archive-store.ts'
import { ARCHIVE_LEASE_SECONDS, RESTORE_BATCH } from './limits.ts'

/**
 * Marks contracts that may soon have no claim (`unused-contracts.ts`). Call it before the claims are removed: the job searches for
 * uses a day after the mark.
 */
export async function markContractsUnused(db: Connection, hashes: readonly string[]): Promise<void> {
  const values = [textArray(hashes.map((hash) => `\\x${hash}`))]
  if (db.distribution.isOn) {
    await db.query({
      name: 'mark_contracts_of_archived_on_machines',
      text: `-- mark_contracts_of_archived_on_machines
        UPDATE contracts SET unused_since = $2 WHERE hash = ANY ($1::bytea[])`,
      values: [...values, await readClock(db)],
    })
    return
  }
  await db.query({
    name: 'mark_contracts_of_archived',
    text: `-- mark_contracts_of_archived
      WITH free AS MATERIALIZED (
        SELECT hash FROM contracts WHERE hash = ANY ($1::bytea[]) ORDER BY hash FOR NO KEY UPDATE SKIP LOCKED
      )
      UPDATE contracts SET unused_since = ${NOW} WHERE hash = ANY (ARRAY(SELECT hash FROM free))`,
    values,
  })
}

/**
 * Removes the claims with their logs and records the file of each, in one transaction. Claims that have changed since they were
 * read, and claims that were restored since `before`, stay. All claims must be of one shard. Returns the number of removed claims.
 */
export async function removeArchivedClaims(
  db: Connection,
  claims: readonly ExpectedClaim[],
  fileId: string,
  before: Date,
): Promise<number> {
  const sortedById = claims.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const archivedAt = await readClock(db)
  const removal = db.transaction(async (connection) => {
    const kept = await connection.query<{ id: string }>({
      name: 'keep_archived_claims',
      text: KEEP_ARCHIVED_CLAIMS,
      values: [
        plainArray(sortedById.map(({ id }) => id)),
        plainArray(sortedById.map(({ status }) => status)),
        plainArray(sortedById.map(({ eventCount }) => eventCount)),
        fileId,
        archivedAt,
        before,
        plainArray(sortedById.map(({ metadataDigest }) => metadataDigest)),
      ],
    })
    if (kept.length === 0) return 0
    const digests = new Map(claims.map(({ id, metadataDigest }) => [id, metadataDigest]))
    const ids = plainArray(kept.map(({ id }) => id))
    const removed = await connection.query<{ id: string; digest: string | null }>({
      name: 'remove_archived_claims',
      text: `-- remove_archived_claims
        DELETE FROM claims WHERE id = ANY ($1::uuid[]) RETURNING id, ${METADATA_DIGEST} AS digest`,
      values: [ids],
    })
    // Another server has archived one of the claims, or its test clock is being deleted: roll back.
    if (removed.length !== kept.length) throw new Error('Claims were removed while they were archived.')
    if (removed.some(({ id, digest }) => digest !== digests.get(id))) throw new MetadataChanged()
    await connection.query({
      name: 'remove_archived_logs',
      text: `-- remove_archived_logs
        DELETE FROM claim_events WHERE claim_id = ANY ($1::uuid[])`,
      values: [ids],
    })
    await connection.query({
      name: 'remove_archived_metadata',
      text: `-- remove_archived_metadata
        DELETE FROM claim_metadata WHERE claim_id = ANY ($1::uuid[])`,
      values: [ids],
    })
    return removed.length
  })
  return removal.catch((error) => {
    if (error instanceof MetadataChanged) return 0
    throw error
  })
}

/** The metadata of a claim has changed since it was read. The next run archives the claims. */
class MetadataChanged extends Error {}

const KEEP_ARCHIVED_CLAIMS = `-- keep_archived_claims
      INSERT INTO archived_claims AS kept (id, user_id, is_candidate, position, status, event_count, file_id, archived_at)
      SELECT c.id, c.user_id, c.candidate_alias IS NOT NULL, c.position, c.status, c.event_count, $4, $5
      FROM claims c
      JOIN unnest($1::uuid[], $2::text[], $3::integer[], $7::bigint[]) AS seen (id, status, event_count, digest) ON seen.id = c.id
      WHERE c.id = ANY ($1::uuid[]) AND c.status = seen.status AND c.event_count = seen.event_count
        AND ${METADATA_DIGEST} IS NOT DISTINCT FROM seen.digest
        AND c.test_clock_id IS NULL
      ORDER BY c.id
      ON CONFLICT (id) DO UPDATE
      SET file_id = excluded.file_id, archived_at = excluded.archived_at, restored_at = NULL
      WHERE kept.restored_at <= $6
      RETURNING id`

/*
 * One server at a time archives. It holds a lease, which it renews before each batch. If the lease expires during a batch, two
 * servers may write the same file. Each claim is still removed once, because its removal is guarded.
 */

const LEASE = `interval '${ARCHIVE_LEASE_SECONDS} seconds'`

/**
 * Acquires or renews the lease. Returns false if another server holds it. If the database's clock was set back, an old lease
 * may end later than a new one would. Such a lease is ignored.
 */
export async function acquireArchiveLease(db: Connection, server: string): Promise<boolean> {
  const rows = await db.query({
    name: 'take_archive_turn',
    text: `-- take_archive_turn
      UPDATE archive_turn SET holder = $1, held_until = clock_timestamp() + ${LEASE}
      WHERE holder IS NULL OR holder = $1
        OR held_until NOT BETWEEN clock_timestamp() AND clock_timestamp() + ${LEASE}
      RETURNING true`,
    values: [server],
  })
  return rows.length > 0
}

export async function releaseArchiveLease(db: Connection, server: string): Promise<void> {
  await db.query({
    name: 'release_archive_turn',
    text: `-- release_archive_turn
      UPDATE archive_turn SET holder = NULL, held_until = NULL WHERE holder = $1`,
    values: [server],
  })
}

/** A claim to restore, with its contract and log. */
interface Restoration {
  archived: ArchivedClaim
  claim: ArchivedClaimRow
  contract: NewContract
  events: readonly ArchivedEventRow[]
}

/**
 * Stores the claim with its log under the same ids and position, and records the restoration, in one transaction. Returns false
 * if the claim is no longer archived in this file.
 */
export async function restoreArchivedClaim(db: Connection, restoration: Restoration): Promise<boolean> {
  const { archived, claim, contract, events } = restoration
  // Outside the transaction, because on Citus every node stores contracts. An unused contract stays for a day.
  await storeContracts(db, 'store_restored_contract', [contract])
  const restoredAt = await readClock(db)
  return db.transaction(async (connection) => {
    const marked = await connection.query({
      name: 'note_restored_claim',
      text: `-- note_restored_claim
        UPDATE archived_claims SET restored_at = $3 WHERE id = $1 AND file_id = $2 AND restored_at IS NULL RETURNING id`,
      values: [claim.id, archived.fileId, restoredAt],
    })
    if (marked.length === 0) return false
    await insertClaim(connection, claim, contract)
    for (const batch of batchesByWeight(events, ({ payload }) => payload.length, RESTORE_BATCH))
      await insertEvents(connection, batch)
    return true
  })
}

async function insertClaim(db: Connection, claim: ArchivedClaimRow, contract: NewContract): Promise<void> {
  const { id, user_id: userId, position } = claim
  const kind = claim.candidate_alias === null ? 'claim' : 'candidate'
  const { metadata, pairs } = metadataColumns(userId, kind, claim.metadata ?? {})
  const query = new Parameters()
  const row = query.row({
    id,
    position,
    user_id: userId,
    customer_id: claim.customer_id,
    candidate_alias: claim.candidate_alias,
    customer_external_id: claim.customer_external_id,
    contract_hash: `\\x${contract.hash}`,
    price: claim.price,
    status: claim.status,
    scheduled_outcome: claim.scheduled_outcome,
    status_since: claim.status_since,
    event_count: claim.event_count,
    log_bytes: claim.log_bytes,
    schema_id: claim.schema_id,
    created_at: claim.created_at,
    reference: claim.reference,
    schema_version: claim.schema_version,
    metadata,
    review_start: claim.review_start ?? null,
    decided_count: isExtended(contract.contract) ? claim.event_count : null,
    reminders: claim.reminders ? plainArray(claim.reminders) : null,
  })
  await db.query({
    name: 'insert_restored_claim',
    text: `-- insert_restored_claim
      INSERT INTO claims (${row.names}) OVERRIDING SYSTEM VALUE VALUES (${row.parameters})`,
    values: query.values,
  })
  if (metadata !== null) await replacePairs(db, 'claims', { userId, position, id }, pairs)
}

const EVENTS = new Columns<ArchivedEventRow>({
  claim_id: ['uuid', ({ claim_id }) => claim_id],
  seq: ['integer', ({ seq }) => seq],
  id: ['text', ({ id }) => id],
  type: ['text', ({ type }) => type],
  payload: ['json', ({ payload }) => payload],
  system: ['boolean', ({ system }) => system],
  created_at: ['timestamptz', ({ created_at }) => created_at],
  late_ms: ['bigint', ({ late_ms }) => late_ms ?? null],
})

async function insertEvents(db: Connection, events: readonly ArchivedEventRow[]): Promise<void> {
  await db.query({
    name: 'insert_restored_events',
    text: `-- insert_restored_events
      INSERT INTO claim_events (claim_id, seq, id, type, payload, system, created_at, late_ms)
      SELECT claim_id, seq, id, type, payload, system, created_at, late_ms FROM ${EVENTS.as('e')}`,
    values: EVENTS.values(events),
  })
}
