import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { assertError } from '../support/assert-error.ts'
import { newCustomer, uniqueName } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'
import { assertStoresNothing } from '../support/stored-rows.ts'

const service = await sharedService()
const { api } = service

describe('201 and 200', () => {
  test('creating a customer answers 201 with every field', async () => {
    const externalId = uniqueName('acme')
    const { status, body, headers } = await api.post('/v1/customers', {
      external_id: externalId,
      name: 'ACME Inc.',
    })
    const [row] = await service.sql('SELECT user_id FROM customers WHERE id = $1', [body.id])
    assert.equal(status, 201)
    assert.match(body.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/)
    assert.match(body.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.equal(
      JSON.stringify(body),
      JSON.stringify({
        id: body.id,
        user_id: row?.user_id,
        external_id: externalId,
        name: 'ACME Inc.',
        metadata: {},
        created_at: body.created_at,
      }),
    )
    assert.equal(headers.get('location'), `/v1/customers/${body.id}`)
    const read = await api.get(headers.get('location') ?? '')
    assert.equal(read.status, 200)
    assert.deepEqual(read.body, body)
  })

  test('a name that is absent or null is null', async () => {
    const absent = await api.post('/v1/customers', { external_id: uniqueName() })
    const given = await api.post('/v1/customers', { external_id: uniqueName(), name: null })
    assert.deepEqual([absent.status, absent.body.name], [201, null])
    assert.deepEqual([given.status, given.body.name], [201, null])
  })

  test('external_id and name have 1 to 255 characters, which may be emoji', async () => {
    for (const text of ['x', '😀'.repeat(255), 'n'.repeat(255)]) {
      const { status, body } = await api.post('/v1/customers', { external_id: text, name: text })
      assert.deepEqual([status, body.external_id, body.name], [201, text, text])
    }
  })

  test('PATCH sets the name, clears it with null, and leaves the rest as it was', async () => {
    const customer = await newCustomer(api)
    const named = await api.patch(`/v1/customers/${customer.id}`, { name: 'New name' })
    assert.equal(named.status, 200)
    assert.deepEqual(named.body, { ...customer, name: 'New name' })
    assert.deepEqual((await api.get(`/v1/customers/${customer.id}`)).body, named.body)
    const cleared = await api.patch(`/v1/customers/${customer.id}`, { name: null })
    assert.deepEqual(cleared.body, { ...customer, name: null })
  })

  test('UUIDs are taken in upper case', async () => {
    const customer = await newCustomer(api)
    const path = `/v1/customers/${customer.id.toUpperCase()}`
    assert.deepEqual((await api.get(path)).body, customer)
    assert.equal((await api.patch(path, { name: 'n' })).body.id, customer.id)
  })

  test('two accounts may use the same external_id', async () => {
    const { external_id } = await newCustomer(api)
    const other = await service.newAccount()
    assert.equal((await other.post('/v1/customers', { external_id })).status, 201)
  })
})

describe('400', () => {
  const long = 'x'.repeat(256)
  const creations: [what: string, path: string, body: object][] = [
    ['no external_id', 'external_id', { name: 'n' }],
    ['an empty external_id', 'external_id', { external_id: '' }],
    ['an external_id of 256 characters', 'external_id', { external_id: long }],
    ['an empty name', 'name', { external_id: 'x', name: '' }],
    ['a name of 256 characters', 'name', { external_id: 'x', name: long }],
    ['an unknown field', 'email', { external_id: 'x', email: 'a@example.com' }],
    ['an id', 'id', { external_id: 'x', id: randomUUID() }],
  ]
  for (const [what, path, body] of creations) {
    test(`creating a customer with ${what} answers 400 at ${path} and stores nothing`, async () => {
      await assertStoresNothing(service, async () => {
        assertError(await api.post('/v1/customers', body), 400, 'VALIDATION_ERROR', path)
      })
    })
  }

  const changes: [what: string, path: string, body: object][] = [
    ['nothing', 'body', {}],
    ['an empty name', 'name', { name: '' }],
    ['a name of 256 characters', 'name', { name: long }],
    ['an external_id, which never changes', 'external_id', { name: 'n', external_id: 'x' }],
    ['an unknown field', 'colour', { name: 'n', colour: 'red' }],
  ]
  for (const [what, path, body] of changes) {
    test(`changing a customer with ${what} answers 400 at ${path} and changes nothing`, async () => {
      const { id } = await newCustomer(api)
      await assertStoresNothing(service, async () => {
        assertError(await api.patch(`/v1/customers/${id}`, body), 400, 'VALIDATION_ERROR', path)
      })
    })
  }

  test('an id that is no UUID answers 400 at id', async () => {
    assertError(await api.get('/v1/customers/acme'), 400, 'VALIDATION_ERROR', 'id')
    assertError(await api.patch('/v1/customers/acme', { name: 'n' }), 400, 'VALIDATION_ERROR', 'id')
  })
})

describe('404', () => {
  test('an unknown customer answers 404 CUSTOMER_NOT_FOUND, read or changed', async () => {
    const path = `/v1/customers/${randomUUID()}`
    assertError(await api.get(path), 404, 'CUSTOMER_NOT_FOUND')
    assertError(await api.patch(path, { name: 'n' }), 404, 'CUSTOMER_NOT_FOUND')
  })
})

describe('405', () => {
  test('customers are never deleted: DELETE answers 405 METHOD_NOT_ALLOWED', async () => {
    const { id } = await newCustomer(api)
    assertError(await api.delete(`/v1/customers/${id}`), 405, 'METHOD_NOT_ALLOWED')
  })
})

describe('409', () => {
  test('a taken external_id answers 409 CUSTOMER_EXTERNAL_ID_CONFLICT and changes nothing', async () => {
    const { external_id } = await newCustomer(api)
    await assertStoresNothing(service, async () => {
      const again = await api.post('/v1/customers', { external_id, name: 'other' })
      assertError(again, 409, 'CUSTOMER_EXTERNAL_ID_CONFLICT')
    })
  })

  test('of many requests for one external_id at once exactly one gets it', async () => {
    const body = { external_id: uniqueName() }
    const answers = await Promise.all(Array.from({ length: 12 }, () => api.post('/v1/customers', body)))
    const refused = answers.filter(({ status }) => status !== 201)
    assert.equal(refused.length, 11)
    for (const answer of refused) assertError(answer, 409, 'CUSTOMER_EXTERNAL_ID_CONFLICT')
  })
})
