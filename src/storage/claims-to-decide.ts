import { LRUCache } from 'lru-cache'
import type { Claim } from '../domain/claim.ts'
import type { Contract } from '../domain/contract.ts'
import type { Evidence } from '../domain/event.ts'
import { CLAIM_COLUMNS, type ClaimRow, toClaim } from './claims.ts'
import type { Connection } from './database.ts'

/** A claim with what a decision needs of its log. */
export interface ClaimToDecide {
  claim: Claim
  /** Characters of its JSON. */
  contractLength: number
  /** The last time in its log, or when it entered its status. */
  lastAt: Date
  /** Of every event. */
  eventIds: string[]
  /** Those of the types that the condition names. */
  decisiveEvents: Evidence[]
}

/** Bytes of a log, ids included, up to which it is read together with others. */
const SHORT_LOG_BYTES = 64 * 1024
/** Estimated for an event besides its payload. */
const EVENT_BYTES = 100

interface Row extends Omit<ClaimRow, 'contract'> {
  contract: string
  is_read: boolean
  last_at: Date
  ids: string[] | null
  decisive: ClaimToDecide['decisiveEvents'] | null
}

/**
 * The claims with these ids, as many of them as there are. A long log is read by itself, so that many together
 * cannot fill the memory: `onClaim` is called with each claim as soon as it is there.
 */
export async function readClaimsToDecide(
  db: Connection,
  ids: readonly string[],
  onClaim: (claim: ClaimToDecide) => void,
): Promise<void> {
  const rows = await read(db, ids, SHORT_LOG_BYTES)
  for (const row of rows) if (row.is_read) onClaim(toClaimToDecide(row))
  for (const { id, is_read } of rows) {
    if (!is_read) for (const row of await read(db, [id], Infinity)) onClaim(toClaimToDecide(row))
  }
}

function read(db: Connection, ids: readonly string[], longest: number): Promise<Row[]> {
  return db.query<Row>({
    name: 'read_claims_to_decide',
    // The condition of the join keeps the logs that are too long from being read at all.
    text: `-- read_claims_to_decide
      SELECT ${CLAIM_COLUMNS.replace('contract', 'contract::text')},
        log_bytes + ${EVENT_BYTES} * event_count <= $2::float8 AS is_read,
        greatest(status_since, log.last_at) AS last_at, log.ids, log.decisive
      FROM claims c LEFT JOIN LATERAL (
        SELECT max(e.created_at) AS last_at, json_agg(e.id) AS ids,
          json_agg(json_build_object('type', e.type, 'payload', e.payload, 'system', e.system))
            FILTER (WHERE e.type = ANY (c.decisive_event_types)) AS decisive
        FROM claim_events e
        WHERE e.claim_id = c.id
      ) log ON log_bytes + ${EVENT_BYTES} * event_count <= $2::float8
      WHERE c.id = ANY ($1)`,
    values: [ids, longest],
    readOnly: true,
  })
}

function toClaimToDecide({ contract, last_at, ids, decisive, ...row }: Row): ClaimToDecide {
  return {
    claim: toClaim({ ...row, contract: toContract(contract) }),
    contractLength: contract.length,
    lastAt: last_at,
    eventIds: ids ?? [],
    decisiveEvents: decisive ?? [],
  }
}

/** Many claims are under the same contract: it is parsed and held once. In characters. */
const contracts = new LRUCache<string, Contract>({
  maxSize: 512 * 1024,
  sizeCalculation: (_contract, text) => text.length,
})

function toContract(text: string): Contract {
  let contract = contracts.get(text)
  if (!contract) {
    contract = JSON.parse(text) as Contract
    contracts.set(text, contract)
  }
  return contract
}
