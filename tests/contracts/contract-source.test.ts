import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { Answer } from '../support/api-client.ts'
import { assertError } from '../support/assert-error.ts'
import { contractWith } from '../support/contracts.ts'
import { candidatePath, newCustomer, newSchema, uniqueName } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'
import { assertStoresNothing } from '../support/stored-rows.ts'

const service = await sharedService()
const { api } = service

/* Claims and candidates take their contract from the same two sources, by the same rules. */

const KINDS = {
  claim: {
    create: async (source: object) => {
      const customer = await newCustomer(api)
      return api.post('/v1/claims', { customer_id: customer.id, ...source })
    },
    read: (created: Answer['body']) => api.get(`/v1/claims/${created.id}`),
  },
  candidate: {
    create: async (source: object) => {
      const { external_id } = await newCustomer(api)
      const alias = uniqueName('candidate')
      return api.post('/v1/candidates', { candidate_alias: alias, customer_uuid: external_id, ...source })
    },
    read: (created: Answer['body']) => api.get(candidatePath(created.candidate_alias)),
  },
}

for (const [kind, { create, read }] of Object.entries(KINDS)) {
  describe(`the contract of a ${kind}`, () => {
    test('given in the body is used as it is, and schema_id is null', async () => {
      const contract = contractWith({ price: 12.34 })
      const { status, body } = await create({ contract })
      assert.equal(status, 201)
      assert.equal(body.schema_id, null)
      assert.deepEqual(body.contract, contract)
    })

    test('is copied from the schema that schema_id names', async () => {
      const schema = await newSchema(api, { price: 777, review_window: 1.5 })
      const { status, body } = await create({ schema_id: schema.id })
      assert.equal(status, 201)
      assert.equal(body.schema_id, schema.id)
      assert.equal(JSON.stringify(body.contract), JSON.stringify(schema.contract))
    })

    test('is found by a schema_id in upper case', async () => {
      const schema = await newSchema(api)
      const { body } = await create({ schema_id: schema.id.toUpperCase() })
      assert.equal(body.schema_id, schema.id)
    })

    test('stays as it was when the schema is changed afterwards (§2.1: immutable)', async () => {
      const schema = await newSchema(api, { price: 1 })
      const { body } = await create({ schema_id: schema.id })
      await api.patch(`/v1/schemas/${schema.id}`, { contract: contractWith({ price: 2 }) })
      assert.deepEqual((await read(body)).body, body)
      assert.equal((await create({ schema_id: schema.id })).body.contract.price, 2)
    })

    test('stays as it was when the schema is deleted afterwards, schema_id included', async () => {
      const schema = await newSchema(api)
      const { body } = await create({ schema_id: schema.id })
      assert.equal((await api.delete(`/v1/schemas/${schema.id}`)).status, 204)
      assert.deepEqual((await read(body)).body, body)
      assertError(await create({ schema_id: schema.id }), 404, 'SCHEMA_NOT_FOUND')
    })

    const refused: [what: string, path: string, source: object][] = [
      ['neither contract nor schema_id', 'body', {}],
      ['both contract and schema_id', 'body', { contract: contractWith(), schema_id: randomUUID() }],
      ['contract: null', 'contract', { contract: null }],
      ['schema_id: null', 'schema_id', { schema_id: null }],
      ['a schema_id that is no UUID', 'schema_id', { schema_id: 'standard' }],
    ]
    for (const [what, path, source] of refused) {
      test(`with ${what} answers 400 at ${path}`, async () => {
        assertError(await create(source), 400, 'VALIDATION_ERROR', path)
      })
    }

    test('from an unknown schema answers 404 SCHEMA_NOT_FOUND', async () => {
      assertError(await create({ schema_id: randomUUID() }), 404, 'SCHEMA_NOT_FOUND')
    })
  })
}

test('a refused source stores neither claim nor candidate', async () => {
  const { id, external_id } = await newCustomer(api)
  await assertStoresNothing(service, async () => {
    const source = { schema_id: randomUUID() }
    await api.post('/v1/claims', { customer_id: id, ...source })
    await api.post('/v1/claims', { customer_id: id })
    const candidate = { candidate_alias: uniqueName(), customer_uuid: external_id }
    await api.post('/v1/candidates', { ...candidate, ...source })
    await api.post('/v1/candidates', candidate)
  })
})
