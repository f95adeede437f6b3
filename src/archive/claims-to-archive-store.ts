import { CONTRACT } from '../contracts/contract-store.ts'
import type { Outcome } from '../core/claims/lifecycle.ts'
import type { Metadata } from '../kernel/metadata.ts'
import type { Connection } from '../platform/database/connection.ts'
import { plainArray } from '../platform/database/sql-array.ts'
import { BYTES_PER_EVENT_WITHOUT_PAYLOAD, MAX_ARCHIVED_LOG_BYTES } from './limits.ts'

/** A claim to archive, as it was found. It is archived only if it has not changed since. */
export interface ClaimToArchive {
  id: string
  status: Outcome
  eventCount: number
  logBytes: number
  statusSince: Date
}

/** SQL for a digest of a row's metadata. */
export const METADATA_DIGEST = 'hashtextextended(metadata::text, 0)'

/** A claim in the state that was written to the file. Removal requires that the claim is still in this state. */
export interface ExpectedClaim extends ClaimToArchive {
  contractHash: string | null
  /** Detects a change of the metadata since the claim was read. */
  metadataDigest: string | null
}

/**
 * The account's claims and candidates that were resolved until `before`, oldest first. Claims of the same moment are not sorted.
 * Excluded are the ids `without`, claims that still have notifications (the feed builds them from the claim’s row), claims
 * that were restored since `before`, claims with logs too long for a line, and claims with a test clock.
 */
export async function findClaimsToArchive(
  db: Connection,
  userId: string,
  before: Date,
  without: Iterable<string>,
  limit: number,
): Promise<ClaimToArchive[]> {
  const rows = await db.query<{
    id: string
    status: Outcome
    event_count: number
    log_bytes: number
    status_since: Date
  }>({
    name: 'find_claims_to_archive',
    text: `-- find_claims_to_archive
      SELECT id, status, event_count, log_bytes, status_since FROM claims c
      WHERE user_id = $1 AND status IN ('CONFIRMED', 'FAILED') AND test_clock_id IS NULL AND status_since <= $2
        AND id NOT IN (SELECT unnest($4::uuid[]))
        AND log_bytes + ${BYTES_PER_EVENT_WITHOUT_PAYLOAD} * event_count::bigint <= ${MAX_ARCHIVED_LOG_BYTES}
        AND (SELECT true FROM notifications n WHERE n.subject_id = c.id LIMIT 1) IS NULL
        AND (SELECT true FROM archived_claims a WHERE a.id = c.id AND a.restored_at > $2) IS NULL
      ORDER BY status_since LIMIT $3`,
    values: [userId, before, limit, plainArray([...without])],
    readOnly: true,
  })
  return rows.map((row) => ({
    id: row.id,
    status: row.status,
    eventCount: row.event_count,
    logBytes: row.log_bytes,
    statusSince: row.status_since,
  }))
}

/** The ids of the claims that have unfinished deliveries. A statement of its own, because on Citus deliveries have other shards. */
export async function findClaimsWithDeliveries(db: Connection, ids: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>({
    name: 'find_awaited_claims',
    text: `-- find_awaited_claims
      SELECT DISTINCT subject_id AS id FROM webhook_deliveries WHERE subject_id = ANY ($1::uuid[]) AND status = 'waiting'`,
    values: [plainArray(ids)],
    readOnly: true,
  })
  return rows.map(({ id }) => id)
}

/** The row of a terminal claim, without columns that its status implies. */
export interface ArchivedClaimRow {
  id: string
  /** Its position in lists. */
  position: string
  user_id: string
  customer_id: string
  /** Absent in the files of an older version. */
  reference?: string | null
  candidate_alias: string | null
  customer_external_id: string | null
  schema_id: string | null
  /** Absent in the files of an older version. */
  schema_version?: number | null
  /** Null if there is none. Absent in the files of an older version. */
  metadata?: Metadata | null
  /** Not in the file. */
  metadata_digest?: string | null
  /** An exact decimal. */
  price: string
  status: Outcome
  scheduled_outcome: Outcome
  status_since: Date
  created_at: Date
  event_count: number
  log_bytes: number
  /** In the file only if it is not null. */
  review_start?: number | null
  /** In the file only if it is not null. */
  reminders?: number[] | null
  /** SHA-256 of the contract's text, hexadecimal; null if an older version stored the contract in the claim. */
  contract_hash: string | null
  /** The stored text. */
  contract: string | null
}

/** The claims that exist, in the order of their ids. */
export function readWholeClaims(db: Connection, ids: readonly string[]): Promise<ArchivedClaimRow[]> {
  return db.query<ArchivedClaimRow>({
    name: 'read_whole_claims',
    text: `-- read_whole_claims
      SELECT id, position, user_id, customer_id, reference, candidate_alias, customer_external_id, schema_id,
        schema_version, metadata, ${METADATA_DIGEST} AS metadata_digest, price::text AS price,
        status, scheduled_outcome, status_since, created_at, event_count, log_bytes, review_start,
        reminders, encode(contract_hash, 'hex') AS contract_hash, ${CONTRACT}::text AS contract
      FROM claims WHERE id = ANY ($1::uuid[]) ORDER BY id`,
    values: [plainArray(ids)],
    readOnly: true,
  })
}

/** A stored item of a log. */
export interface ArchivedEventRow {
  claim_id: string
  seq: number
  id: string
  type: string
  system: boolean
  created_at: Date
  /** In the file only if it is not null. */
  late_ms?: number | null
  /** As JSON. */
  payload: string
}

/** The items after number `after` and up to number `upTo` of the claims' logs, in order. */
export function readWholeLogs(
  db: Connection,
  claimIds: readonly string[],
  after: number,
  upTo: number,
): Promise<ArchivedEventRow[]> {
  return db.query<ArchivedEventRow>({
    name: 'read_whole_logs',
    text: `-- read_whole_logs
      SELECT claim_id, seq, id, type, system, created_at, late_ms::float8 AS late_ms, payload::text AS payload
      FROM claim_events
      WHERE claim_id = ANY ($1::uuid[]) AND seq > $2 AND seq <= $3 ORDER BY claim_id, seq`,
    values: [plainArray(claimIds), after, upTo],
    readOnly: true,
  })
}
