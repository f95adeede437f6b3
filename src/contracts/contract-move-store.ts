import { NIL as FIRST_ID } from 'uuid'
import type { Connection } from '../platform/database/connection.ts'
import { storeContractsCte } from './contract-store.ts'

/** Progress of moving contracts out of the rows of claims. */
export interface ContractMoves {
  /** Claims in this run. */
  moved: number
  /** Claims in all runs. */
  movedInAll: number
  isDone: boolean
}

interface Batch {
  last: string | null
  found: number
  moved: number
  missed: number
}

/**
 * Moves the contracts of the next `limit` claims into `contracts`. Skips locked claims; a later pass moves them. Call it in a
 * transaction. Null if another server is moving contracts.
 */
export async function moveContracts(db: Connection, limit: number): Promise<ContractMoves | null> {
  const [state] = await db.query<{ after_id: string; missed: string; moved: string; is_done: boolean }>({
    text: `-- take_contract_moves
      SELECT after_id, missed, moved, is_done FROM contract_moves FOR UPDATE SKIP LOCKED`,
  })
  if (!state) return null
  if (state.is_done) return { moved: 0, movedInAll: Number(state.moved), isDone: true }
  const { last, found, moved, missed } = await moveBatch(db, state.after_id, limit)
  const missedSoFar = Number(state.missed) + missed
  const isThrough = found < limit
  const isDone = isThrough && missedSoFar === 0
  await db.query({
    text: `-- note_contract_moves
      UPDATE contract_moves SET after_id = $1, missed = $2, moved = moved + $3, is_done = $4`,
    values: [isThrough ? FIRST_ID : last, isThrough ? 0 : missedSoFar, moved, isDone],
  })
  return { moved, movedInAll: Number(state.moved) + moved, isDone }
}

/** Contracts never change, so they are read and stored before a claim is locked, in the order of creations. */
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
      free AS MATERIALIZED (
        SELECT c.id FROM claims c, (SELECT count(*) FROM stored) AS contracts_are_there
        WHERE c.id = ANY (ARRAY(SELECT id FROM seen WHERE contract IS NOT NULL))
        ORDER BY c.id FOR NO KEY UPDATE OF c SKIP LOCKED
      ),
      moved AS (
        UPDATE claims c SET contract_hash = seen.hash, contract = NULL, decisive_event_types = NULL
        FROM seen
        WHERE c.id = ANY (ARRAY(SELECT id FROM free)) AND c.id = seen.id AND c.contract IS NOT NULL
        RETURNING c.id
      )
      SELECT (SELECT id FROM seen ORDER BY id DESC LIMIT 1) AS last,
        (SELECT count(*)::integer FROM seen) AS found,
        (SELECT count(*)::integer FROM moved) AS moved,
        (SELECT count(*)::integer FROM seen WHERE contract IS NOT NULL AND id NOT IN (SELECT id FROM moved)) AS missed`,
    values: [after, limit],
  })
  return batch as Batch
}
