import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertError } from '../../support/assert-error.ts'
import { contractWith } from '../../support/contracts.ts'
import { newClaim, newCustomer } from '../../support/new-records.ts'
import { runBatch } from '../../support/run-batch.ts'
import { sharedService } from '../../support/shared.ts'
import type { Condition } from '../../support/source/contracts.ts'
import { assertStoresNothing } from '../../support/stored-rows.ts'

const service = await sharedService()
const { api } = service
const customer = await newCustomer(api)
const JSON_TYPE = { 'Content-Type': 'application/json' }

/* Names that every JavaScript object inherits are ordinary names here: present where they were sent, else absent. */

const INHERITED = [
  'constructor',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '__defineGetter__',
  'isPrototypeOf',
]

describe('a name of an inherited property', () => {
  test('is an ordinary key of a payload', async () => {
    const { id } = await newClaim(api)
    const events = INHERITED.map((name) => ({ claim_id: id, type: 'a', [name]: { [name]: 1 } }))
    const results = await runBatch(api, '/v1/events/batch', events)
    for (const [i, name] of INHERITED.entries()) assert.deepEqual(results[i].event[name], { [name]: 1 })
    const recorded = results.map(({ event }) => event)
    assert.deepEqual((await api.readClaim(id)).events, recorded)
  })

  test('as a key of match is matched only against own properties of the payload', async () => {
    for (const name of INHERITED) {
      for (const match of [{ [name]: {} }, { o: { [name]: {} } }] as const) {
        const payloads = [{}, { o: {} }, { o: 1, value: {} }, match]
        const statuses = await statusesAfter({ event: 'a', match }, payloads)
        assert.deepEqual(statuses, ['OPEN', 'OPEN', 'OPEN', 'PENDING'], name)
      }
    }
  })

  test('as a field is read only from own properties of the payload', async () => {
    for (const name of INHERITED) {
      const own = { [name]: { length: 1 }, o: { [name]: { length: 1 } }, value: { [name]: 1 } }
      for (const field of [`${name}.length`, `o.${name}.length`, `value.${name}`]) {
        const payloads = [{}, { o: {} }, { o: [], value: [] }, { value: 'text', o: 'text' }, own]
        const statuses = await statusesAfter({ event: 'a', field, gte: 0 }, payloads)
        assert.deepEqual(statuses, ['OPEN', 'OPEN', 'OPEN', 'OPEN', 'PENDING'], field)
      }
    }
  })

  test('is an unknown field where the fields are fixed', async () => {
    const { id: customer_id } = customer
    const contract = contractWith()
    const withLeaf = (name: string) => ({
      ...contract,
      fulfillment_condition: { event: 'a', [name]: 1 },
    })
    await assertStoresNothing(service, async () => {
      for (const name of INHERITED) {
        const bodies: [path: string, body: object][] = [
          [name, { customer_id, contract, [name]: {} }],
          [`contract.${name}`, { customer_id, contract: { ...contract, [name]: {} } }],
          [`contract.fulfillment_condition.${name}`, { customer_id, contract: withLeaf(name) }],
        ]
        for (const [path, body] of bodies)
          assertError(await api.post('/v1/claims', body), 400, 'VALIDATION_ERROR', path)
      }
    })
  })
})

test('a field does not reach into strings and arrays: value.length and o.0 do not exist', async () => {
  const payloads = [
    { value: '12', o: [1, 2] },
    { value: { length: 0, 0: 0 }, o: { length: 0, 0: 0 } },
  ]
  for (const field of ['value.length', 'o.length', 'o.0', 'value.0'])
    assert.deepEqual(await statusesAfter({ event: 'a', field, gte: 0 }, payloads), ['OPEN', 'PENDING'], field)
})

test('properties like op or gt are not read from the prototype of a contract', async () => {
  const text = `{"customer_id":"${customer.id}","contract":{"price":1,"activity_window":1,"review_window":1,"timeout_outcome":"fail","fulfillment_condition":{"constructor":{"prototype":{"event":"a"}}}}}`
  const answer = await api.send('POST', '/v1/claims', text, JSON_TYPE)
  assertError(answer, 400, 'VALIDATION_ERROR', 'contract.fulfillment_condition')
})

describe('the key __proto__', () => {
  const BODIES: [path: string, json: string][] = [
    ['__proto__', '{"type":"a","__proto__":{"polluted":true}}'],
    ['__proto__', '{"type":"a","\\u005f_proto__":{"polluted":true}}'],
    ['value[1].x.__proto__', '{"type":"a","value":[0,{"x":{"__proto__":null}}]}'],
    ['o.__proto__', '{"type":"a","o":{"\\u005F\\u005Fproto\\u005f\\u005f":1}}'],
  ]

  test('answers 400 at its path, plain, escaped or deep inside, and records nothing', async () => {
    const { id } = await newClaim(api)
    await assertStoresNothing(service, async () => {
      for (const [path, json] of BODIES) {
        const answer = await api.send('POST', `/v1/claims/${id}/events`, json, JSON_TYPE)
        assertError(answer, 400, 'VALIDATION_ERROR', path)
      }
    })
    assert.equal(({} as Record<string, unknown>).polluted, undefined)
  })

  test('in a contract answers 400 at its path', async () => {
    const text = JSON.stringify({ customer_id: customer.id, contract: contractWith() })
    const hostile = text.replace('"event":', '"match":{"__proto__":{"a":1}},"event":')
    const answer = await api.send('POST', '/v1/claims', hostile, JSON_TYPE)
    assertError(answer, 400, 'VALIDATION_ERROR', 'contract.fulfillment_condition.match.__proto__')
  })

  test('as a value, a type or a field is an ordinary string', async () => {
    const { id } = await newClaim(api, {
      fulfillment_condition: { event: '__proto__', field: '__proto__.length', gte: 0 },
    })
    const { status, body } = await api.post(`/v1/claims/${id}/events`, {
      type: '__proto__',
      value: '__proto__',
    })
    assert.deepEqual([status, body.claim.status, body.event.value], [201, 'OPEN', '__proto__'])
  })
})

/** Of a new claim after each event, all of the type `a`. */
async function statusesAfter(condition: Condition, payloads: readonly object[]): Promise<string[]> {
  const { id } = await api.claim(customer.id, contractWith({ fulfillment_condition: condition }))
  const events = payloads.map((payload) => ({ claim_id: id, type: 'a', ...payload }))
  const results = await runBatch(api, '/v1/events/batch', events)
  return results.map(({ status, claim }) => (status === 201 ? claim.status : status))
}
