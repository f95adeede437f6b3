import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { assertError } from '../support/assert-error.ts'
import { contractWith } from '../support/contracts.ts'
import { newCalendar, newSchema } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'
import type { ErrorCode } from '../support/source/errors.ts'
import { assertStoresNothing } from '../support/stored-rows.ts'
import { startTestService } from '../support/test-service.ts'

const service = await sharedService()
const { api } = service

describe('201, 200 and 204', () => {
  test('creating a schema answers 201 with every field (§2.5)', async () => {
    const contract = contractWith({ price: 0.3 })
    const { status, body, headers } = await api.post('/v1/schemas', { contract })
    const [row] = await service.sql('SELECT user_id FROM claim_schemas WHERE id = $1', [body.id])
    assert.equal(status, 201)
    assert.match(body.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/)
    assert.match(body.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.equal(
      JSON.stringify(body),
      JSON.stringify({
        id: body.id,
        user_id: row?.user_id,
        version: 1,
        name: null,
        description: null,
        contract,
        created_at: body.created_at,
        updated_at: body.created_at,
      }),
    )
    assert.equal(headers.get('location'), `/v1/schemas/${body.id}`)
    const read = await api.get(headers.get('location') ?? '')
    assert.equal(read.status, 200)
    assert.deepEqual(read.body, body)
  })

  test('PATCH replaces the whole contract and moves updated_at and the version only (§4.4)', async () => {
    const schema = await newSchema(api, { price: 1 })
    const contract = contractWith({ price: 2, timeout_outcome: 'confirm' })
    const { status, body: changed } = await api.patch(`/v1/schemas/${schema.id}`, { contract })
    const { hints, ...body } = changed
    assert.equal(status, 200)
    assert.equal(hints[0].code, 'always_confirmed')
    assert.deepEqual(body, { ...schema, version: 2, contract, updated_at: body.updated_at })
    assert.ok(body.updated_at >= schema.updated_at)
    assert.deepEqual((await api.get(`/v1/schemas/${schema.id}`)).body, body)
  })

  test('a schema has a name and a description, which change by themselves and leave updated_at alone', async () => {
    const names = { name: 'Support ticket', description: 'Level 1.\nNo weekends.' }
    const contract = contractWith()
    const original = await api.post('/v1/schemas', { contract, ...names })
    assert.equal(original.status, 201)
    assert.deepEqual(original.body, { ...original.body, contract, ...names })
    const path = `/v1/schemas/${original.body.id}`
    const renamed = await api.patch(path, { name: 'Ticket' })
    assert.deepEqual(renamed.body, { ...original.body, version: 2, name: 'Ticket' })
    assert.notEqual(renamed.headers.get('etag'), original.headers.get('etag'))
    const cleared = await api.patch(path, { name: null, description: null })
    assert.deepEqual(cleared.body, { ...original.body, version: 3, name: null, description: null })
    const both = await api.patch(path, { contract: contractWith({ price: 7 }), name: 'Seven' })
    assert.deepEqual([both.body.contract.price, both.body.name, both.body.description], [7, 'Seven', null])
    const { body: list } = await api.get('/v1/schemas')
    assert.deepEqual(list.data.at(-1), both.body)
  })

  test('DELETE answers 204 without a body, and the schema is gone', async () => {
    const schema = await newSchema(api)
    const deleted = await api.delete(`/v1/schemas/${schema.id}`)
    assert.deepEqual([deleted.status, deleted.body], [204, undefined])
    const path = `/v1/schemas/${schema.id}`
    assertError(await api.get(path), 404, 'SCHEMA_NOT_FOUND')
    assertError(await api.patch(path, { contract: contractWith() }), 404, 'SCHEMA_NOT_FOUND')
    assertError(await api.delete(path), 404, 'SCHEMA_NOT_FOUND')
  })

  test('UUIDs are taken in upper case', async () => {
    const schema = await newSchema(api)
    const path = `/v1/schemas/${schema.id.toUpperCase()}`
    assert.deepEqual((await api.get(path)).body, schema)
    assert.equal((await api.patch(path, { contract: contractWith() })).body.id, schema.id)
    assert.equal((await api.delete(path)).status, 204)
  })

  test('the list holds all of the account’s schemas, oldest first, in `data` alone (§4.4)', async () => {
    const account = await service.newAccount()
    assert.deepEqual((await account.get('/v1/schemas')).body, { data: [] })
    const schemas = []
    for (let price = 0; price < 120; price++) schemas.push(await newSchema(account, { price }))
    await account.delete(`/v1/schemas/${schemas[60].id}`)
    const changed = await account.patch(`/v1/schemas/${schemas[3].id}`, { contract: contractWith() })
    schemas[3] = changed.body
    const { status, body } = await account.get('/v1/schemas')
    assert.equal(status, 200)
    assert.deepEqual(body, { data: schemas.filter((_, i) => i !== 60) })
  })
})

describe('400', () => {
  const contract = contractWith()
  const cases: [what: string, path: string, body: object][] = [
    ['contract: null', 'contract', { contract: null }],
    ['a negative price', 'contract.price', { contract: { ...contract, price: -0.01 } }],
    ['a price above 1e12', 'contract.price', { contract: { ...contract, price: 1e12 + 1 } }],
    ['activity_window 0', 'contract.activity_window', { contract: { ...contract, activity_window: 0 } }],
    ['a negative review_window', 'contract.review_window', { contract: { ...contract, review_window: -1 } }],
    [
      'a window over 100 years',
      'contract.review_window',
      { contract: { ...contract, review_window: 3_155_760_001 } },
    ],
    [
      'another timeout_outcome',
      'contract.timeout_outcome',
      { contract: { ...contract, timeout_outcome: 'CONFIRMED' } },
    ],
    ['an unknown field in the contract', 'contract.currency', { contract: { ...contract, currency: 'EUR' } }],
    ['an unknown field', 'title', { contract, title: 'standard' }],
    ['an empty name', 'name', { contract, name: '' }],
    ['a name of more than 255 characters', 'name', { contract, name: 'x'.repeat(256) }],
    ['a description of more than 2000', 'description', { contract, description: 'x'.repeat(2_001) }],
    ['a contract of more than 64 KiB', 'contract', { contract: largerThan64KiB() }],
    [
      'a wrong node deep in the condition',
      'contract.fulfillment_condition.conditions[1].condition.event',
      {
        contract: withCondition({
          op: 'AND',
          conditions: [{ event: 'a' }, { op: 'NOT', condition: { event: 5 } }],
        }),
      },
    ],
    [
      'a field without a comparator',
      'contract.fulfillment_condition.field',
      { contract: withCondition({ event: 'a', field: 'b' }) },
    ],
    [
      'a node of two kinds',
      'contract.fulfillment_condition',
      { contract: withCondition({ event: 'a', op: 'AND', conditions: [] }) },
    ],
    ['a node of no kind', 'contract.fulfillment_condition', { contract: withCondition({}) }],
    [
      'a field that the node’s kind lacks',
      'contract.fulfillment_condition.condition',
      { contract: withCondition({ op: 'OR', conditions: [], condition: { event: 'a' } }) },
    ],
  ]
  for (const [what, path, body] of cases) {
    test(`creating or changing a schema with ${what} answers 400 at ${path} and changes nothing`, async () => {
      const { id } = await newSchema(api)
      await assertStoresNothing(service, async () => {
        assertError(await api.post('/v1/schemas', body), 400, 'VALIDATION_ERROR', path)
        assertError(await api.patch(`/v1/schemas/${id}`, body), 400, 'VALIDATION_ERROR', path)
      })
    })
  }

  test('creating one without a contract, and changing nothing of one, answer 400', async () => {
    const { id } = await newSchema(api)
    assertError(await api.post('/v1/schemas', { name: 'only' }), 400, 'VALIDATION_ERROR', 'contract')
    assertError(await api.patch(`/v1/schemas/${id}`, {}), 400, 'VALIDATION_ERROR', 'body')
  })

  test('an id that is no UUID answers 400 at id', async () => {
    assertError(await api.get('/v1/schemas/x'), 400, 'VALIDATION_ERROR', 'id')
    assertError(await api.patch('/v1/schemas/x', { contract }), 400, 'VALIDATION_ERROR', 'id')
    assertError(await api.delete('/v1/schemas/x'), 400, 'VALIDATION_ERROR', 'id')
  })
})

test('an unknown schema answers 404 SCHEMA_NOT_FOUND, read, changed or deleted', async () => {
  const path = `/v1/schemas/${randomUUID()}`
  assertError(await api.get(path), 404, 'SCHEMA_NOT_FOUND')
  assertError(await api.patch(path, { contract: contractWith() }), 404, 'SCHEMA_NOT_FOUND')
  assertError(await api.delete(path), 404, 'SCHEMA_NOT_FOUND')
})

test('a calendar that no new claim can use is refused, when a schema is created and when its contract is changed (§2.1a rule 20)', async () => {
  const { id } = await newCalendar(api)
  const withCalendar = (calendar: object) => ({ contract: { ...contractWith(), clock: { calendar } } })
  const original = await api.post('/v1/schemas', withCalendar({ id }))
  assert.deepEqual(original.body.contract.clock.calendar, { id })
  const path = `/v1/schemas/${original.body.id}`
  const refusals: [object, ErrorCode][] = [
    [{ id, version: 2 }, 'CALENDAR_VERSION_NOT_FOUND'],
    [{ id: randomUUID() }, 'CALENDAR_NOT_FOUND'],
  ]
  for (const [calendar, code] of refusals) {
    assertError(await api.post('/v1/schemas', withCalendar(calendar)), 404, code)
    assertError(await api.patch(path, withCalendar(calendar)), 404, code)
  }
  const unknown = `/v1/schemas/${randomUUID()}`
  assertError(await api.patch(unknown, withCalendar({ id: randomUUID() })), 404, 'SCHEMA_NOT_FOUND')
  assert.equal((await api.delete(`/v1/calendars/${id}`)).status, 204)
  assertError(await api.patch(path, withCalendar({ id })), 404, 'CALENDAR_NOT_FOUND')
  assert.equal((await api.patch(path, { name: 'Support' })).status, 200)
})

test('a contract of 64 KiB is kept whole', async () => {
  const empty = JSON.stringify(contractWith({ fulfillment_condition: { event: 'e', match: '' } }))
  const match = 'm'.repeat(64 * 1024 - empty.length)
  const schema = await newSchema(api, { fulfillment_condition: { event: 'e', match } })
  assert.equal(JSON.stringify(schema.contract).length, 64 * 1024)
})

function withCondition(condition: object): object {
  return { ...contractWith(), fulfillment_condition: condition }
}

function largerThan64KiB(): object {
  return withCondition({ event: 'e', match: 'm'.repeat(64 * 1024) })
}

describe('422: as many schemas as an account may have', () => {
  test('one more answers SCHEMA_LIMIT_REACHED; one less makes room, and other accounts have their own', async (t) => {
    const small = await startTestService(t, { databaseUrl: service.databaseUrl, maxSchemas: 2 })
    const [first] = [await newSchema(small.api), await newSchema(small.api)]
    await assertStoresNothing(service, async () => {
      const refused = await small.api.post('/v1/schemas', { contract: contractWith() })
      assertError(refused, 422, 'SCHEMA_LIMIT_REACHED')
    })
    await newSchema(await small.newAccount())
    await small.api.delete(`/v1/schemas/${first.id}`)
    await newSchema(small.api)
  })
})
