import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertError } from '../support/assert-error.ts'
import { contractWith } from '../support/contracts.ts'
import { COPY_CLAIM } from '../support/copy-claims.ts'
import { holdClaims } from '../support/held-rows.ts'
import { newCustomer, uniqueName } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'
import type { Contract } from '../support/source/contracts.ts'
import { runScheduledCheck } from '../support/source/decisions.ts'

const service = await sharedService()
const { api } = service
const customer = await newCustomer(api)
const START = '2026-01-01T00:00:00.000Z'

const newClock = async (frozen_time = START) => (await api.post('/v1/test_clocks', { frozen_time })).body
const advance = (id: string, frozen_time: string) =>
  api.post(`/v1/test_clocks/${id}/advance`, { frozen_time })
const openOn = async (test_clock_id: string, terms: Partial<Contract> = {}) =>
  (await api.post('/v1/claims', { customer_id: customer.id, contract: contractWith(terms), test_clock_id }))
    .body

describe('a test clock', () => {
  test('is created, read, listed and deleted', async () => {
    const created = await api.post('/v1/test_clocks', {
      frozen_time: '2026-01-01T01:00:00+01:00',
      name: 'a month',
    })
    assert.equal(created.status, 201)
    const { id, frozen_time, name } = created.body
    assert.equal(created.headers.get('Location'), `/v1/test_clocks/${id}`)
    assert.deepEqual({ frozen_time, name }, { frozen_time: START, name: 'a month' })
    assert.deepEqual((await api.get(`/v1/test_clocks/${id}`)).body, created.body)
    const list = await api.get('/v1/test_clocks?order=desc&limit=1')
    assert.deepEqual(list.body.data, [created.body])
    assert.equal((await api.delete(`/v1/test_clocks/${id}`)).status, 204)
    assertError(await api.get(`/v1/test_clocks/${id}`), 404, 'TEST_CLOCK_NOT_FOUND')
  })

  test('takes times as ISO 8601 with a zone, from 1970 to 2999', async () => {
    for (const frozen_time of [
      '2026-01-01',
      '2026-02-30T00:00:00Z',
      '2026-01-01T00:00:00',
      'soon',
      '1969-12-31T23:59:59Z',
      '3000-01-01T00:00:00Z',
    ]) {
      assertError(await api.post('/v1/test_clocks', { frozen_time }), 400, 'VALIDATION_ERROR', 'frozen_time')
    }
  })

  test('does not go back; advancing to its current time changes nothing', async () => {
    const clock = await newClock()
    assertError(await advance(clock.id, '2025-12-31T23:59:59.999Z'), 400, 'VALIDATION_ERROR', 'frozen_time')
    assert.deepEqual((await advance(clock.id, START)).body, { ...clock, transitions: 0 })
  })

  test('returns the end of the next window, and an advance returns the number of transitions', async () => {
    const clock = await newClock()
    assert.equal(clock.next_due_at, null)
    await openOn(clock.id, { activity_window: 7200, review_window: 60 })
    const first = await openOn(clock.id, { activity_window: 3600, review_window: 86_400 })
    const read = async () => (await api.get(`/v1/test_clocks/${clock.id}`)).body
    assert.equal((await read()).next_due_at, first.due_at)
    assert.deepEqual((await api.get('/v1/test_clocks?order=desc&limit=1')).body.data, [await read()])

    const moved = await advance(clock.id, '2026-01-01T01:00:00Z')
    assert.deepEqual([moved.body.transitions, moved.body.next_due_at], [1, '2026-01-01T02:00:00.000Z'])
    // The other claim makes both of its transitions; the first waits for its review.
    const again = await advance(clock.id, '2026-01-01T12:00:00Z')
    assert.deepEqual([again.body.transitions, again.body.next_due_at], [2, '2026-01-02T01:00:00.000Z'])
    const last = await advance(clock.id, '2026-01-03T00:00:00Z')
    assert.deepEqual([last.body.transitions, last.body.next_due_at], [1, null])
    assert.deepEqual({ ...(await read()), transitions: 1 }, last.body)
  })

  test('that does not exist answers 404', async () => {
    const id = customer.id
    assertError(await api.delete(`/v1/test_clocks/${id}`), 404, 'TEST_CLOCK_NOT_FOUND')
    assertError(await advance(id, START), 404, 'TEST_CLOCK_NOT_FOUND')
    const body = { customer_id: customer.id, contract: contractWith(), test_clock_id: id }
    assertError(await api.post('/v1/claims', body), 404, 'TEST_CLOCK_NOT_FOUND')
  })
})

describe('a claim on a test clock', () => {
  test('uses its time: opened at the frozen time, moved at the first whole minute at or after due_at', async () => {
    const clock = await newClock('2026-01-01T00:00:30.000Z')
    const claim = await openOn(clock.id, { activity_window: 100, review_window: 60 })
    assert.equal(claim.created_at, '2026-01-01T00:00:30.000Z')
    assert.equal(claim.due_at, '2026-01-01T00:02:10.000Z')

    await advance(clock.id, '2026-01-01T00:02:59.999Z')
    assert.equal((await api.readClaim(claim.id)).status, 'OPEN')
    await advance(clock.id, '2026-01-01T00:03:00Z')
    const pending = await api.readClaim(claim.id)
    assert.deepEqual([pending.status, pending.status_since], ['PENDING', '2026-01-01T00:03:00.000Z'])

    await advance(clock.id, '2030-01-01T00:00:00Z')
    const failed = await api.readClaim(claim.id)
    assert.deepEqual([failed.status, failed.status_since], ['FAILED', '2026-01-01T00:04:00.000Z'])
    assert.deepEqual(
      failed.events.map(({ type, created_at }: { type: string; created_at: string }) => [type, created_at]),
      [
        ['activity_window_elapsed', '2026-01-01T00:03:00.000Z'],
        ['review_window_elapsed', '2026-01-01T00:04:00.000Z'],
      ],
    )
  })

  test('records its events at the frozen time, and is settled by them', async () => {
    const clock = await newClock()
    const { id } = await openOn(clock.id, { review_window: 0 })
    await advance(clock.id, '2026-01-01T00:30:00Z')
    const { body } = await api.post('/v1/events', { claim_id: id, type: 'done' })
    assert.equal(body.event.created_at, '2026-01-01T00:30:00.000Z')
    assert.deepEqual([body.claim.status, body.claim.status_since], ['PENDING', '2026-01-01T00:30:00.000Z'])
    await advance(clock.id, '2026-01-01T00:31:00Z')
    assert.equal((await api.readClaim(id)).status, 'CONFIRMED')
  })

  test('is skipped by the live checks', async () => {
    const clock = await newClock()
    const claim = await openOn(clock.id, { activity_window: 60 })
    await runScheduledCheck(service.app, new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 3_600_000))
    assert.deepEqual(await api.readClaim(claim.id), claim)
  })

  test('is deleted with its clock, and so is a candidate, whose alias is free again', async () => {
    const clock = await newClock()
    const claim = await openOn(clock.id)
    const body = {
      candidate_alias: uniqueName('alias'),
      customer_uuid: customer.external_id,
      contract: contractWith(),
      test_clock_id: clock.id,
    }
    assert.equal((await api.post('/v1/candidates', body)).body.test_clock_id, clock.id)
    await api.post('/v1/events', { claim_id: claim.id, type: 'done' })
    await api.delete(`/v1/test_clocks/${clock.id}`)
    assertError(await api.get(`/v1/claims/${claim.id}`), 404, 'CLAIM_NOT_FOUND')
    assert.deepEqual(await service.sql('SELECT 1 FROM claim_events WHERE claim_id = $1', [claim.id]), [])
    const { test_clock_id: _, ...live } = body
    assert.equal((await api.post('/v1/candidates', live)).status, 201)
  })

  test('is listed among the others, in the order of creation', async () => {
    const account = await service.newAccount()
    const customer_id = await account.customer('acme')
    const { id: test_clock_id } = (
      await account.post('/v1/test_clocks', { frozen_time: '1999-01-01T00:00:00Z' })
    ).body
    const bodies = [{}, { test_clock_id }, {}].map((clock) => ({
      customer_id,
      contract: contractWith(),
      ...clock,
    }))
    const ids: string[] = []
    for (const body of bodies) ids.push((await account.post('/v1/claims', body)).body.id)
    const { body } = await account.get('/v1/claims')
    assert.deepEqual(
      body.data.map(({ id }: { id: string }) => id),
      ids,
    )
  })
})

describe('an advance', () => {
  test('runs in sequence with other advances of the clock', async () => {
    const clock = await newClock()
    const claims = await Promise.all(
      Array.from({ length: 30 }, () => openOn(clock.id, { activity_window: 60, review_window: 60 })),
    )
    const answers = await Promise.all(
      ['00:01', '00:02', '00:03', '01:00'].map((time) => advance(clock.id, `2026-01-01T${time}:00Z`)),
    )
    // One that comes after a later one finds the clock past its time.
    for (const { status } of answers) assert.ok([200, 400].includes(status))
    assert.equal((await api.get(`/v1/test_clocks/${clock.id}`)).body.frozen_time, '2026-01-01T01:00:00.000Z')
    for (const { id } of claims) {
      const { status, status_since, events } = await api.readClaim(id)
      assert.deepEqual([status, status_since, events.length], ['FAILED', '2026-01-01T00:02:00.000Z', 2])
    }
  })

  test('is before or after each concurrent event, as the log shows', async () => {
    const clock = await newClock()
    const claims = await Promise.all(
      Array.from({ length: 40 }, () => openOn(clock.id, { activity_window: 60, review_window: 60 })),
    )
    const submissions = claims.map(({ id }) => api.post('/v1/events', { claim_id: id, type: 'done' }))
    const [answers] = await Promise.all([Promise.all(submissions), advance(clock.id, '2026-01-01T00:10:00Z')])
    for (const [i, { id }] of claims.entries()) {
      const { status, status_since, events } = await api.readClaim(id)
      const accepted = answers[i]?.status === 201
      assert.equal(status, accepted ? 'CONFIRMED' : 'FAILED')
      assert.equal(status_since, accepted ? '2026-01-01T00:01:00.000Z' : '2026-01-01T00:02:00.000Z')
      if (accepted) assert.equal(events[0].created_at, START)
    }
  })

  test('answers 503 and changes nothing if a late commit changes a claim during it; a second attempt succeeds', async (t) => {
    const clock = await newClock()
    const { id } = await openOn(clock.id, { activity_window: 60 })
    const held = await holdClaims(t, service.databaseUrl, [id])
    await held.run('UPDATE claims SET event_count = 1 WHERE id = $1', [id])
    await held.run(
      `INSERT INTO claim_events (claim_id, seq, id, type, payload, system, created_at)
       VALUES ($1, 1, 'late', 'seen', '{}', false, $2)`,
      [id, START],
    )
    const advancing = advance(clock.id, '2026-01-01T00:10:00Z')
    await held.untilStatementsWait()
    await held.release()
    assertError(await advancing, 503, 'UNAVAILABLE')
    assert.equal((await api.get(`/v1/test_clocks/${clock.id}`)).body.frozen_time, START)
    assert.deepEqual(await api.eventIds(id), ['late'])
    assert.equal((await advance(clock.id, '2026-01-01T00:10:00Z')).status, 200)
    assert.equal((await api.readClaim(id)).status_since, '2026-01-01T00:01:00.000Z')
  })

  test('over decades with many claims costs the transitions in them', async () => {
    const account = await service.newAccount()
    const customer_id = await account.customer('acme')
    const { id: test_clock_id } = (await account.post('/v1/test_clocks', { frozen_time: START })).body
    const contract = contractWith({ activity_window: 86_400 * 365, review_window: 86_400 })
    const { id } = (await account.post('/v1/claims', { customer_id, contract, test_clock_id })).body
    await service.sql(COPY_CLAIM, [id, 2_499])
    const answer = await account.post(`/v1/test_clocks/${test_clock_id}/advance`, {
      frozen_time: '2096-01-01T00:00:00Z',
    })
    assert.equal(answer.status, 200)
    assert.deepEqual(
      await service.sql(
        `SELECT status, event_count, status_since, count(*)::int FROM claims WHERE test_clock_id = $1 GROUP BY 1, 2, 3`,
        [test_clock_id],
      ),
      [{ status: 'FAILED', event_count: 2, status_since: new Date('2027-01-02T00:00:00Z'), count: 2500 }],
    )
  })
})
