import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer, ApiClient } from '../support/api-client.ts'
import { assertError } from '../support/assert-error.ts'
import { contractWith } from '../support/contracts.ts'
import { holdClaims, holdInsertBarrier } from '../support/held-rows.ts'
import { movedBy } from '../support/moved-times.ts'
import { newCustomer, newSchema, uniqueName } from '../support/new-records.ts'
import { readPages } from '../support/read-pages.ts'
import { sharedService } from '../support/shared.ts'
import { candidateId } from '../support/source/claims.ts'

/* Concurrent creations of several accounts share a batch: one statement creates all their records. */

const service = await sharedService()
const REPETITIONS = 15
const numbers = Array.from({ length: REPETITIONS }, (_, i) => i)

interface Caller {
  api: ApiClient
  customer: Answer['body']
  schema: string
}

async function newCaller(price: number): Promise<Caller> {
  const api = await service.newAccount()
  const schema = await newSchema(api, { price })
  return { api, customer: await newCustomer(api), schema: schema.id }
}

const callers = await Promise.all([1_000, 2_000, 3_000].map(newCaller))
const [first, second] = callers as [Caller, Caller, Caller]

const claimOf = ({ customer }: Caller, price: number) => ({
  customer_id: customer.id,
  contract: contractWith({ price }),
})

test('each account gets its own claims and cannot use customers or schemas of another account', async () => {
  const created = await Promise.all(
    callers.map(async (caller, index) => {
      const { api, customer, schema } = caller
      const other = callers[(index + 1) % callers.length] as Caller
      const answers = await Promise.all(
        numbers.flatMap((n) => [
          api.post('/v1/claims', claimOf(caller, 100 * index + n)),
          api.post('/v1/claims', { customer_id: customer.id, schema_id: schema }),
          api.post('/v1/claims', claimOf(other, 9_999)),
          api.post('/v1/claims', { customer_id: customer.id, schema_id: other.schema }),
        ]),
      )
      const own: string[] = []
      for (const n of numbers) {
        const [withContract, withSchema, withOtherCustomer, withOtherSchema] = answers.slice(4 * n) as [
          Answer,
          Answer,
          Answer,
          Answer,
        ]
        assert.deepEqual([withContract.status, withContract.body.contract.price], [201, 100 * index + n])
        assert.deepEqual([withSchema.status, withSchema.body.contract.price], [201, 1_000 * (index + 1)])
        assertError(withOtherCustomer, 404, 'CUSTOMER_NOT_FOUND')
        assertError(withOtherSchema, 404, 'SCHEMA_NOT_FOUND')
        own.push(withContract.body.id, withSchema.body.id)
      }
      return own
    }),
  )
  for (const [index, { api }] of callers.entries()) {
    const listed = (await readPages(api, '/v1/claims', { limit: 100 })).flat().map(({ id }) => id)
    assert.deepEqual(new Set(listed), new Set(created[index]))
    assert.equal(listed.length, 2 * REPETITIONS)
  }
})

test('an alias, and an external id within an account, is used by one creation only; the others answer 409', async () => {
  const aliases = numbers.slice(0, 8).map(() => uniqueName('alias'))
  const externalIds = aliases.map(() => uniqueName('customer'))
  const answers = await Promise.all(
    [first, second].flatMap(({ api, customer }) =>
      aliases.flatMap((candidate_alias, i) => {
        const candidate = { candidate_alias, customer_uuid: customer.external_id, contract: contractWith() }
        const newCustomerBody = { external_id: externalIds[i] }
        return [
          api.post('/v1/candidates', candidate),
          api.post('/v1/candidates', candidate),
          api.post('/v1/customers', newCustomerBody),
          api.post('/v1/customers', newCustomerBody),
        ]
      }),
    ),
  )
  const answersByStatus = (path: string) =>
    Object.groupBy(
      answers.filter((_, i) => Math.floor((i % 4) / 2) === (path === 'candidates' ? 0 : 1)),
      ({ status, body }) => `${status} ${body.error?.code ?? ''}`.trim(),
    )
  const [candidates, customers] = [answersByStatus('candidates'), answersByStatus('customers')]
  assert.equal(candidates['201']?.length, aliases.length, 'one candidate of each alias')
  assert.equal(candidates['409 CANDIDATE_ALIAS_CONFLICT']?.length, 3 * aliases.length)
  assert.equal(
    customers['201']?.length,
    2 * aliases.length,
    'one customer of each external id in each account',
  )
  assert.equal(customers['409 CUSTOMER_EXTERNAL_ID_CONFLICT']?.length, 2 * aliases.length)
  const winners = candidates['201']?.map(({ body }) => body.candidate_alias)
  assert.deepEqual(new Set(winners), new Set(aliases))
})

const POSTPONE = `UPDATE claims SET ${movedBy('1 second', ['due_at'])} WHERE id = $1`

test('a creation that conflicts with a locked record answers 409 without waiting, and delays no other creation', async (t) => {
  const { api, customer } = first
  const candidate_alias = uniqueName('alias')
  const candidate = { candidate_alias, customer_uuid: customer.external_id, contract: contractWith() }
  assert.equal((await api.post('/v1/candidates', candidate)).status, 201)
  // An advance of a test clock locks the rows of its claims for as long as it runs.
  const held = await holdClaims(t, service.databaseUrl, [candidateId(candidate_alias)])
  await held.run(POSTPONE, [candidateId(candidate_alias)])
  await held.run('UPDATE customers SET name = $2 WHERE id = $1', [customer.id, 'held'])
  for (let n = 0; n < 4; n++) {
    const [sameAlias, sameExternalId, other] = await Promise.all([
      api.post('/v1/candidates', candidate),
      api.post('/v1/customers', { external_id: customer.external_id }),
      second.api.post('/v1/claims', claimOf(second, 1)),
    ])
    assertError(sameAlias, 409, 'CANDIDATE_ALIAS_CONFLICT')
    assertError(sameExternalId, 409, 'CUSTOMER_EXTERNAL_ID_CONFLICT')
    assert.equal(other.status, 201)
  }
  await held.release()
})

test('a creation that waits for the insert barrier does not also wait for a locked record with its alias', async (t) => {
  const [{ api, customer }, { api: other }] = [first, second]
  const candidate_alias = uniqueName('alias')
  const candidate = { candidate_alias, customer_uuid: customer.external_id, contract: contractWith() }
  const [owner] = await service.sql('SELECT user_id FROM customers WHERE id = $1', [customer.id])
  const clock = (await other.post('/v1/test_clocks', { frozen_time: '2026-01-01T00:00:00Z' })).body
  const onClock = { ...candidate, customer_uuid: second.customer.external_id, test_clock_id: clock.id }
  const reader = await holdInsertBarrier(t, service.databaseUrl, 'claims', owner?.user_id as string)
  const creating = api.post('/v1/candidates', candidate)
  // The creation has a few attempts, each of which waits one second, so the barrier is held as briefly as possible.
  await reader.untilStatementsWait()
  assert.equal((await other.post('/v1/candidates', onClock)).status, 201)
  const held = await holdClaims(t, service.databaseUrl, [candidateId(candidate_alias)])
  await held.run(POSTPONE, [candidateId(candidate_alias)])
  await reader.release()
  // The row of the candidate is still locked.
  assertError(await creating, 409, 'CANDIDATE_ALIAS_CONFLICT')
  await held.release()
})

test('a creation right after a change of its schema uses the new contract', async () => {
  const { api, customer, schema } = first
  for (const price of [5, 6, 7]) {
    const busy = numbers.map((n) => second.api.post('/v1/claims', claimOf(second, n)))
    const changed = await api.patch(`/v1/schemas/${schema}`, { contract: contractWith({ price }) })
    assert.equal(changed.status, 200)
    const { body } = await api.post('/v1/claims', { customer_id: customer.id, schema_id: schema })
    assert.equal(body.contract.price, price)
    const fresh = await newCustomer(api)
    assert.equal((await api.post('/v1/claims', { customer_id: fresh.id, schema_id: schema })).status, 201)
    await Promise.all(busy)
  }
})
