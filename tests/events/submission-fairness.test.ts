import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertError } from '../support/assert-error.ts'
import { contractWith } from '../support/contracts.ts'
import { holdClock } from '../support/held-rows.ts'
import { newClaim, newClock } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'
import { claimsOn, flood } from './floods.ts'

/* What one account sends, or holds, is nobody else's trouble. */

const service = await sharedService()
const NEW = '2026-02-01T00:00:00.000Z'

describe('while an account’s clock is locked and the account’s queue is full', () => {
  test('creations on that clock do not delay lists and other creations, and finish when the clock is free', async (t) => {
    const [first, second] = [await service.newAccount(), await service.newAccount()]
    const clock = await newClock(first)
    const customer_id = await first.customer('acme')
    const customers = [
      [first, customer_id],
      [second, await second.customer('acme')],
    ] as const
    const held = await holdClock(t, service.databaseUrl, clock)
    const body = { customer_id, contract: contractWith(), test_clock_id: clock }
    // More than there are connections.
    const creating = Array.from({ length: 30 }, () => first.post('/v1/claims', body))
    const createAndList = async ([api, customer]: (typeof customers)[number]) => {
      const { id } = await api.claim(customer, contractWith())
      const { data } = (await api.get('/v1/claims')).body
      assert.ok(data.some((claim: { id: string }) => claim.id === id))
    }
    // All at once: whatever waits for the clock is refused after five seconds.
    const [clocks] = await Promise.all([second.get('/v1/test_clocks'), ...customers.map(createAndList)])
    assert.equal(clocks.status, 200)
    await held.run('UPDATE test_clocks SET frozen_time = $2 WHERE id = $1', [clock, NEW])
    await held.release()
    for (const { status, body } of await Promise.all(creating)) {
      assert.deepEqual([status, body.created_at], [201, NEW])
    }
  })

  test('advances wait without connections, and run in sequence', async (t) => {
    const [first, second] = [await service.newAccount(), await service.newAccount()]
    const clock = await newClock(first)
    const customer = await second.customer('acme')
    const held = await holdClock(t, service.databaseUrl, clock)
    const advancing = Array.from({ length: 30 }, () =>
      first.post(`/v1/test_clocks/${clock}/advance`, { frozen_time: NEW }),
    )
    await Promise.all(Array.from({ length: 5 }, () => second.claim(customer, contractWith())))
    await held.release()
    for (const { status } of await Promise.all(advancing)) assert.equal(status, 200)
    assert.equal((await first.delete(`/v1/test_clocks/${clock}`)).status, 204)
  })

  test('a submission to it answers 404 once it is deleted', async (t) => {
    const api = await service.newAccount()
    const clock = await newClock(api)
    const [claim_id] = await claimsOn(api, clock, 1)
    const held = await holdClock(t, service.databaseUrl, clock)
    const answer = api.post('/v1/events', { claim_id, type: 'a' })
    await held.run('DELETE FROM claims WHERE test_clock_id = $1', [clock])
    await held.run('DELETE FROM test_clocks WHERE id = $1', [clock])
    await held.release()
    assertError(await answer, 404, 'CLAIM_NOT_FOUND')
  })
})

test('submissions of another account to a claim are queued apart from those of its owner', async () => {
  const [owner, stranger] = [await service.newAccount(), await service.newAccount()]
  const { id } = await newClaim(owner)
  const flooding = flood(stranger, [id], 5)
  for (let i = 0; i < 20; i++) {
    assert.equal((await owner.post('/v1/events', { claim_id: id, id: `${i}`, type: 'a' })).status, 201)
  }
  assert.ok((await flooding).every(({ status }) => status === 404 || status === 503))
  assert.equal((await owner.readClaim(id)).events.length, 20)
})
