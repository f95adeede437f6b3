import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { assertError } from '../support/assert-error.ts'
import { contractWith } from '../support/contracts.ts'
import { eventually } from '../support/eventually.ts'
import { holdClock } from '../support/held-rows.ts'
import { newClaim, newClock } from '../support/new-records.ts'
import { runBatch } from '../support/run-batch.ts'
import { startTestService } from '../support/test-service.ts'
import { claimsOn, flood } from './floods.ts'

/* What one account sends, or holds, is nobody else's trouble. */

const service = await startTestService({ after })

describe('while an account’s clock is locked and the account’s queue is full', () => {
  test('another account’s events are recorded, each of them', async (t) => {
    const [first, second] = [await service.newAccount(), await service.newAccount()]
    const clock = await newClock(first)
    const claims = await claimsOn(first, clock, 1_000)
    const live = await newClaim(second)
    const held = await holdClock(t, service.databaseUrl, clock)
    // More than the account may have waiting.
    const flooding = flood(first, claims, 12)
    // Refused at once, so the rest waits: parked, and nothing is left to be done.
    await eventually(async () => service.app.submissions.waiting === 0)
    for (let i = 0; i < 50; i++) {
      const answer = await second.post('/v1/events', { claim_id: live.id, id: `${i}`, type: 'a' })
      assert.equal(answer.status, 201, JSON.stringify(answer.body))
    }
    const batch = Array.from({ length: 1_000 }, (_, i) => ({
      claim_id: live.id,
      id: `batch-${i}`,
      type: 'a',
    }))
    const results = await runBatch(second, '/v1/events/batch', batch)
    assert.ok(results.every(({ status }) => status === 201))
    const own = await first.post('/v1/events', { claim_id: claims[0], type: 'a' })
    assertError(own, 503, 'UNAVAILABLE')
    await held.release()
    const responses = Map.groupBy(await flooding, ({ status }) => status)
    assert.equal((responses.get(201)?.length ?? 0) + (responses.get(503)?.length ?? 0), 12_000)
    const stored = await service.sql(
      'SELECT sum(event_count)::int AS count FROM claims WHERE test_clock_id = $1',
      [clock],
    )
    assert.deepEqual(stored, [{ count: responses.get(201)?.length ?? 0 }])
  })

  test('for more than five seconds, a creation on it answers 503 and says why; a batch, only those on it', async (t) => {
    const api = await service.newAccount()
    const clock = await newClock(api)
    const customer_id = await api.customer('acme')
    const held = await holdClock(t, service.databaseUrl, clock)
    const body = { customer_id, contract: contractWith(), test_clock_id: clock }
    const single = api.post('/v1/claims', body)
    const results = await runBatch(api, '/v1/claims/batch', [
      body,
      { customer_id, contract: contractWith() },
      { customer_id, contract: contractWith(), test_clock_id: await newClock(api) },
    ])
    assert.deepEqual(
      results.map(({ status }) => status),
      [503, 201, 201],
    )
    const answer = await single
    assertError(answer, 503, 'UNAVAILABLE')
    assert.match(answer.body.error.message, /is being advanced/)
    assert.ok(answer.headers.get('Retry-After'))
    await held.release()
    assert.equal((await api.get('/v1/claims')).body.data.length, 2)
  })
})

test('while an account sends all that it can, none of another’s events is refused', async () => {
  const [first, second] = [await service.newAccount(), await service.newAccount()]
  const claims = await Promise.all(Array.from({ length: 20 }, () => newClaim(first)))
  const ids = claims.map(({ id }) => id)
  const live = await newClaim(second)
  let isOver = false
  const flooding = flood(first, ids, 8).finally(() => {
    isOver = true
  })
  let sent = 0
  for (; !isOver || sent < 20; sent++) {
    const answer = await second.post('/v1/events', { claim_id: live.id, id: `${sent}`, type: 'a' })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
  }
  assert.ok((await flooding).some(({ status }) => status === 201))
})
