import assert from 'node:assert/strict'
import { NO_CONTRACTS_TO_MOVE, PUT_CONTRACTS_BACK } from '../../support/old-claims.ts'
import { moveContracts } from '../../support/source/claims.ts'
import type { Operation } from '../fault-table.ts'

/** With the testbed's own more than one batch, and fewer than two. */
const CLAIMS = 600

const MAKE = `INSERT INTO claims (id, user_id, customer_id, contract_hash, price, status, status_since, due_at, created_at)
  SELECT gen_random_uuid(), user_id, customer_id, contract_hash, price, status, status_since, due_at, created_at
  FROM claims, generate_series(1, $2) AS n WHERE id = $1 RETURNING id`

/** Each with the text of its contract, wherever that is. */
const STORED_CONTRACT = `SELECT c.id, coalesce(c.contract, k.document)::text AS text FROM claims c
  LEFT JOIN contracts k ON k.hash = c.contract_hash WHERE c.id = ANY ($1) ORDER BY c.id`

const movingContracts: Operation = {
  name: 'moving contracts',
  ...NO_CONTRACTS_TO_MOVE,
  begin: async ({ service: { app, sql }, claims }) => {
    const made = (await sql(MAKE, [claims[0], CLAIMS])).map(({ id }) => id)
    for (const statement of PUT_CONTRACTS_BACK) await sql(statement)
    const stored = await sql(STORED_CONTRACT, [made])
    const move = () => moveContracts(app, () => false)
    return {
      run: () => move().catch(() => {}),
      finish: async () => {
        // What others held when its turn came takes another round.
        while (!(await move())?.isDone);
        assert.deepEqual(await sql(STORED_CONTRACT, [made]), stored)
        assert.deepEqual(await sql('SELECT id FROM claims WHERE contract IS NOT NULL'), [])
        await sql('DELETE FROM claims WHERE id = ANY ($1)', [made])
      },
    }
  },
}

export const CONTRACT_OPERATIONS: readonly Operation[] = [movingContracts]
