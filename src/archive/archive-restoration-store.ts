import type { ArchivedClaim } from '../claims/archived/archived-claim-store.ts'
import {
  contractParameters,
  givenContracts,
  type NewContract,
  storeContracts,
} from '../contracts/contract-store.ts'
import { byWeight } from '../kernel/by-weight.ts'
import { readClock } from '../platform/database/clock.ts'
import type { Connection } from '../platform/database/connection.ts'
import { metadataColumns, replacePairs } from '../platform/database/metadata.ts'
import { plainArray, textArray } from '../platform/database/sql-array.ts'
import type { WholeClaim, WholeEvent } from './claims-to-archive-store.ts'

/** What one statement stores: characters of payloads, and events. */
const PIECE = { mostWeight: 1024 * 1024, mostItems: 1_000 }

/** What comes back, as it was. */
export interface Restoration {
  archived: ArchivedClaim
  claim: WholeClaim
  contract: NewContract
  events: readonly WholeEvent[]
}

/**
 * Stores the claim with its log again, where they were, and keeps that it was restored: all of that, or nothing. False if it
 * is archived no more, or in another file by now.
 */
export async function restoreArchivedClaim(db: Connection, restoration: Restoration): Promise<boolean> {
  const { archived, claim, contract, events } = restoration
  // By itself, since on distributed tables all machines have it; nobody removes it within a day.
  await storeContract(db, contract)
  const restoredAt = await readClock(db)
  return db.transaction(async (connection) => {
    const noted = await connection.query({
      name: 'note_restored_claim',
      text: `-- note_restored_claim
        UPDATE archived_claims SET restored_at = $3 WHERE id = $1 AND file_id = $2 AND restored_at IS NULL RETURNING id`,
      values: [claim.id, archived.fileId, restoredAt],
    })
    if (noted.length === 0) return false
    await insertClaim(connection, claim, contract.hash)
    for (const piece of byWeight(events, ({ payload }) => payload.length, PIECE))
      await insertEvents(connection, piece)
    return true
  })
}

async function storeContract(db: Connection, contract: NewContract): Promise<void> {
  await db.query({
    name: 'store_restored_contract',
    text: `-- store_restored_contract
      WITH ${givenContracts(1)},
      ${storeContracts('given')}
      SELECT count(*) FROM stored`,
    values: contractParameters([contract]),
  })
}

async function insertClaim(db: Connection, claim: WholeClaim, hash: string): Promise<void> {
  const { id, user_id: userId, position } = claim
  const kind = claim.candidate_alias === null ? 'claim' : 'candidate'
  const { metadata, pairs } = metadataColumns(userId, kind, claim.metadata ?? {})
  await db.query({
    name: 'insert_restored_claim',
    text: `-- insert_restored_claim
      INSERT INTO claims (id, position, user_id, customer_id, candidate_alias, customer_external_id, contract_hash, price,
        status, scheduled_outcome, status_since, event_count, log_bytes, schema_id, created_at, reference,
        schema_version, metadata)
      OVERRIDING SYSTEM VALUE
      VALUES ($1, $2, $3, $4, $5, $6, $7::bytea, $8::numeric, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18::jsonb)`,
    values: [
      claim.id,
      claim.position,
      claim.user_id,
      claim.customer_id,
      claim.candidate_alias,
      claim.customer_external_id,
      `\\x${hash}`,
      claim.price,
      claim.status,
      claim.scheduled_outcome,
      claim.status_since,
      claim.event_count,
      claim.log_bytes,
      claim.schema_id,
      claim.created_at,
      claim.reference,
      claim.schema_version,
      metadata,
    ],
  })
  if (metadata !== null) await replacePairs(db, 'claims', { userId, position, id }, pairs)
}

async function insertEvents(db: Connection, events: readonly WholeEvent[]): Promise<void> {
  await db.query({
    name: 'insert_restored_events',
    text: `-- insert_restored_events
      INSERT INTO claim_events (claim_id, seq, id, type, payload, system, created_at)
      SELECT claim_id, seq, id, type, payload, system, created_at
      FROM unnest($1::uuid[], $2::integer[], $3::text[], $4::text[], $5::json[], $6::boolean[], $7::timestamptz[])
        AS e (claim_id, seq, id, type, payload, system, created_at)`,
    values: [
      plainArray(events.map(({ claim_id }) => claim_id)),
      plainArray(events.map(({ seq }) => seq)),
      textArray(events.map(({ id }) => id)),
      textArray(events.map(({ type }) => type)),
      textArray(events.map(({ payload }) => payload)),
      plainArray(events.map(({ system }) => `${system}`)),
      plainArray(events.map(({ created_at }) => created_at)),
    ],
  })
}
