import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { contractWith } from '../../support/contracts.ts'
import { UnusedContracts } from '../../support/source/service.ts'
import type { Operation } from '../fault-table.ts'
import { nextNumber } from '../load.ts'

const MARK = "UPDATE contracts SET unused_since = now() - interval '2 days' WHERE hash = $1"
const ADD_UNUSED = `INSERT INTO contracts
  SELECT $2, document, bytes, event_types, review_window, timeout_outcome, now() - interval '2 days'
  FROM contracts WHERE hash = $1`
const LEFT = 'SELECT hash, unused_since FROM contracts WHERE hash = ANY ($1)'

const removingContracts: Operation = {
  name: 'removing unused contracts',
  begin: async ({ service: { app, api, sql }, customer }) => {
    // No other claim has this contract.
    const contract = contractWith({ price: 1_000 + nextNumber() })
    const { id } = await api.claim(customer.id, contract)
    const [used] = await sql('SELECT contract_hash AS hash FROM claims WHERE id = $1', [id])
    await sql(MARK, [used?.hash])
    const unused = randomBytes(32)
    await sql(ADD_UNUSED, [used?.hash, unused])
    const contracts = new UnusedContracts(app)
    const remove = () => contracts.removeBatches(() => false)
    return {
      run: () => remove().catch(() => {}),
      finish: async () => {
        await remove()
        assert.deepEqual(await sql(LEFT, [[used?.hash, unused]]), [{ hash: used?.hash, unused_since: null }])
        assert.deepEqual((await api.readClaim(id)).contract, contract)
      },
    }
  },
}

export const UNUSED_CONTRACT_OPERATIONS: readonly Operation[] = [removingContracts]
