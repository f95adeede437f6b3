import { LRUCache } from 'lru-cache'
import type { Claim } from '../domain/claim.ts'
import type { Contract } from '../domain/contract.ts'
import type { Evidence } from '../domain/event.ts'
import { CLAIM_COLUMNS, type StoredClaimRow, toClaim } from './claims.ts'
import type { Connection } from './database.ts'
import { ifShort } from './short-json.ts'

/** A claim with what a decision needs of its log. */
export interface ClaimToDecide {
  claim: Claim
  /** Of memory, estimated. The contract is shared by claims under the same. */
  contractBytes: number
  /** False: its log is long and was not read. */
  isWhole: boolean
  /** The last time in its log, or when it entered its status. */
  lastAt: Date
  /** Of every event; where it is not whole, of those that were named. */
  eventIds: string[]
  /** Those of the types that the condition names. */
  decisiveEvents: Evidence[]
}

/** What was read of several claims. */
export interface ClaimsToDecide {
  /** Each is made of its row as it is asked for: that takes a while where contracts are long. */
  claims: Iterable<ClaimToDecide>
  /** Those of which nothing was read but about how many bytes there are to read, by their ids. */
  heavy: ReadonlyMap<string, number>
}

/** Bytes of a log, ids included, up to which it is read together with others. */
const SHORT_LOG_BYTES = 64 * 1024
/** Estimated for an event besides its payload. */
const EVENT_BYTES = 100
/** Of a log so many times as of a contract may be read: it takes less to parse, and need not be made ready. */
const LOG_TO_CONTRACT = 4
/** How much longer JSON commonly is than PostgreSQL's compressed form of it. */
const STORED_TO_TEXT = 3
/** More than any has. */
const ALL_BYTES = 2 ** 31

export interface ClaimRowToDecide extends StoredClaimRow {
  is_read: boolean
  last_at: Date
  ids: string[] | null
  decisive: ClaimToDecide['decisiveEvents'] | null
}

/** The driver does not parse it. */
const COLUMNS = CLAIM_COLUMNS.replace('contract', `${ifShort('contract', '$3::bigint')} AS contract`)

/** To tell it exactly, one that is stored apart would have to be fetched: then it is guessed from what it takes there. */
const CONTRACT_BYTES = `CASE WHEN pg_column_size(contract) > $3::bigint THEN ${STORED_TO_TEXT} * pg_column_size(contract)
          ELSE octet_length(contract::text) END`

type FoundRow = Omit<ClaimRowToDecide, 'contract'> & { contract: string | null; contract_bytes: number }

/**
 * The claims with these ids, as many of them as there are. A long log is not read, so that one claim cannot hold up
 * others, nor many fill the memory (see `readLongLog`): it is only looked whether the named events are in it.
 * @param most bytes of each contract that are read, and four times as many of each log: more makes the claim heavy
 */
export async function readClaimsToDecide(
  db: Connection,
  ids: readonly string[],
  named: readonly string[],
  most = ALL_BYTES,
): Promise<ClaimsToDecide> {
  const logBytes = `c.log_bytes + ${EVENT_BYTES} * c.event_count`
  const isRead = `${logBytes} <= least(${SHORT_LOG_BYTES}, ${LOG_TO_CONTRACT} * $3::bigint)`
  const rows = await db.query<FoundRow>({
    name: 'read_claims_to_decide',
    // The condition stands in the subqueries: at the join it would be looked at after the log was read.
    text: `-- read_claims_to_decide
      SELECT ${COLUMNS},
        ${CONTRACT_BYTES} AS contract_bytes, ${isRead} AS is_read,
        greatest(status_since, log.last_at) AS last_at, coalesce(log.ids, named.ids) AS ids, log.decisive
      FROM claims c LEFT JOIN LATERAL (
        SELECT max(e.created_at) AS last_at, json_agg(e.id) AS ids,
          json_agg(json_build_object('type', e.type, 'payload', e.payload, 'system', e.system))
            FILTER (WHERE e.type = ANY (c.decisive_event_types)) AS decisive
        FROM claim_events e
        WHERE e.claim_id = c.id AND ${isRead}
      ) log ON true
      LEFT JOIN LATERAL (
        SELECT json_agg(e.id) AS ids FROM claim_events e
        WHERE e.claim_id = c.id AND e.id = ANY ($2) AND ${logBytes} > ${SHORT_LOG_BYTES}
      ) named ON true
      WHERE c.id = ANY ($1)`,
    values: [ids, named, Math.ceil(most)],
    readOnly: true,
  })
  const heavy = rows.filter((row) => !isLight(row))
  return {
    claims: rows.values().filter(isLight).map(toClaimToDecide),
    heavy: new Map(heavy.map((row) => [row.id, row.contract_bytes + shortLogBytes(row)])),
  }
}

type LightRow = FoundRow & { contract: string }

const isLight = (row: FoundRow): row is LightRow =>
  row.contract !== null && (row.is_read || shortLogBytes(row) === 0)

/** None of a long log, which is not read in any case. */
function shortLogBytes({ log_bytes, event_count }: { log_bytes: number; event_count: number }): number {
  const bytes = log_bytes + EVENT_BYTES * event_count
  return bytes <= SHORT_LOG_BYTES ? bytes : 0
}

export function toClaimToDecide({
  contract,
  is_read,
  last_at,
  ids,
  decisive,
  ...row
}: ClaimRowToDecide): ClaimToDecide {
  const { parsed, bytes } = toContract(contract)
  return {
    claim: toClaim({ ...row, contract: parsed }),
    contractBytes: bytes,
    isWhole: is_read,
    lastAt: last_at,
    eventIds: ids ?? [],
    decisiveEvents: decisive ?? [],
  }
}

interface ParsedContract {
  parsed: Contract
  /** Estimated. */
  bytes: number
}

/** Many claims are under the same contract: it is parsed and held once. In characters. */
const contracts = new LRUCache<string, ParsedContract>({
  maxSize: 512 * 1024,
  sizeCalculation: (_contract, text) => text.length,
})

function toContract(text: string): ParsedContract {
  let contract = contracts.get(text)
  if (!contract) {
    contract = { parsed: JSON.parse(text) as Contract, bytes: parsedBytes(text) }
    contracts.set(text, contract)
  }
  return contract
}

const [CHARACTER_BYTES, VALUE_BYTES] = [2, 48]
const [COMMA, BRACE, BRACKET] = [0x2c, 0x7b, 0x5b]

/** What JSON takes once it is parsed, estimated: rather too much, whether its values are many or long. */
function parsedBytes(text: string): number {
  let values = 1
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === COMMA || code === BRACE || code === BRACKET) values++
  }
  return text.length * CHARACTER_BYTES + values * VALUE_BYTES
}
