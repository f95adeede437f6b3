import assert from 'node:assert/strict'
import { MOVE_CONTRACTS_BACK_TO_CLAIMS, SKIP_ON_CITUS } from '../../support/old-claims.ts'
import { moveContracts } from '../../support/source/claims.ts'
import type { Operation } from '../fault-table.ts'

/** With the claims of the testbed: more than one batch, but fewer than two batches. */
const ADDED_CLAIMS = 600

const INSERT_CLAIMS = `INSERT INTO claims (id, user_id, customer_id, contract_hash, price, status, status_since, due_at, created_at)
  SELECT gen_random_uuid(), user_id, customer_id, contract_hash, price, status, status_since, due_at, created_at
  FROM claims, generate_series(1, $2) AS n WHERE id = $1 RETURNING id`

/** The contract of each claim, from the row of the claim or from `contracts`. */
const STORED_CONTRACT = `SELECT c.id, coalesce(c.contract, k.document)::text AS text FROM claims c
  LEFT JOIN contracts k ON k.hash = c.contract_hash WHERE c.id = ANY ($1) ORDER BY c.id`

const movingContracts: Operation = {
  name: 'moving contracts',
  ...SKIP_ON_CITUS,
  begin: async ({ service: { app, sql }, claims }) => {
    const added = (await sql(INSERT_CLAIMS, [claims[0], ADDED_CLAIMS])).map(({ id }) => id)
    for (const statement of MOVE_CONTRACTS_BACK_TO_CLAIMS) await sql(statement)
    const stored = await sql(STORED_CONTRACT, [added])
    const move = () => moveContracts(app, () => false)
    return {
      run: () => move().catch(() => {}),
      finish: async () => {
        // A pass skips claims that another transaction has locked; the next pass moves them.
        while (!(await move())?.isDone);
        assert.deepEqual(await sql(STORED_CONTRACT, [added]), stored)
        assert.deepEqual(await sql('SELECT id FROM claims WHERE contract IS NOT NULL'), [])
        await sql('DELETE FROM claims WHERE id = ANY ($1)', [added])
      },
    }
  },
}

export const CONTRACT_OPERATIONS: readonly Operation[] = [movingContracts]
