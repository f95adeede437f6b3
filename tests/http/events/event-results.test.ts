import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { KeptContracts } from '../../../src/http/events/kept-contracts.ts'
import { contractWith } from '../../support/contracts.ts'
import { exchangeLines } from '../../support/line-exchange.ts'
import { newCustomer } from '../../support/new-records.ts'
import { runBatch } from '../../support/run-batch.ts'
import { startStruckService } from '../../support/struck-service.ts'

/* Results wait for their turn in the answer without what has no room: contracts are read again, and told as they are. */

const { api, proxy } = await startStruckService({ after })
const customer = await newCustomer(api)
const PATH = '/v1/events/batch'
const warnings: string[] = []
process.on('warning', ({ name }) => warnings.push(name))

/** As an object it takes two megabytes: four of an account may be held. */
const heavyContract = (n: number) =>
  contractWith({
    fulfillment_condition: {
      event: 'done',
      match: { a: [n, ...Array.from({ length: 21_000 }, () => ({}))] },
    },
  })

async function heavyClaims(count: number) {
  const contracts = Array.from({ length: count }, (_, n) => heavyContract(n))
  const claims = contracts.map((contract) => ({ customer_id: customer.id, contract }))
  const results = await runBatch(api, '/v1/claims/batch', claims)
  return results.map(({ claim }, i) => ({ id: claim.id as string, contract: contracts[i] }))
}

describe('events to many claims under large contracts of their own', () => {
  test('are answered with each claim’s contract, in a batch and line by line, recorded and replayed', async () => {
    const claims = await heavyClaims(9)
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

  test('that are heavy themselves come back as they were sent, and as they were recorded', async () => {
    const claims = await heavyClaims(6)
    const a = Array.from({ length: 2_000 }, () => ({}))
    const events = claims.map(({ id }, n) => ({ claim_id: id, type: 'note', id: `heavy-${n}`, n, a }))
    const first = await runBatch(api, PATH, events)
    for (const [i, { event, claim }] of first.entries()) {
      const { claim_id: _, ...sent } = events[i] as (typeof events)[number]
      const { created_at, system, ...told } = event
      assert.deepEqual(told, sent)
      assert.equal(system, false)
      assert.deepEqual(claim.contract, claims[i]?.contract)
    }
    const again = await runBatch(api, PATH, events)
    assert.deepEqual(
      again.map(({ status, event }) => [status, event]),
      first.map(({ event }) => [200, event]),
    )
  })

  test('are told as they are where a connection is lost meanwhile', async () => {
    const claims = await heavyClaims(6)
    const events = claims.map(({ id }, n) => ({ claim_id: id, type: 'note', id: `lost-${n}` }))
    proxy.strike({ statement: 'read_contracts' }, 'cut before')
    const results = await runBatch(api, PATH, events)
    assert.ok(proxy.hasStruck())
    assert.deepEqual(
      results.map(({ status, claim }) => [status, claim.contract]),
      claims.map(({ contract }) => [201, contract]),
    )
  })

  test('are told to be recorded where the contracts cannot be read', async () => {
    const claims = await heavyClaims(6)
    const events = claims.map(({ id }, n) => ({ claim_id: id, type: 'note', id: `unread-${n}` }))
    proxy.listen((statement) => {
      if (statement === 'read_contracts') proxy.strike({ statement }, { refused: '53100' })
    })
    const results = await runBatch(api, PATH, events)
    proxy.listen(null)
    assert.ok(proxy.hasStruck())
    assert.deepEqual(new Set(results.map(({ status }) => status)), new Set([201, 503]))
    const [untold] = results.filter(({ status }) => status === 503)
    assert.match(untold.error.message, /was recorded, but how its claim stands is not known/)
    const again = await runBatch(api, PATH, events)
    assert.deepEqual(new Set(again.map(({ status }) => status)), new Set([200]))
  })

  test('are looked after by no more listeners than Node lets an answer have', () => {
    assert.deepEqual(warnings, [])
  })
})

test('a single event to such a claim is answered as others are', async () => {
  const [claim] = await heavyClaims(1)
  const { status, headers, body } = await api.post('/v1/events', { claim_id: claim?.id, type: 'note' })
  assert.equal(status, 201)
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
  assert.deepEqual(body.claim.contract, claim?.contract)
})

describe('contracts that are kept', () => {
  const MIB = 1024 * 1024

  test('have a bound for each account; one that many results hold counts once, until the last has let it go', () => {
    const kept = new KeptContracts('one account')
    const first = contractWith({ price: 1 })
    const second = contractWith({ price: 2 })
    const third = contractWith({ price: 3 })
    assert.ok(kept.keep(first, 4 * MIB))
    assert.ok(kept.keep(first, 4 * MIB))
    assert.ok(kept.keep(second, 4 * MIB))
    assert.ok(!kept.keep(third, 4 * MIB))
    kept.letGo(first)
    assert.ok(!kept.keep(third, 4 * MIB))
    assert.ok(new KeptContracts('another account').keep(third, 2_000))
    kept.letGo(first)
    assert.ok(kept.keep(third, 4 * MIB))
    kept.end()
  })

  test('are all given back at the end, after which nothing is kept but what is small', () => {
    const kept = new KeptContracts('an account')
    const contract = contractWith()
    assert.ok(kept.keep(contract, 8 * MIB))
    kept.end()
    assert.ok(!kept.keep(contract, 8 * MIB))
    assert.ok(kept.keep(contract, 2_000))
    const later = new KeptContracts('an account')
    assert.ok(later.keep(contract, 8 * MIB))
    later.end()
  })
})
