import type { FoundContract } from '../contracts/contract-cache.ts'
import type { Evidence, PlacedEvidence } from '../core/claims/event.ts'
import { hashOfId, type LogDigest, readDigest } from '../core/claims/log-digest.ts'
import { readInShards } from '../platform/database/citus/in-shards.ts'
import type { Connection } from '../platform/database/connection.ts'
import { plainArray, textArray } from '../platform/database/sql-array.ts'
import { CLAIM_STATE_COLUMNS, type StoredClaimRow } from './claim-columns.ts'
import { MAX_EAGER_CONTRACT_BYTES, MAX_SHORT_LOG_BYTES } from './limits.ts'

/** Estimated bytes of an event besides its payload. */
const EVENT_BYTES = 100
/** Factor. More bytes of a log than of a contract may be read: a log is faster to parse and is not compiled. */
const LOG_TO_CONTRACT = 4

/** A claim with the parts of its log that a decision needs, if the log was read. */
export interface LogRow {
  is_read: boolean
  /** Replaces the log if the log was not read. */
  digest: LogDigest | null
  last_at: Date
  ids: string[] | null
  /** For an extended contract: also the system events, and each event with its place. */
  decisive: (Evidence | PlacedEvidence)[] | null
}

export type ClaimRow = Omit<StoredClaimRow, 'contract'> &
  LogRow &
  FoundContract & {
    contract_bytes: number
    /** The contract is missing: see `contractIsMissing`. */
    is_in_doubt: boolean
  }
type FoundRow = Omit<ClaimRow, 'digest' | 'contract_bytes' | 'is_in_doubt'> & {
  log_digest: Buffer | null
  contract_bytes: number | null
}

/** Hash of a contract that is stored in the claim's row. */
const HASH = "coalesce(c.contract_hash, sha256(convert_to(c.contract::text, 'UTF8')))"
const CONTRACT_BYTES = 'coalesce(k.bytes, octet_length(c.contract::text))'

const LOG_BYTES = `c.log_bytes + ${EVENT_BYTES} * c.event_count`
const IS_READ = `(${LOG_BYTES} <= least(${MAX_SHORT_LOG_BYTES}, ${LOG_TO_CONTRACT} * $3::bigint)
        AND ($4::boolean OR c.log_digest IS NULL))`

/** The condition stands in the subqueries: at the join it would be evaluated after the log is read. */
const READ_CLAIMS = `SELECT ${CLAIM_STATE_COLUMNS},
        encode(${HASH}, 'hex') AS hash, ${CONTRACT_BYTES} AS contract_bytes,
        CASE WHEN $4::boolean OR ${CONTRACT_BYTES} <= least(${MAX_EAGER_CONTRACT_BYTES}, $3::bigint)
          THEN coalesce(k.document, c.contract)::text END AS contract,
        ${IS_READ} AS is_read, log_digest, greatest(status_since, log.last_at, last_event_at) AS last_at,
        coalesce(log.ids, named.ids) AS ids, log.decisive
      FROM {{claims}} c
      LEFT JOIN {{contracts}} k ON k.hash = c.contract_hash
      LEFT JOIN LATERAL (
        SELECT max(e.created_at) AS last_at, json_agg(e.id) AS ids,
          json_agg(
            CASE WHEN c.decided_count IS NULL THEN json_build_object('type', e.type, 'payload', e.payload, 'system', e.system)
            ELSE json_build_object('type', e.type, 'payload', e.payload, 'system', e.system, 'seq', e.seq,
              'isLate', e.late_ms IS NOT NULL) END
          ) FILTER (WHERE e.type = ANY (coalesce(k.event_types, c.decisive_event_types))
            OR (c.decided_count IS NOT NULL AND e.system)) AS decisive
        FROM {{claim_events}} e
        WHERE e.claim_id = c.id AND c.event_count > 0 AND ${IS_READ}
      ) log ON true
      LEFT JOIN LATERAL (
        SELECT json_agg(e.id) AS ids FROM {{claim_events}} e
        WHERE e.claim_id = c.id AND e.id = ANY ($2::text[]) AND ${LOG_BYTES} > ${MAX_SHORT_LOG_BYTES}
      ) named ON true
      WHERE c.id = ANY ($1::uuid[])`
const COLUMNS = `id uuid, user_id uuid, customer_id uuid, reference text, candidate_alias text, customer_external_id text,
        status text, scheduled_outcome text, status_since timestamptz, due_at timestamptz, event_count integer,
        log_bytes integer, review_start integer, remaining_ms bigint,
        clock_since timestamptz, schema_id uuid, schema_version integer, test_clock_id uuid, created_at timestamptz, reminders float8[],
        hash text,
        contract_bytes integer, contract text, is_read boolean, log_digest bytea, last_at timestamptz, ids json, decisive json`

/** Claim ids, each with the ids of the events that are submitted to the claim. */
export type NamedEvents = ReadonlyMap<string, readonly string[]>

/**
 * Reads the short parts of the claims. Of a long log it reads only whether it contains the named events.
 * @param share limit of bytes for each claim; the bytes of a log count a quarter
 * @param isWhole also reads long contracts, and logs that have a digest
 */
export async function readClaimRows(
  db: Connection,
  wanted: NamedEvents,
  share: number,
  isWhole: boolean,
): Promise<ClaimRow[]> {
  const rows = await readInShards<FoundRow, [string, readonly string[]]>(
    db,
    { name: 'read_claims_to_decide', text: READ_CLAIMS, columns: COLUMNS },
    [...wanted],
    ([id]) => id,
    (some) => [
      plainArray(some.map(([id]) => id)),
      textArray(some.flatMap(([, events]) => events)),
      Math.ceil(share),
      isWhole,
    ],
  )
  return rows.map((row) => ({
    ...row,
    contract_bytes: row.contract_bytes ?? 0,
    // Without its contract, decisive events could not be selected.
    is_in_doubt: row.contract_bytes === null,
    digest: usableDigest(row, wanted.get(row.id) ?? []),
  }))
}

/** Null if the log was read, or if the log may contain one of the events: then it must be read. */
function usableDigest(row: FoundRow, named: readonly string[]): LogDigest | null {
  const digest = row.is_read ? null : readDigest(row.log_digest, row.event_count)
  return digest && !named.some((id) => digest.idHashes.includes(hashOfId(id))) ? digest : null
}

/** Whether the log was read, is not needed, or is too long to be read here. */
export const needsNoLog = (row: ClaimRow): boolean =>
  row.is_read || row.digest !== null || logWeight(row) === 0

/** Bytes of the contract and a quarter of the bytes of the log: a measure of the time to read and prepare them. */
export const weight = (row: ClaimRow): number => row.contract_bytes + logWeight(row)

/** The same measure for the parts that were read already. */
export const weightRead = (row: ClaimRow): number =>
  (row.contract === null ? 0 : row.contract_bytes) + (row.is_read ? logWeight(row) : 0)

function logWeight({ log_bytes, event_count }: ClaimRow): number {
  const bytes = log_bytes + EVENT_BYTES * event_count
  return bytes <= MAX_SHORT_LOG_BYTES ? Math.ceil(bytes / LOG_TO_CONTRACT) : 0
}
