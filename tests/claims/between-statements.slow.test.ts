import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../support/assert-error.ts'
import { contractWith } from '../support/contracts.ts'
import { isOnCitus } from '../support/database-nodes.ts'
import { newCustomer } from '../support/new-records.ts'
import { startProxiedService } from '../support/proxied-service.ts'

/* What the database does between two statements of one request. */

const { api, proxy } = await startProxiedService({ after })
const { inject, onStatement } = proxy

/** Of distributed tables the places in the lists are taken first. */
const FIRST = isOnCitus() ? 'take_positions_on_test_clock' : 'insert_claims_on_test_clock'

test('after the database becomes unavailable, a batch sends no further statements', async () => {
  const customer = await newCustomer(api)
  const clocks: string[] = []
  for (let i = 0; i < 4; i++) {
    const { body } = await api.post('/v1/test_clocks', { frozen_time: '2026-01-01T00:00:00Z' })
    clocks.push(body.id)
  }
  const claims = clocks.map((test_clock_id) => ({
    customer_id: customer.id,
    contract: contractWith(),
    test_clock_id,
  }))
  let tried = 0
  onStatement((statement) => {
    if (statement === FIRST) tried++
  })
  inject({ statement: FIRST, occurrence: 2 }, 'cut before')
  const { results } = (await api.post('/v1/claims/batch', { claims })).body
  const codes = results.map(({ status, error }: { status: number; error?: { code: string } }) => [
    status,
    error?.code,
  ])
  const away = [503, 'UNAVAILABLE']
  assert.deepEqual(codes, [[201, undefined], away, away, away])
  assert.equal(tried, 2)
  for (const { error } of results.slice(2)) assert.match(error.message, /This claim was not created/)
  assert.equal((await api.get('/v1/claims')).body.data.length, 1)
})

test('versions of a schema that is deleted while they are read are no whole list', async () => {
  const { body: schema } = await api.post('/v1/schemas', { contract: contractWith(), name: 'n' })
  for (let n = 0; n < 30; n++) await api.patch(`/v1/schemas/${schema.id}`, { name: `n${n}` })
  let pages = 0
  onStatement(async (statement) => {
    if (statement !== 'list_claim_schema_versions' || ++pages !== 2) return
    onStatement(null)
    await api.delete(`/v1/schemas/${schema.id}`)
  })
  assertError(await api.get(`/v1/schemas/${schema.id}/versions`), 503, 'UNAVAILABLE')
  assertError(await api.get(`/v1/schemas/${schema.id}/versions`), 404, 'SCHEMA_NOT_FOUND')
})
