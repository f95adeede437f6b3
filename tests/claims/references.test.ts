import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Answer, ApiClient } from '../support/api-client.ts'
import { assertError } from '../support/assert-error.ts'
import { contractWith } from '../support/contracts.ts'
import { newCandidate, newCustomer, uniqueName } from '../support/new-records.ts'
import { sharedSecondService, sharedService } from '../support/shared.ts'

/* The caller's own name for a claim (§2.3). */

const service = await sharedService()
const other = await sharedSecondService()
const { api } = service
const { id: customer_id } = await newCustomer(api)

const claimWith = (reference: unknown, more: object = {}) => ({
  customer_id,
  reference,
  contract: contractWith(),
  ...more,
})
const create = (reference: unknown, account: ApiClient = api): Promise<Answer> =>
  account.post('/v1/claims', claimWith(reference))
const statuses = ({ body }: Answer) => body.results.map(({ status }: { status: number }) => status)

test('a claim has the reference that it was given, wherever it is shown', async () => {
  const reference = uniqueName('order')
  const { status, body } = await create(reference)
  assert.equal(status, 201)
  assert.equal(body.reference, reference)
  const { events: _, ...summary } = body
  assert.deepEqual((await api.readClaim(body.id)).reference, reference)
  assert.deepEqual((await api.get('/v1/claims')).body.data.at(-1), summary)
  const { body: csv } = await api.get('/v1/claims/export?order=desc')
  const [names, first] = csv.split(/\r?\n/).map((line: string) => line.split(','))
  assert.equal(first[names.indexOf('reference')], reference)
  const { body: feed } = await api.get('/v1/notifications?order=desc&limit=1')
  assert.equal(feed.data[0].claim.reference, reference)
  const { body: submitted } = await api.post('/v1/events', { claim_id: body.id, type: 'seen' })
  assert.equal(submitted.claim.reference, reference)
})

test('a claim without one has null, and a candidate has none', async () => {
  const { body } = await api.post('/v1/claims', { customer_id, contract: contractWith() })
  assert.equal(body.reference, null)
  assert.match(body.id, /^.{14}7/)
  assert.equal('reference' in (await newCandidate(api)), false)
})

test('it is found by it, alone or with other filters', async () => {
  const account = await service.newAccount()
  const { id } = await newCustomer(account)
  const claim = { customer_id: id, contract: contractWith() }
  const { body } = await account.post('/v1/claims', { ...claim, reference: 'no. 1 / ü' })
  await account.post('/v1/claims', { ...claim, reference: 'no. 2' })
  const found = async (query: string) =>
    (await account.get(`/v1/claims?${query}`)).body.data.map((one: { id: string }) => one.id)
  const name = `reference=${encodeURIComponent('no. 1 / ü')}`
  assert.deepEqual(await found(name), [body.id])
  assert.deepEqual(await found(`${name}&status=OPEN&order=desc`), [body.id])
  assert.deepEqual(await found(`${name}&status=FAILED`), [])
  assert.deepEqual(await found('reference=no.%201'), [])
  const { body: csv } = await account.get(`/v1/claims/export?${name}`)
  assert.equal(csv.trim().split('\n').length, 2)
  assertError(await account.get(`/v1/claims?${name}&search=01234567`), 400, 'VALIDATION_ERROR', 'search')
})

describe('it is unique in the account', () => {
  test('creating twice answers 409 with the id of the first', async () => {
    const reference = uniqueName('order')
    const { body } = await create(reference)
    const again = await create(reference)
    assertError(again, 409, 'CLAIM_REFERENCE_CONFLICT')
    assert.match(again.body.error.message, new RegExp(body.id))
  })

  test('another account may have the same', async () => {
    const reference = uniqueName('order')
    const { body } = await create(reference)
    const account = await service.newAccount()
    const { id } = await newCustomer(account)
    const theirs = await account.post('/v1/claims', claimWith(reference, { customer_id: id }))
    assert.equal(theirs.status, 201)
    assert.notEqual(theirs.body.id, body.id)
    assert.equal((await account.get(`/v1/claims/${body.id}`)).status, 404)
  })

  test('of concurrent creations at two servers, one succeeds', async () => {
    const reference = uniqueName('order')
    const there = other.clientWith(api.token)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => create(reference, i % 2 ? api : there)),
    )
    const created = answers.filter(({ status }) => status === 201)
    assert.equal(created.length, 1)
    for (const answer of answers)
      if (answer.status !== 201) assertError(answer, 409, 'CLAIM_REFERENCE_CONFLICT')
  })

  test('a batch creates the first claim of a reference and the items with other references', async () => {
    const reference = uniqueName('order')
    const claims = [
      claimWith(reference),
      claimWith(reference),
      claimWith(undefined),
      claimWith(uniqueName('order')),
    ]
    assert.deepEqual(statuses(await api.post('/v1/claims/batch', { claims })), [201, 409, 201, 201])
    assert.deepEqual(statuses(await api.post('/v1/claims/batch', { claims })), [409, 409, 201, 409])
  })

  test('on a test clock it is free again once the clock is deleted', async () => {
    const reference = uniqueName('order')
    const { body: clock } = await api.post('/v1/test_clocks', { frozen_time: '2026-01-01T00:00:00Z' })
    const claim = claimWith(reference, { test_clock_id: clock.id })
    assert.equal((await api.post('/v1/claims', claim)).status, 201)
    assertError(await api.post('/v1/claims', claim), 409, 'CLAIM_REFERENCE_CONFLICT')
    assertError(await create(reference), 409, 'CLAIM_REFERENCE_CONFLICT')
    await api.delete(`/v1/test_clocks/${clock.id}`)
    assert.equal((await create(reference)).status, 201)
  })
})

test('an invalid reference is rejected', async () => {
  for (const wrong of ['', 'x'.repeat(256), 7, null, {}])
    assertError(await create(wrong), 400, 'VALIDATION_ERROR', 'reference')
  assert.equal((await create(`${'x'.repeat(250)}${performance.now()}`.slice(0, 255))).status, 201)
})
