import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { HeldContracts } from '../../src/events/event-results.ts'
import { contractWith } from '../support/contracts.ts'
import { exchangeLines } from '../support/line-exchange.ts'
import { runBatch } from '../support/run-batch.ts'
import { sharedService } from '../support/shared.ts'
import { heavyClaims } from './heavy-claims.ts'

/* Large contracts are dropped from results that wait to be written, and read again when their turn comes. */

const { api } = await sharedService()
const PATH = '/v1/events/batch'

test('events to many claims under large contracts of their own are answered with each claim’s contract, in a batch and line by line, recorded and replayed', async () => {
  const claims = await heavyClaims(api, 6)
  const events = claims.map(({ id }, n) => ({ claim_id: id, type: 'note', id: `note-${n}`, n }))
  for (const status of [201, 200]) {
    const results = await runBatch(api, PATH, events)
    for (const [i, result] of results.entries()) {
      assert.deepEqual([result.status, result.claim.id], [status, claims[i]?.id])
      assert.deepEqual(result.claim.contract, claims[i]?.contract)
      assert.equal(result.event.n, i)
    }
  }
  const exchange = exchangeLines(api, PATH)
  await exchange.send(events.map((event) => `${JSON.stringify(event)}\n`).join(''))
  const lines = await exchange.rest()
  assert.deepEqual(
    lines.map(({ status, event, claim }) => [status, event.n, claim.contract]),
    claims.map(({ contract }, i) => [200, i, contract]),
  )
})

test('a single event to such a claim gets the same response as others', async () => {
  const [claim] = await heavyClaims(api, 1)
  const { status, headers, body } = await api.post('/v1/events', { claim_id: claim?.id, type: 'note' })
  assert.equal(status, 201)
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
  assert.deepEqual(body.claim.contract, claim?.contract)
})

describe('contracts that results hold', () => {
  const MIB = 1024 * 1024

  test('have a limit for each account; a contract that many results hold counts once, until the last result is sent', () => {
    const held = new HeldContracts('one account')
    const first = contractWith({ price: 1 })
    const second = contractWith({ price: 2 })
    const third = contractWith({ price: 3 })
    assert.ok(held.hold(first, 4 * MIB))
    assert.ok(held.hold(first, 4 * MIB))
    assert.ok(held.hold(second, 4 * MIB))
    assert.ok(!held.hold(third, 4 * MIB))
    held.release(first)
    assert.ok(!held.hold(third, 4 * MIB))
    assert.ok(new HeldContracts('another account').hold(third, 2_000))
    held.release(first)
    assert.ok(held.hold(third, 4 * MIB))
    held.end()
  })

  test('are released at the end of the response; then only small contracts are held', () => {
    const held = new HeldContracts('an account')
    const contract = contractWith()
    assert.ok(held.hold(contract, 8 * MIB))
    held.end()
    assert.ok(!held.hold(contract, 8 * MIB))
    assert.ok(held.hold(contract, 2_000))
    const later = new HeldContracts('an account')
    assert.ok(later.hold(contract, 8 * MIB))
    later.end()
  })
})
