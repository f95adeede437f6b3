import { CONTRACT } from '../contracts/contract-store.ts'
import type { Outcome } from '../core/claims/lifecycle.ts'
import type { Metadata } from '../kernel/metadata.ts'
import type { Connection } from '../platform/database/connection.ts'
import { plainArray } from '../platform/database/sql-array.ts'

/** A claim that is to leave, as it was found: it leaves only as long as it stands so. */
export interface ClaimToArchive {
  id: string
  status: Outcome
  eventCount: number
  logBytes: number
  statusSince: Date
}

/** SQL for a digest of a row's metadata. */
export const METADATA_DIGEST = 'hashtextextended(metadata::text, 0)'

/** The same, as the file has it. */
export interface ReadClaim extends ClaimToArchive {
  contractHash: string | null
  /** The metadata may change meanwhile, and is not to be lost. */
  metadataDigest: string | null
}

/**
 * A claim whose log takes more stays in the database: its line could be so long that no text has room for it. Bytes of
 * payloads, and of what stands around each.
 */
const LONGEST_LOG_BYTES = 64 * 1024 * 1024
const BYTES_AROUND_EVENT = 200

/**
 * The account's claims and candidates that were resolved up to this time, first those that were resolved first; of one moment, in no
 * order that would have to be sorted. Left out are these ids; those of which notifications are still to be told, which are put
 * together of the claim's row; those that were restored since this time; those with logs too long for a line; those that are
 * not summed up yet; and what lives by a test clock.
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
        AND log_bytes + ${BYTES_AROUND_EVENT} * event_count::bigint <= ${LONGEST_LOG_BYTES}
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

/** Those of these claims of which deliveries still wait. Apart: with Citus they lie elsewhere. */
export async function findAwaitedClaims(db: Connection, ids: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>({
    name: 'find_awaited_claims',
    text: `-- find_awaited_claims
      SELECT DISTINCT subject_id AS id FROM webhook_deliveries WHERE subject_id = ANY ($1::uuid[]) AND status = 'waiting'`,
    values: [plainArray(ids)],
    readOnly: true,
  })
  return rows.map(({ id }) => id)
}

/** All of a terminal claim's row that is not said by its status; but for its log. */
export interface WholeClaim {
  id: string
  /** Its number in the lists. */
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
  /** In no file. */
  metadata_digest?: string | null
  /** An exact decimal. */
  price: string
  status: Outcome
  scheduled_outcome: Outcome
  status_since: Date
  created_at: Date
  event_count: number
  log_bytes: number
  /** SHA-256 of the contract's text, hexadecimal; null of a claim of an older version that has its own. */
  contract_hash: string | null
  /** As JSON, as it is stored. */
  contract: string | null
}

/** These claims, as many as there are, in the order of their ids. */
export function readWholeClaims(db: Connection, ids: readonly string[]): Promise<WholeClaim[]> {
  return db.query<WholeClaim>({
    name: 'read_whole_claims',
    text: `-- read_whole_claims
      SELECT id, position, user_id, customer_id, reference, candidate_alias, customer_external_id, schema_id,
        schema_version, metadata, ${METADATA_DIGEST} AS metadata_digest, price::text AS price,
        status, scheduled_outcome, status_since, created_at, event_count, log_bytes,
        encode(contract_hash, 'hex') AS contract_hash, ${CONTRACT}::text AS contract
      FROM claims WHERE id = ANY ($1::uuid[]) ORDER BY id`,
    values: [plainArray(ids)],
    readOnly: true,
  })
}

/** An item of a log, as it is stored. */
export interface WholeEvent {
  claim_id: string
  seq: number
  id: string
  type: string
  system: boolean
  created_at: Date
  /** As JSON. */
  payload: string
}

/** The items after this number, up to that one, of these claims' logs, in their order. */
export function readWholeLogs(
  db: Connection,
  claimIds: readonly string[],
  after: number,
  upTo: number,
): Promise<WholeEvent[]> {
  return db.query<WholeEvent>({
    name: 'read_whole_logs',
    text: `-- read_whole_logs
      SELECT claim_id, seq, id, type, system, created_at, payload::text AS payload FROM claim_events
      WHERE claim_id = ANY ($1::uuid[]) AND seq > $2 AND seq <= $3 ORDER BY claim_id, seq`,
    values: [plainArray(claimIds), after, upTo],
    readOnly: true,
  })
}
