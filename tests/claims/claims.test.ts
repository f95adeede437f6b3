import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { assertError } from '../support/assert-error.ts'
import { secondsAfter } from '../support/check-time.ts'
import { contractWith } from '../support/contracts.ts'
import { newCandidate, newClaim, newCustomer } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'
import { assertStoresNothing } from '../support/stored-rows.ts'

const service = await sharedService()
const { api } = service

const FIELDS = [
  'id',
  'reference',
  'user_id',
  'customer_id',
  'contract',
  'status',
  'status_since',
  'scheduled_outcome',
  'due_at',
  'schema_id',
  'schema_version',
  'test_clock_id',
  'created_at',
  'metadata',
  'events',
]
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('201 and 200', () => {
  test('creating a claim answers 201 with every field of an OPEN claim (§2.3)', async () => {
    const customer = await newCustomer(api)
    const contract = contractWith({ activity_window: 60 })
    const { status, body } = await api.post('/v1/claims', { customer_id: customer.id, contract })
    const [user] = await service.sql('SELECT user_id FROM customers WHERE id = $1', [customer.id])

    assert.equal(status, 201)
    assert.deepEqual(Object.keys(body), FIELDS)
    assert.match(body.id, UUID_V7)
    assert.match(body.created_at, TIME)
    assert.ok(Math.abs(Date.parse(body.created_at) - Date.now()) < 60_000)
    assert.deepEqual(body, {
      id: body.id,
      reference: null,
      user_id: user?.user_id,
      customer_id: customer.id,
      contract,
      status: 'OPEN',
      status_since: body.created_at,
      scheduled_outcome: null,
      due_at: secondsAfter(body.created_at, 60),
      schema_id: null,
      schema_version: null,
      test_clock_id: null,
      created_at: body.created_at,
      metadata: {},
      events: [],
    })
  })

  test('the header Location of a new claim leads to it, and it reads as it was answered (§4.1)', async () => {
    const customer = await newCustomer(api)
    const claim = await api.post('/v1/claims', { customer_id: customer.id, contract: contractWith() })
    assert.equal(claim.headers.get('location'), `/v1/claims/${claim.body.id}`)
    const read = await api.get(claim.headers.get('location') ?? '')
    assert.equal(read.status, 200)
    assert.deepEqual(read.body, claim.body)
  })

  for (const [window, ms] of [
    [3600, 3_600_000],
    [0.25, 250],
    [1.1, 1_100],
    [0.0001, 1],
    [86_400.0005, 86_400_001],
    [3_155_760_000, 3_155_760_000_000],
  ] as const) {
    test(`due_at is status_since and an activity window of ${window} s, to the next millisecond (§3)`, async () => {
      const claim = await newClaim(api, { activity_window: window })
      assert.match(claim.due_at, TIME)
      assert.equal(Date.parse(claim.due_at) - Date.parse(claim.status_since), ms)
    })
  }

  test('the contract comes back as it was sent, in the order of its keys (§2.1)', async () => {
    const { id } = await newCustomer(api)
    const match = { z: [1, 2.5, { y: null, x: 'é😀' }], a: { c: 1e300, b: -0.5 } }
    const contract = {
      timeout_outcome: 'confirm',
      fulfillment_condition: { op: 'NOT', condition: { lte: 3, match, field: 'z.y', event: 'e' } },
      review_window: 0,
      price: 0.1,
      activity_window: 1e-7,
    }
    const claim = await api.claim(id, contract)
    assert.equal(JSON.stringify(claim.contract), JSON.stringify(contract))
    assert.equal(JSON.stringify((await api.readClaim(claim.id)).contract), JSON.stringify(contract))
    const list = await api.get(`/v1/claims?customer_id=${id}`)
    assert.equal(JSON.stringify(list.body.data[0].contract), JSON.stringify(contract))
  })

  test('UUIDs are taken in any case and answered in lower case', async () => {
    const { id } = await newCustomer(api)
    const claim = await api.claim(id.toUpperCase(), contractWith())
    assert.equal(claim.customer_id, id)
    const read = await api.get(`/v1/claims/${claim.id.toUpperCase()}`)
    assert.deepEqual(read.body, claim)
  })

  test('a customer may have many claims, each with an id of its own', async () => {
    const { id } = await newCustomer(api)
    const claims = await Promise.all([1, 2, 3].map(() => api.claim(id, contractWith())))
    assert.equal(new Set(claims.map((claim) => claim.id)).size, 3)
  })
})

describe('400', () => {
  const contract = contractWith()
  const cases: [what: string, path: string, body: object][] = [
    ['no customer_id', 'customer_id', { contract }],
    ['a customer_id that is no UUID', 'customer_id', { customer_id: 'acme', contract }],
    ['an unknown field', 'colour', { customer_id: randomUUID(), contract, colour: 'red' }],
    ['a status', 'status', { customer_id: randomUUID(), contract, status: 'CONFIRMED' }],
    ['a contract without price', 'contract.price', { customer_id: randomUUID(), contract: withoutPrice() }],
  ]
  for (const [what, path, body] of cases) {
    test(`creating a claim with ${what} answers 400 at ${path} and stores nothing`, async () => {
      await assertStoresNothing(service, async () => {
        assertError(await api.post('/v1/claims', body), 400, 'VALIDATION_ERROR', path)
      })
    })
  }

  test('every mistake in a body is named at once', async () => {
    const answer = await api.post('/v1/claims', { customer_id: 'x', contract: {}, colour: 1 })
    for (const path of ['customer_id', 'colour', 'contract.price', 'contract.timeout_outcome']) {
      assertError(answer, 400, 'VALIDATION_ERROR', path)
    }
  })

  test('reading a claim by an invalid UUID answers 400 at id', async () => {
    assertError(await api.get('/v1/claims/not-a-uuid'), 400, 'VALIDATION_ERROR', 'id')
  })
})

describe('404', () => {
  test('a claim for an unknown customer answers 404 CUSTOMER_NOT_FOUND and stores nothing', async () => {
    const body = { customer_id: randomUUID(), contract: contractWith() }
    await assertStoresNothing(service, async () => {
      assertError(await api.post('/v1/claims', body), 404, 'CUSTOMER_NOT_FOUND')
    })
  })

  test('reading an unknown claim answers 404 CLAIM_NOT_FOUND', async () => {
    assertError(await api.get(`/v1/claims/${randomUUID()}`), 404, 'CLAIM_NOT_FOUND')
  })

  test('a candidate is not found under /v1/claims, even by the UUID behind its alias', async () => {
    const { candidate_alias } = await newCandidate(api)
    const [row] = await service.sql('SELECT id FROM claims WHERE candidate_alias = $1', [candidate_alias])
    assertError(await api.get(`/v1/claims/${row?.id}`), 404, 'CLAIM_NOT_FOUND')
  })
})

function withoutPrice(): object {
  const { price: _, ...rest } = contractWith()
  return rest
}
