import type { Evidence } from '../../domain/claims/event.ts'
import type { Connection } from '../database/connection.ts'
import { CLAIM_COLUMNS, type StoredClaimRow } from './claims.ts'
import type { FoundContract } from './known-contracts.ts'

/** Bytes of a log, ids included, up to which it is read together with others. */
const SHORT_LOG_BYTES = 64 * 1024
/** Estimated for an event besides its payload. */
const EVENT_BYTES = 100
/** Of a log so many times as of a contract may be read: it takes less to parse, and need not be made ready. */
const LOG_TO_CONTRACT = 4
/** How much longer JSON commonly is than PostgreSQL's compressed form of it. */
const COMPRESSED_TO_TEXT = 3
/** Shorter contracts are sent as quickly as their digests. */
const DIGESTED_BYTES = 1024

/** A claim with what a decision needs of its log, if that was read. */
export interface LogRow {
  is_read: boolean
  last_at: Date
  ids: string[] | null
  decisive: Evidence[] | null
}

export type ClaimRow = Omit<StoredClaimRow, 'contract'> & LogRow & FoundContract & { contract_bytes: number }

interface Bounds {
  /** Bytes of a contract up to which it is read, and four times as many of a log. */
  short: number
  /** Bytes of a contract as it is stored up to which it is told which it is, and its exact length. */
  looked: number
}

const CONTRACT = 'CASE WHEN octet_length(t.contract) <= $3::bigint THEN t.contract END AS contract'

/** To tell exactly how long one is that is stored apart, it would have to be fetched: it is guessed. */
const CONTRACT_BYTES = `coalesce(octet_length(t.contract), pg_column_size(c.contract) *
          CASE WHEN pg_column_compression(c.contract) IS NULL THEN 1 ELSE ${COMPRESSED_TO_TEXT} END)`

/** Nobody can make two contracts that share it: what is known by it decides about money. */
const DIGEST = `CASE WHEN octet_length(t.contract) > least(${DIGESTED_BYTES}, $3::bigint)
          THEN encode(sha256(convert_to(t.contract, 'UTF8')), 'base64') END`

const LOG_BYTES = `c.log_bytes + ${EVENT_BYTES} * c.event_count`
const IS_READ = `${LOG_BYTES} <= least(${SHORT_LOG_BYTES}, ${LOG_TO_CONTRACT} * $3::bigint)`

/** Of the claims with these ids what is short; of a long log only whether the named events are in it. */
export function readClaimRows(
  db: Connection,
  ids: readonly string[],
  named: readonly string[],
  { short, looked }: Bounds,
): Promise<ClaimRow[]> {
  return db.query<ClaimRow>({
    name: 'read_claims_to_decide',
    // The condition stands in the subqueries: at the join it would be looked at after the log was read. With OFFSET
    // a contract is decompressed once, not for each column that is made of it.
    text: `-- read_claims_to_decide
      SELECT ${CLAIM_COLUMNS.replace('contract', CONTRACT)},
        ${CONTRACT_BYTES} AS contract_bytes, ${DIGEST} AS digest, ${IS_READ} AS is_read,
        greatest(status_since, log.last_at) AS last_at, coalesce(log.ids, named.ids) AS ids, log.decisive
      FROM claims c CROSS JOIN LATERAL (
        SELECT CASE WHEN pg_column_size(c.contract) <= $4::bigint THEN c.contract::text END AS contract OFFSET 0
      ) t
      LEFT JOIN LATERAL (
        SELECT max(e.created_at) AS last_at, json_agg(e.id) AS ids,
          json_agg(json_build_object('type', e.type, 'payload', e.payload, 'system', e.system))
            FILTER (WHERE e.type = ANY (c.decisive_event_types)) AS decisive
        FROM claim_events e
        WHERE e.claim_id = c.id AND ${IS_READ}
      ) log ON true
      LEFT JOIN LATERAL (
        SELECT json_agg(e.id) AS ids FROM claim_events e
        WHERE e.claim_id = c.id AND e.id = ANY ($2) AND ${LOG_BYTES} > ${SHORT_LOG_BYTES}
      ) named ON true
      WHERE c.id = ANY ($1)`,
    values: [ids, named, Math.ceil(short), Math.ceil(looked)],
    readOnly: true,
  })
}

/** Whether its log was read, or is long and not read in any case. */
export const needsNoLog = (row: ClaimRow): boolean => row.is_read || logWeight(row) === 0

/** Bytes of its contract and a part of those of its log, by what they take to read and to make ready. */
export const weight = (row: ClaimRow): number => row.contract_bytes + logWeight(row)

/** What was read of it already, in the same measure. */
export const weightRead = (row: ClaimRow): number =>
  (row.contract === null ? 0 : row.contract_bytes) + (row.is_read ? logWeight(row) : 0)

function logWeight({ log_bytes, event_count }: ClaimRow): number {
  const bytes = log_bytes + EVENT_BYTES * event_count
  return bytes <= SHORT_LOG_BYTES ? Math.ceil(bytes / LOG_TO_CONTRACT) : 0
}
