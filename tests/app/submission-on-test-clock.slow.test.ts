import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Answer } from '../support/api-client.ts'
import { assertError } from '../support/assert-error.ts'
import { contractWith } from '../support/contracts.ts'
import { holdClock } from '../support/held-rows.ts'
import { startTestService } from '../support/test-service.ts'

/* Submissions to claims whose test clock is held, as an advance holds it for as long as it runs (§4.6). */

const service = await startTestService({ after })
const { api } = service
const customer = await api.customer('acme')
const OLD = '2026-01-01T00:00:00.000Z'

async function newClock(): Promise<string> {
  return (await api.post('/v1/test_clocks', { frozen_time: OLD })).body.id
}

async function claimOn(clock: string): Promise<Answer['body']> {
  const contract = contractWith({ activity_window: 864_000 })
  return (await api.post('/v1/claims', { customer_id: customer, contract, test_clock_id: clock })).body
}

describe('while a test clock is held', { concurrency: true }, () => {
  test('for more than five seconds, a submission answers 503, is not recorded, and says so', async (t) => {
    const clock = await newClock()
    const claim = await claimOn(clock)
    const held = await holdClock(t, service.databaseUrl, clock)
    const event = { claim_id: claim.id, id: 'e', type: 'done' }
    const answer = await api.post('/v1/events', event)
    assertError(answer, 503, 'UNAVAILABLE')
    assert.match(answer.body.error.message, /was not recorded/)
    assert.ok(answer.headers.get('Retry-After'))
    await held.letGo()
    assert.deepEqual((await api.readClaim(claim.id)).events, [])
    assert.equal((await api.post('/v1/events', event)).status, 201)
  })
})
