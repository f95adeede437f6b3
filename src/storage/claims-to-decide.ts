import { LRUCache } from 'lru-cache'
import type { Claim } from '../domain/claim.ts'
import type { Contract } from '../domain/contract.ts'
import type { Evidence } from '../domain/event.ts'
import { CLAIM_COLUMNS_AS_STORED, type StoredClaimRow, toClaim } from './claims.ts'
import type { Connection } from './database.ts'

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

/** Bytes of a log, ids included, up to which it is read together with others. */
const SHORT_LOG_BYTES = 64 * 1024
/** Estimated for an event besides its payload. */
const EVENT_BYTES = 100

export interface ClaimRowToDecide extends StoredClaimRow {
  is_read: boolean
  last_at: Date
  ids: string[] | null
  decisive: ClaimToDecide['decisiveEvents'] | null
}

/**
 * The claims with these ids, as many of them as there are. A long log is not read, so that one claim cannot hold up
 * others, nor many fill the memory (see `readLongLog`): it is only looked whether the named events are in it. Each is
 * made of its row as it is asked for: that takes a while where contracts are long.
 */
export async function readClaimsToDecide(
  db: Connection,
  ids: readonly string[],
  named: readonly string[],
): Promise<Iterable<ClaimToDecide>> {
  const isRead = `c.log_bytes + ${EVENT_BYTES} * c.event_count <= ${SHORT_LOG_BYTES}`
  const rows = await db.query<ClaimRowToDecide>({
    name: 'read_claims_to_decide',
    // The condition stands in the subqueries: at the join it would be looked at after the log was read.
    text: `-- read_claims_to_decide
      SELECT ${CLAIM_COLUMNS_AS_STORED}, ${isRead} AS is_read, greatest(status_since, log.last_at) AS last_at,
        coalesce(log.ids, named.ids) AS ids, log.decisive
      FROM claims c LEFT JOIN LATERAL (
        SELECT max(e.created_at) AS last_at, json_agg(e.id) AS ids,
          json_agg(json_build_object('type', e.type, 'payload', e.payload, 'system', e.system))
            FILTER (WHERE e.type = ANY (c.decisive_event_types)) AS decisive
        FROM claim_events e
        WHERE e.claim_id = c.id AND ${isRead}
      ) log ON true
      LEFT JOIN LATERAL (
        SELECT json_agg(e.id) AS ids FROM claim_events e
        WHERE e.claim_id = c.id AND e.id = ANY ($2) AND NOT (${isRead})
      ) named ON true
      WHERE c.id = ANY ($1)`,
    values: [ids, named],
    readOnly: true,
  })
  return rows.values().map(toClaimToDecide)
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

/** What JSON takes once it is parsed, estimated: rather too much, whether its values are many or long. */
function parsedBytes(text: string): number {
  let values = 1
  for (let i = 0; i < text.length; i++) {
    const character = text[i]
    if (character === ',' || character === '{' || character === '[') values++
  }
  return text.length * CHARACTER_BYTES + values * VALUE_BYTES
}
