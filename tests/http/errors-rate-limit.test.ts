import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Answer } from '../support/api-client.ts'
import { assertError } from '../support/assert-error.ts'
import { uniqueName } from '../support/new-records.ts'
import { assertStoresNothing } from '../support/stored-rows.ts'
import { startTestService } from '../support/test-service.ts'

const service = await startTestService({ after }, { rateLimitPerMinute: 3 })

const seconds = (answer: Answer, header: string) => {
  const text = answer.headers.get(header) ?? ''
  assert.match(text, /^\d+$/, header)
  return Number(text)
}

describe('429 RATE_LIMITED: three requests a minute', () => {
  test('every answer tells how much is left, the fourth request answers 429 with Retry-After', async () => {
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

  test('a request without a valid token answers 401, and takes nothing from anybody', async () => {
    const api = await service.newAccount()
    const wrong = service.clientWith('ck_wrong')
    for (let i = 0; i < 5; i++) assertError(await wrong.get('/v1/claims'), 401, 'TOKEN_INVALID')
    assert.equal((await api.get('/v1/claims')).headers.get('ratelimit-remaining'), '2')
  })

  test('the body of a refused request is not even read', async () => {
    const api = await service.newAccount()
    for (let i = 0; i < 3; i++) await api.get('/v1/claims')
    const nonsense = await api.send('POST', '/v1/customers', '{nonsense', {
      'Content-Type': 'application/json',
    })
    assertError(nonsense, 429, 'RATE_LIMITED')
  })

  test('health checks and documentation are not limited', async () => {
    const nobody = service.clientWith(null)
    for (let i = 0; i < 5; i++) {
      assert.equal((await nobody.get('/healthz')).status, 200)
      assert.equal((await nobody.get('/openapi.json')).status, 200)
    }
  })
})
