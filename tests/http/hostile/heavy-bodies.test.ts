import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newCustomer } from '../../support/new-records.ts'
import { runBatch } from '../../support/run-batch.ts'
import { sharedService } from '../../support/shared.ts'
import { emptyObjects, heavyClaimBodies, matching } from './heavy-claim-bodies.ts'

/* Empty objects take 64 bytes for three of the text: what is in work is weighed, and items are made when it is their turn. */

const { api } = await sharedService()
const customer = await newCustomer(api)

describe('items of a long batch, parsed on demand,', () => {
  test('become claims with the contracts that were sent, and invalid items are reported at their index', async () => {
    const items = heavyClaimBodies(customer.id, 6)
    const wrong = { ...items[0], contract: { ...matching({}), price: 'x'.repeat(600) } }
    const results = await runBatch(api, '/v1/claims/batch', [...items, wrong])
    for (const [i, { status, claim }] of results.slice(0, 6).entries()) {
      assert.equal(status, 201)
      assert.deepEqual(claim.contract, items[i]?.contract)
      assert.deepEqual((await api.get(`/v1/claims/${claim.id}`)).body.contract, items[i]?.contract)
    }
    assert.equal(results[6].status, 400)
    assert.equal(results[6].error.details[0].path, 'contract.price')
  })

  test('become candidates, and the second candidate with an alias is a conflict', async () => {
    const [item] = heavyClaimBodies(customer.id, 1)
    const candidate = {
      candidate_alias: 'heavy-and-late',
      customer_uuid: customer.external_id,
      contract: item?.contract,
    }
    const results = await runBatch(api, '/v1/candidates/batch', [candidate, candidate, candidate])
    assert.deepEqual(
      results.map(({ status }) => status),
      [201, 409, 409],
    )
    assert.deepEqual(results[0].candidate.contract, item?.contract)
  })

  test('become events that are decided, returned, stored and recognized as they were sent', async () => {
    const [claim] = await runBatch(api, '/v1/claims/batch', [
      { customer_id: customer.id, contract: matching({ n: 2 }) },
    ])
    const events = [1, 2].map((n) => ({
      claim_id: claim.claim.id,
      type: 'e',
      id: `event-${n}`,
      n,
      a: emptyObjects(50_000),
    }))
    const first = await runBatch(api, '/v1/events/batch', events)
    assert.deepEqual(
      first.map(({ status, claim }) => [status, claim.status]),
      [
        [201, 'OPEN'],
        [201, 'PENDING'],
      ],
    )
    const { claim_id: _, ...sent } = events[1] as (typeof events)[number]
    const { created_at, system, ...answered } = first[1].event
    assert.deepEqual(answered, sent)
    const again = await runBatch(api, '/v1/events/batch', events)
    assert.deepEqual(
      again,
      first.map((result) => ({ ...result, status: 200, claim: again[0].claim })),
    )
    const [other] = await runBatch(api, '/v1/events/batch', [{ ...events[1], a: emptyObjects(50_001) }])
    assert.equal(other.error.code, 'EVENT_ID_CONFLICT')
  })
})
