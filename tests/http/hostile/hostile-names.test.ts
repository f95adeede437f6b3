import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Condition } from '../../../src/domain/contract/condition.ts'
import { assertError } from '../../support/assert-error.ts'
import { contractWith } from '../../support/contracts.ts'
import { newClaim, newCustomer } from '../../support/new-records.ts'
import { assertStoresNothing } from '../../support/stored-rows.ts'
import { startTestService } from '../../support/test-service.ts'

const service = await startTestService({ after })
const { api } = service
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

for (const name of INHERITED) {
  describe(`the name ${name}`, () => {
    test('is an ordinary key of a payload', async () => {
      const { id } = await newClaim(api)
      const { status, body } = await api.post(`/v1/claims/${id}/events`, { type: 'a', [name]: { [name]: 1 } })
      assert.equal(status, 201)
      assert.deepEqual(body.event[name], { [name]: 1 })
      assert.deepEqual((await api.readClaim(id)).events, [body.event])
    })

    test('as a key of match is looked for in the payload, not in what it inherits', async () => {
      for (const match of [{ [name]: {} }, { o: { [name]: {} } }] as const) {
        const id = await openClaim({ event: 'a', match })
        for (const payload of [{}, { o: {} }, { o: 1, value: {} }]) {
          assert.equal(await statusAfter(id, payload), 'OPEN')
        }
        assert.equal(await statusAfter(id, match), 'PENDING')
      }
    })

    test('as a field is looked for in the payload, not in what it inherits', async () => {
      for (const field of [`${name}.length`, `o.${name}.length`, `value.${name}`]) {
        const id = await openClaim({ event: 'a', field, gte: 0 })
        for (const payload of [{}, { o: {} }, { o: [], value: [] }, { value: 'text', o: 'text' }]) {
          assert.equal(await statusAfter(id, payload), 'OPEN')
        }
        const own = { [name]: { length: 1 }, o: { [name]: { length: 1 } }, value: { [name]: 1 } }
        assert.equal(await statusAfter(id, own), 'PENDING')
      }
    })

    test('is an unknown field wherever fields are known', async () => {
      const { id } = await newCustomer(api)
      const contract = contractWith()
      const bodies: [path: string, body: object][] = [
        [name, { customer_id: id, contract, [name]: {} }],
        [`contract.${name}`, { customer_id: id, contract: { ...contract, [name]: {} } }],
        [
          `contract.fulfillment_condition.${name}`,
          { customer_id: id, contract: { ...contract, fulfillment_condition: { event: 'a', [name]: 1 } } },
        ],
      ]
      await assertStoresNothing(service, async () => {
        for (const [path, body] of bodies) {
          assertError(await api.post('/v1/claims', body), 400, 'VALIDATION_ERROR', path)
        }
      })
    })
  })
}

test('a field does not reach into strings and arrays: value.length and o.0 are not there', async () => {
  for (const field of ['value.length', 'o.length', 'o.0', 'value.0']) {
    const id = await openClaim({ event: 'a', field, gte: 0 })
    assert.equal(await statusAfter(id, { value: '12', o: [1, 2] }), 'OPEN')
    assert.equal(await statusAfter(id, { value: { length: 0, 0: 0 }, o: { length: 0, 0: 0 } }), 'PENDING')
  }
})

test('names like op or gt in a contract are not inherited from anywhere', async () => {
  const { id } = await newCustomer(api)
  const text = `{"customer_id":"${id}","contract":{"price":1,"activity_window":1,"review_window":1,"timeout_outcome":"fail","fulfillment_condition":{"constructor":{"prototype":{"event":"a"}}}}}`
  const answer = await api.send('POST', '/v1/claims', text, JSON_TYPE)
  assertError(answer, 400, 'VALIDATION_ERROR', 'contract.fulfillment_condition')
})

describe('the key __proto__', () => {
  const BODIES: Record<string, [path: string, json: string]> = {
    plain: ['__proto__', '{"type":"a","__proto__":{"polluted":true}}'],
    escaped: ['__proto__', '{"type":"a","\\u005f_proto__":{"polluted":true}}'],
    'deep inside': ['value[1].x.__proto__', '{"type":"a","value":[0,{"x":{"__proto__":null}}]}'],
    'with a scalar': ['o.__proto__', '{"type":"a","o":{"\\u005F\\u005Fproto\\u005f\\u005f":1}}'],
  }
  for (const [how, [path, json]] of Object.entries(BODIES)) {
    test(`${how} answers 400 at ${path} and records nothing`, async () => {
      const { id } = await newClaim(api)
      await assertStoresNothing(service, async () => {
        const answer = await api.send('POST', `/v1/claims/${id}/events`, json, JSON_TYPE)
        assertError(answer, 400, 'VALIDATION_ERROR', path)
      })
      assert.equal(({} as Record<string, unknown>).polluted, undefined)
    })
  }

  test('in a contract answers 400 at its path', async () => {
    const { id } = await newCustomer(api)
    const text = JSON.stringify({ customer_id: id, contract: contractWith() })
    const hostile = text.replace('"event":', '"match":{"__proto__":{"a":1}},"event":')
    const answer = await api.send('POST', '/v1/claims', hostile, JSON_TYPE)
    assertError(answer, 400, 'VALIDATION_ERROR', 'contract.fulfillment_condition.match.__proto__')
  })

  test('as a value, a type or a field is an ordinary string', async () => {
    const id = await openClaim({ event: '__proto__', field: '__proto__.length', gte: 0 })
    const { status, body } = await api.post(`/v1/claims/${id}/events`, {
      type: '__proto__',
      value: '__proto__',
    })
    assert.deepEqual([status, body.claim.status, body.event.value], [201, 'OPEN', '__proto__'])
  })
})

async function openClaim(condition: Condition): Promise<string> {
  return (await newClaim(api, { fulfillment_condition: condition })).id
}

async function statusAfter(id: string, payload: object): Promise<string> {
  const { status, body } = await api.post(`/v1/claims/${id}/events`, { type: 'a', ...payload })
  assert.equal(status, 201, JSON.stringify(body))
  return body.claim.status
}
