import type { FoundContract } from '../contracts/known-contracts.ts'
import type { Evidence, PlacedEvidence } from '../core/claims/event.ts'
import { hashOfId, type LogDigest, readDigest } from '../core/claims/log-digest.ts'
import { readInShards } from '../platform/database/citus/in-shards.ts'
import type { Connection } from '../platform/database/connection.ts'
import { plainArray, textArray } from '../platform/database/sql-array.ts'
import { CLAIM_STATE_COLUMNS, type StoredClaimRow } from './claim-columns.ts'
import { MAX_EAGER_CONTRACT_BYTES, MAX_SHORT_LOG_BYTES } from './limits.ts'

/** Estimated for an event besides its payload. */
const EVENT_BYTES = 100
/** Factor. More bytes of a log than of a contract may be read: a log is faster to parse and is not compiled. */
const LOG_TO_CONTRACT = 4

/** A claim with what a decision needs of its log, if that was read. */
export interface LogRow {
  is_read: boolean
  /** If it takes the place of the log, which was not read. */
  digest: LogDigest | null
  last_at: Date
  ids: string[] | null
  /** Of a claim of an extended contract with the system events, and each with its place. */
  decisive: (Evidence | PlacedEvidence)[] | null
}

export type ClaimRow = Omit<StoredClaimRow, 'contract'> &
  LogRow &
  FoundContract & {
    contract_bytes: number
    /** Its contract is missing: see `contractIsMissing`. */
    is_in_doubt: boolean
  }
type FoundRow = Omit<ClaimRow, 'digest' | 'contract_bytes' | 'is_in_doubt'> & {
  log_digest: Buffer | null
  contract_bytes: number | null
}

/** Of a contract that stands in the claim's own row. */
const HASH = "coalesce(c.contract_hash, sha256(convert_to(c.contract::text, 'UTF8')))"
const CONTRACT_BYTES = 'coalesce(k.bytes, octet_length(c.contract::text))'

const LOG_BYTES = `c.log_bytes + ${EVENT_BYTES} * c.event_count`
const IS_READ = `(${LOG_BYTES} <= least(${MAX_SHORT_LOG_BYTES}, ${LOG_TO_CONTRACT} * $3::bigint)
        AND ($4::boolean OR c.log_digest IS NULL))`

/** The condition stands in the subqueries: at the join it would be looked at after the log was read. */
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

/** The claims' ids, each with those of the events that are submitted to it. */
export type NamedEvents = ReadonlyMap<string, readonly string[]>

/**
 * Of these claims what is short; of a long log only whether the named events are in it.
 * @param share bytes of one of them that are read, a quarter of its log's counted
 * @param isWhole reads contracts that are not short too, and logs although there are digests of them
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
    // Its columns were missing, too, where decisive events were chosen.
    is_in_doubt: row.contract_bytes === null,
    digest: usableDigest(row, wanted.get(row.id) ?? []),
  }))
}

/** None if the log was read, or one of the events may be in it: that is to be looked up there. */
function usableDigest(row: FoundRow, named: readonly string[]): LogDigest | null {
  const digest = row.is_read ? null : readDigest(row.log_digest, row.event_count)
  return digest && !named.some((id) => digest.idHashes.includes(hashOfId(id))) ? digest : null
}

/** Whether its log was read, or need not be, or is long and not read in any case. */
export const needsNoLog = (row: ClaimRow): boolean =>
  row.is_read || row.digest !== null || logWeight(row) === 0

/** Bytes of its contract and a part of those of its log, by what they take to read and to make ready. */
export const weight = (row: ClaimRow): number => row.contract_bytes + logWeight(row)

/** What was read of it already, in the same measure. */
export const weightRead = (row: ClaimRow): number =>
  (row.contract === null ? 0 : row.contract_bytes) + (row.is_read ? logWeight(row) : 0)

function logWeight({ log_bytes, event_count }: ClaimRow): number {
  const bytes = log_bytes + EVENT_BYTES * event_count
  return bytes <= MAX_SHORT_LOG_BYTES ? Math.ceil(bytes / LOG_TO_CONTRACT) : 0
}
