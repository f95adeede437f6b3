import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Answer } from '../../support/api-client.ts'
import { assertError } from '../../support/assert-error.ts'
import { contractWith } from '../../support/contracts.ts'
import { exchangeLines } from '../../support/line-exchange.ts'
import { uniqueName } from '../../support/new-records.ts'
import { sharedService } from '../../support/shared.ts'
import { RateCounts } from '../../support/source/service.ts'
import { assertStoresNothing } from '../../support/stored-rows.ts'
import { startTestService } from '../../support/test-service.ts'

const unlimited = await sharedService()
const { databaseUrl } = unlimited
const service = await startTestService({ after }, { databaseUrl, rates: new RateCounts(3) })

/** Made by a server without a limit, so nothing is counted. */
async function accountWithClaim() {
  const api = await service.newAccount()
  const there = unlimited.clientWith(api.token)
  const customer = await there.customer('acme')
  const { id } = await there.claim(customer, contractWith())
  return { api, customer, claim: id as string }
}

const seconds = (answer: Answer, header: string) => {
  const text = answer.headers.get(header) ?? ''
  assert.match(text, /^\d+$/, header)
  return Number(text)
}

describe('429 RATE_LIMITED: three requests a minute', () => {
  test('every response states what is left, and the fourth request answers 429 with Retry-After', async () => {
    const api = await service.newAccount()
    for (const left of ['2', '1', '0']) {
      const answer = await api.get('/v1/claims')
      assert.equal(answer.status, 200)
      assert.equal(answer.headers.get('ratelimit-limit'), '3')
      assert.equal(answer.headers.get('ratelimit-remaining'), left)
      assert.ok(seconds(answer, 'ratelimit-reset') <= 60)
    }
    const refused = await api.get('/v1/claims')
    assertError(refused, 429, 'RATE_LIMITED')
    assert.equal(refused.headers.get('ratelimit-limit'), '3')
    assert.equal(refused.headers.get('ratelimit-remaining'), '0')
    const wait = seconds(refused, 'retry-after')
    assert.ok(wait >= 1 && wait <= 60, `Retry-After: ${wait}`)
  })

  test('all paths of an account count together, and a refused request stores nothing', async () => {
    const api = await service.newAccount()
    const { body } = await api.post('/v1/customers', { external_id: uniqueName() })
    await api.get(`/v1/customers/${body.id}`)
    assertError(await api.get('/v1/claims/x'), 400, 'VALIDATION_ERROR')
    await assertStoresNothing(service, async () => {
      const refused = await api.post('/v1/customers', { external_id: uniqueName() })
      assertError(refused, 429, 'RATE_LIMITED')
    })
  })

  test('another account is not affected', async () => {
    const [first, second] = [await service.newAccount(), await service.newAccount()]
    for (let i = 0; i < 4; i++) await first.get('/v1/claims')
    assertError(await first.get('/v1/claims'), 429, 'RATE_LIMITED')
    assert.equal((await second.get('/v1/claims')).status, 200)
  })

  test('a request without a valid token answers 401 and does not count', async () => {
    const api = await service.newAccount()
    const wrong = service.clientWith('ck_wrong')
    for (let i = 0; i < 5; i++) assertError(await wrong.get('/v1/claims'), 401, 'TOKEN_INVALID')
    assert.equal((await api.get('/v1/claims')).headers.get('ratelimit-remaining'), '2')
  })

  test('the body of a refused request is not read', async () => {
    const api = await service.newAccount()
    for (let i = 0; i < 3; i++) await api.get('/v1/claims')
    const nonsense = await api.send('POST', '/v1/customers', '{nonsense', {
      'Content-Type': 'application/json',
    })
    assertError(nonsense, 429, 'RATE_LIMITED')
  })

  test('each event of a batch counts as one; events beyond the limit answer 429 each and are not recorded', async () => {
    const { api, claim } = await accountWithClaim()
    const events = ['1', '2', '3', '4', '5'].map((id) => ({
      claim_id: claim,
      id,
      type: id === '2' ? 7 : 'a',
    }))
    const answer = await api.post('/v1/events/batch', { events })
    assert.equal(answer.headers.get('ratelimit-remaining'), '0')
    assert.deepEqual(
      answer.body.results.map(({ status }: { status: number }) => status),
      [201, 400, 201, 429, 429],
    )
    assert.equal(answer.body.results[4].error.code, 'RATE_LIMITED')
    assertError(await api.post('/v1/events', { claim_id: claim, type: 'a' }), 429, 'RATE_LIMITED')
    const [row] = await service.sql('SELECT event_count FROM claims WHERE id = $1', [claim])
    assert.deepEqual(row, { event_count: 2 })
  })

  test('each line of a stream counts as one, also an invalid line', async () => {
    const { api, claim } = await accountWithClaim()
    const line = (id: string) => JSON.stringify({ claim_id: claim, id, type: 'a' })
    const lines = exchangeLines(api, '/v1/events/batch')
    await lines.send(`${line('1')}\nnonsense\n${line('2')}\n${line('3')}\n${line('4')}\n`)
    const results = await lines.rest()
    assert.deepEqual(
      results.map(({ status }) => status),
      [201, 400, 201, 429, 429],
    )
    assertError(await api.get('/v1/claims'), 429, 'RATE_LIMITED')
  })

  test('each claim and candidate of a batch counts as one', async () => {
    for (const [path, list] of [
      ['/v1/claims/batch', 'claims'],
      ['/v1/candidates/batch', 'candidates'],
    ] as const) {
      const { api, customer } = await accountWithClaim()
      const items = Array.from({ length: 5 }, () =>
        list === 'claims'
          ? { customer_id: customer, contract: contractWith() }
          : { candidate_alias: uniqueName(), customer_uuid: 'acme', contract: contractWith() },
      )
      const { body } = await api.post(path, { [list]: items })
      assert.deepEqual(
        body.results.map(({ status }: { status: number }) => status),
        [201, 201, 201, 429, 429],
      )
    }
  })

  test('health checks and documentation are not limited', async () => {
    const anonymous = service.clientWith(null)
    for (let i = 0; i < 5; i++) {
      assert.equal((await anonymous.get('/healthz')).status, 200)
      assert.equal((await anonymous.get('/openapi.json')).status, 200)
    }
  })
})
