import { NIL } from 'uuid'
import type { Connection } from '../platform/database/connection.ts'
import { storeContractsCte } from './contract-store.ts'

/** Progress of moving contracts out of the rows of claims. */
export interface ContractMoves {
  /** Claims whose contract this run moved. */
  moved: number
  /** Claims whose contract was moved by any run. */
  totalMoved: number
  isDone: boolean
}

interface Batch {
  /** The greatest id of the batch. Null if the batch is empty. */
  lastId: string | null
  found: number
  moved: number
  /** Claims that still have their contract, because another transaction held a lock. */
  missed: number
}

/**
 * Moves the contracts of the next `limit` claims into `contracts`. Skips locked claims: passes over all claims are repeated until
 * a pass skips no claim. Call it in a transaction. Null if another server is moving contracts.
 */
export async function moveContracts(db: Connection, limit: number): Promise<ContractMoves | null> {
  const [state] = await db.query<{ after_id: string; missed: string; moved: string; is_done: boolean }>({
    text: `-- take_contract_moves
      SELECT after_id, missed, moved, is_done FROM contract_moves FOR UPDATE SKIP LOCKED`,
  })
  if (!state) return null
  if (state.is_done) return { moved: 0, totalMoved: Number(state.moved), isDone: true }
  const { lastId, found, moved, missed } = await moveBatch(db, state.after_id, limit)
  const missedInPass = Number(state.missed) + missed
  const isEndOfPass = found < limit
  const isDone = isEndOfPass && missedInPass === 0
  await db.query({
    text: `-- note_contract_moves
      UPDATE contract_moves SET after_id = $1, missed = $2, moved = moved + $3, is_done = $4`,
    values: [isEndOfPass ? NIL : lastId, isEndOfPass ? 0 : missedInPass, moved, isDone],
  })
  return { moved, totalMoved: Number(state.moved) + moved, isDone }
}

/**
 * Contracts are stored before claims are locked, as a creation does: the opposite order could deadlock with a creation. `locked`
 * reads the number of stored contracts, so that PostgreSQL completes `stored` first. Contracts never change, so they can be read
 * before their claims are locked.
 */
async function moveBatch(db: Connection, after: string, limit: number): Promise<Batch> {
  const [batch] = await db.query<Batch>({
    name: 'move_contracts',
    text: `-- move_contracts
      WITH seen AS MATERIALIZED (
        SELECT id, contract, decisive_event_types, sha256(convert_to(contract::text, 'UTF8')) AS hash
        FROM claims WHERE id > $1 ORDER BY id LIMIT $2
      ),
      given AS (
        SELECT DISTINCT ON (hash) hash, contract AS document, decisive_event_types AS event_types,
          (contract->>'review_window')::float8 AS review_window, contract->>'timeout_outcome' AS timeout_outcome
        FROM seen WHERE contract IS NOT NULL ORDER BY hash
      ),
      ${storeContractsCte('given')},
      locked AS MATERIALIZED (
        SELECT c.id FROM claims c, (SELECT count(*) FROM stored) AS contracts_are_there
        WHERE c.id = ANY (ARRAY(SELECT id FROM seen WHERE contract IS NOT NULL))
        ORDER BY c.id FOR NO KEY UPDATE OF c SKIP LOCKED
      ),
      moved AS (
        UPDATE claims c SET contract_hash = seen.hash, contract = NULL, decisive_event_types = NULL
        FROM seen
        WHERE c.id = ANY (ARRAY(SELECT id FROM locked)) AND c.id = seen.id AND c.contract IS NOT NULL
        RETURNING c.id
      )
      SELECT (SELECT id FROM seen ORDER BY id DESC LIMIT 1) AS "lastId",
        (SELECT count(*)::integer FROM seen) AS found,
        (SELECT count(*)::integer FROM moved) AS moved,
        (SELECT count(*)::integer FROM seen WHERE contract IS NOT NULL AND id NOT IN (SELECT id FROM moved)) AS missed`,
    values: [after, limit],
  })
  return batch as Batch
}
