import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertError } from '../support/assert-error.ts'
import { secondsAfter } from '../support/check-time.ts'
import { contractWith } from '../support/contracts.ts'
import { candidatePath, newCandidate, newCustomer, uniqueName } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'
import { assertStoresNothing } from '../support/stored-rows.ts'

const service = await sharedService()
const { api } = service
const contract = contractWith({ activity_window: 0.5 })
/** As it is read later. */
const withoutHints = ({ hints: _, ...candidate }: Record<string, unknown>) => candidate

describe('201 and 200', () => {
  test('creating a candidate answers 201 with every field of an OPEN candidate (§2.4)', async () => {
    const { external_id } = await newCustomer(api)
    const alias = uniqueName('order')
    const body = { candidate_alias: alias, customer_uuid: external_id, contract }
    const created = await api.post('/v1/candidates', body)
    const { created_at } = created.body

    assert.equal(created.status, 201)
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.equal(
      JSON.stringify(withoutHints(created.body)),
      JSON.stringify({
        candidate_alias: alias,
        customer_uuid: external_id,
        contract,
        status: 'OPEN',
        status_since: created_at,
        scheduled_outcome: null,
        due_at: secondsAfter(created_at, 0.5),
        schema_id: null,
        schema_version: null,
        test_clock_id: null,
        created_at,
        metadata: {},
        events: [],
      }),
    )
  })

  test('the header Location of a new candidate leads to it, and it reads as it was answered (§4.2)', async () => {
    const { external_id } = await newCustomer(api)
    const alias = uniqueName('a/b?c#d')
    const body = { candidate_alias: alias, customer_uuid: external_id, contract }
    const created = await api.post('/v1/candidates', body)
    assert.equal(created.headers.get('location'), candidatePath(alias))
    const read = await api.get(created.headers.get('location') ?? '')
    assert.equal(read.status, 200)
    assert.deepEqual(read.body, withoutHints(created.body))
  })

  test('a candidate names its customer by external_id, not by UUID (§2.4)', async () => {
    const customer = await newCustomer(api)
    const body = { candidate_alias: uniqueName(), customer_uuid: customer.id, contract }
    assertError(await api.post('/v1/candidates', body), 404, 'CUSTOMER_NOT_FOUND')
  })

  test('a customer’s external_id that looks like a UUID is an external_id all the same', async () => {
    const other = await newCustomer(api)
    await api.post('/v1/customers', { external_id: other.id })
    const body = { candidate_alias: uniqueName(), customer_uuid: other.id, contract }
    const created = await api.post('/v1/candidates', body)
    assert.equal(created.status, 201)
    assert.equal(created.body.customer_uuid, other.id)
  })

  test('a candidate does not show among the claims, nor a claim among the candidates', async () => {
    const account = await service.newAccount()
    const customer = await newCustomer(account)
    const claim = await account.claim(customer.id, contract)
    const candidate = await newCandidate(account)
    const claims = (await account.get('/v1/claims')).body.data
    const candidates = (await account.get('/v1/candidates')).body.data
    assert.deepEqual(
      claims.map(({ id }: { id: string }) => id),
      [claim.id],
    )
    assert.deepEqual(
      candidates.map((row: { candidate_alias: string }) => row.candidate_alias),
      [candidate.candidate_alias],
    )
    assertError(await account.get(candidatePath(claim.id)), 404, 'CANDIDATE_NOT_FOUND')
  })
})

describe('400', () => {
  const whole = { candidate_alias: 'an-alias', customer_uuid: 'acme', contract }
  const cases: [what: string, path: string, body: object][] = [
    ['no candidate_alias', 'candidate_alias', { ...whole, candidate_alias: undefined }],
    ['no customer_uuid', 'customer_uuid', { ...whole, customer_uuid: undefined }],
    ['an empty customer_uuid', 'customer_uuid', { ...whole, customer_uuid: '' }],
    ['a customer_uuid of 256 characters', 'customer_uuid', { ...whole, customer_uuid: 'c'.repeat(256) }],
    ['a customer_id', 'customer_id', { ...whole, customer_id: 'x' }],
    ['an unknown field', 'colour', { ...whole, colour: 'red' }],
    ['a wrong contract', 'contract.price', { ...whole, contract: { ...contract, price: -1 } }],
  ]
  for (const [what, path, body] of cases) {
    test(`creating a candidate with ${what} answers 400 at ${path} and stores nothing`, async () => {
      await assertStoresNothing(service, async () => {
        assertError(await api.post('/v1/candidates', body), 400, 'VALIDATION_ERROR', path)
      })
    })
  }
})

describe('404', () => {
  test('a candidate for an unknown customer answers 404 CUSTOMER_NOT_FOUND and takes no alias', async () => {
    const { external_id } = await newCustomer(api)
    const body = { candidate_alias: uniqueName(), contract }
    const refused = await api.post('/v1/candidates', { ...body, customer_uuid: uniqueName('nobody') })
    assertError(refused, 404, 'CUSTOMER_NOT_FOUND')
    const created = await api.post('/v1/candidates', { ...body, customer_uuid: external_id })
    assert.equal(created.status, 201)
  })

  test('reading an unknown candidate answers 404 CANDIDATE_NOT_FOUND', async () => {
    assertError(await api.get(candidatePath(uniqueName())), 404, 'CANDIDATE_NOT_FOUND')
  })

  test('an alias is compared exactly: another case of letters is another candidate', async () => {
    const alias = uniqueName('Order')
    await newCandidate(api, { alias })
    assertError(await api.get(candidatePath(alias.toLowerCase())), 404, 'CANDIDATE_NOT_FOUND')
    await newCandidate(api, { alias: alias.toLowerCase() })
  })
})

describe('409', () => {
  test('a taken alias answers 409 CANDIDATE_ALIAS_CONFLICT and changes nothing', async () => {
    const candidate = await newCandidate(api)
    const { external_id } = await newCustomer(api)
    const body = { candidate_alias: candidate.candidate_alias, customer_uuid: external_id, contract }
    await assertStoresNothing(service, async () => {
      assertError(await api.post('/v1/candidates', body), 409, 'CANDIDATE_ALIAS_CONFLICT')
    })
    assert.deepEqual((await api.get(candidatePath(candidate.candidate_alias))).body, candidate)
  })

  test('aliases are unique over all accounts (§2.4: globally)', async () => {
    const { candidate_alias } = await newCandidate(api)
    const other = await service.newAccount()
    const { external_id } = await newCustomer(other)
    const body = { candidate_alias, customer_uuid: external_id, contract }
    assertError(await other.post('/v1/candidates', body), 409, 'CANDIDATE_ALIAS_CONFLICT')
    assertError(await other.get(candidatePath(candidate_alias)), 404, 'CANDIDATE_NOT_FOUND')
  })

  test('of many requests for one alias at once exactly one gets it', async () => {
    const { external_id } = await newCustomer(api)
    const body = { candidate_alias: uniqueName(), customer_uuid: external_id, contract }
    const answers = await Promise.all(Array.from({ length: 12 }, () => api.post('/v1/candidates', body)))
    const refused = answers.filter(({ status }) => status !== 201)
    assert.equal(refused.length, 11)
    for (const answer of refused) assertError(answer, 409, 'CANDIDATE_ALIAS_CONFLICT')
  })
})
