import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Answer } from '../support/api-client.ts'
import { assertError } from '../support/assert-error.ts'
import { contractWith } from '../support/contracts.ts'
import { holdClock } from '../support/held-rows.ts'
import { newClaim, newClock } from '../support/new-records.ts'
import { runBatch } from '../support/run-batch.ts'
import { sharedService } from '../support/shared.ts'
import type { Contract } from '../support/source/contracts.ts'

/* Submissions to claims whose test clock is held, as an advance holds it for as long as it runs (§4.6). */

const service = await sharedService()
const { api } = service
const customer = await api.customer('acme')
const OLD = '2026-01-01T00:00:00.000Z'
const NEW = '2026-01-01T12:34:56.000Z'

async function claimOn(clock: string, terms: Partial<Contract> = {}): Promise<Answer['body']> {
  const contract = contractWith({ activity_window: 864_000, ...terms })
  return (await api.post('/v1/claims', { customer_id: customer, contract, test_clock_id: clock })).body
}

const eventTimes = async (id: string): Promise<string[]> =>
  (await api.readClaim(id)).events.map((event: { created_at: string }) => event.created_at)

describe('while a test clock is held', { concurrency: true }, () => {
  test('a submission waits, and is recorded at the new time once the clock is let go', async (t) => {
    const clock = await newClock(api, OLD)
    const [known, unknown] = [await claimOn(clock), await claimOn(clock)]
    assert.equal((await api.post('/v1/events', { claim_id: known.id, type: 'a' })).status, 201)
    const [live, other] = [await newClaim(api), await claimOn(await newClock(api, OLD))]
    const held = await holdClock(t, service.databaseUrl, clock)
    const answers = [known, unknown].map(({ id }) => api.post('/v1/events', { claim_id: id, type: 'done' }))
    await held.run('UPDATE test_clocks SET frozen_time = $2 WHERE id = $1', [clock, NEW])
    // Live claims go on meanwhile, and so do those on other clocks.
    const free = [live, other, live, other]
    const beside = await Promise.all(
      free.map(({ id }) => api.post('/v1/events', { claim_id: id, type: 'a' })),
    )
    for (const { status } of beside) assert.equal(status, 201)
    await held.release()
    for (const { status, body } of await Promise.all(answers)) {
      assert.equal(status, 201)
      assert.deepEqual([body.event.created_at, body.claim.status_since], [NEW, NEW])
    }
    assert.deepEqual(await eventTimes(known.id), [OLD, NEW])
    assert.deepEqual(await eventTimes(unknown.id), [NEW])
  })

  test('a batch for it and for others has the others recorded, and all of it in order', async (t) => {
    const [clock, free] = [await newClock(api, OLD), await newClock(api, OLD)]
    const claims = [await claimOn(clock), await claimOn(free), await newClaim(api)]
    const held = await holdClock(t, service.databaseUrl, clock)
    const events = Array.from({ length: 30 }, (_, i) => ({
      claim_id: claims[i % 3].id,
      id: `${i}`,
      type: 'seen',
    }))
    const results = runBatch(api, '/v1/events/batch', events)
    // Submitted after the batch: answered although the batch is not.
    const later = await Promise.all(
      claims.slice(1).map(({ id }) => api.post('/v1/events', { claim_id: id, id: 'later', type: 'seen' })),
    )
    for (const { status } of later) assert.equal(status, 201)
    await held.release()
    assert.ok((await results).every(({ status }) => status === 201))
    for (const [n, { id }] of claims.entries()) {
      const log = await api.eventIds(id)
      const expected = events.filter((_, i) => i % 3 === n).map((event) => event.id)
      // The batch is read in slices: what comes meanwhile may come in between.
      assert.deepEqual(
        log.filter((name: string) => name !== 'later'),
        expected,
      )
      assert.equal(log.includes('later'), n > 0)
    }
  })

  test('another account waits for no clock: the claim is not found at once', async (t) => {
    const clock = await newClock(api, OLD)
    const other = await service.newAccount()
    const review = { reversal_condition: { event: 'reopened' } }
    const claims = [await claimOn(clock), await claimOn(clock, { review }), await claimOn(clock, { review })]
    const [, , known] = claims
    assert.equal((await api.post('/v1/events', { claim_id: known.id, id: '1', type: 'a' })).status, 201)
    await holdClock(t, service.databaseUrl, clock)
    for (const { id } of claims) {
      const answer = await other.post('/v1/events', { claim_id: id, id: '2', type: 'done' })
      assertError(answer, 404, 'CLAIM_NOT_FOUND')
    }
  })
})

test('with concurrent submissions and advances, each event has a time of the clock, in order', async () => {
  const clock = await newClock(api, OLD)
  const claims = await Promise.all(Array.from({ length: 10 }, () => claimOn(clock)))
  const stops = Array.from({ length: 10 }, (_, i) =>
    new Date(Date.parse(OLD) + (i + 1) * 3_600_000).toISOString(),
  )
  const advancing = (async () => {
    for (const frozen_time of stops) {
      const { status } = await api.post(`/v1/test_clocks/${clock}/advance`, { frozen_time })
      assert.equal(status, 200)
    }
  })()
  const submitting = Array.from({ length: 10 }, async (_, n) => {
    const events = claims.map(({ id }, i) => ({ claim_id: id, id: `${n}-${i}`, type: 'seen' }))
    const results = await runBatch(api, '/v1/events/batch', events)
    assert.ok(results.every(({ status }) => status === 201))
  })
  await Promise.all([advancing, ...submitting])
  for (const { id } of claims) {
    const times = await eventTimes(id)
    assert.equal(times.length, 10)
    assert.deepEqual(times, times.toSorted())
    for (const time of times) assert.ok([OLD, ...stops].includes(time), time)
  }
})
