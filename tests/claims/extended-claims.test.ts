import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Answer } from '../support/api-client.ts'
import { asAnswered } from '../support/as-answered.ts'
import { assertError } from '../support/assert-error.ts'
import { firstCheckFrom, secondsAfter } from '../support/check-time.ts'
import { any, contractWith } from '../support/contracts.ts'
import { contradictionsOf } from '../support/contradictions.ts'
import { exchangeLines } from '../support/line-exchange.ts'
import { newCandidate, newClaim, newClock, newCustomer } from '../support/new-records.ts'
import { sharedSecondService, sharedService } from '../support/shared.ts'
import type { Contract } from '../support/source/contracts.ts'
import { runScheduledCheck } from '../support/source/decisions.ts'
import type { JsonObject } from '../support/source/json.ts'
import { assertStoresNothing } from '../support/stored-rows.ts'

/* Contracts with more than the five fields (§2.1a), over HTTP. */

const service = await sharedService()
const second = await sharedSecondService()
const { api } = service
const there = second.clientWith(api.token)

const RESOLVED = { fulfillment_condition: { event: 'resolved' } } as const
const REOPENING = { ...RESOLVED, review: { reversal_condition: { event: 'reopened' } } } as const
const RESTARTING = {
  ...RESOLVED,
  review: { restart_on: { event: 'message' }, max_duration: 900 },
} as const

let ids = 0
const submitTo =
  (claimId: string, client = api) =>
  (type: string, fields: JsonObject = {}): Promise<Answer> =>
    client.post('/v1/events', { claim_id: claimId, id: `event ${++ids}`, type, ...fields })

/** A new claim with its submissions. */
async function open(terms: Partial<Contract>) {
  const record = await newClaim(api, terms)
  const { id } = record
  return { record, id, submit: submitTo(id), submitThere: submitTo(id, there), read: () => api.readClaim(id) }
}

const stateOf = ({ status, scheduled_outcome }: Answer['body']) => `${status} ${scheduled_outcome}`
const check = (time: string | Date) => runScheduledCheck(service.app, firstCheckFrom(time))
const assertSound = async (id: string) => assert.deepEqual(await contradictionsOf(service, id), [])

test('a claim that gets the id of one that was deleted with its test clock takes events', async () => {
  const customer_id = (await newCustomer(api)).id
  const reference = `order ${++ids}`
  const clock = await newClock(api)
  const open = (fields: object) => api.post('/v1/claims', { customer_id, reference, ...fields })
  const { body: first } = await open({ test_clock_id: clock, contract: contractWith(REOPENING) })
  await submitTo(first.id)('viewed')
  assert.equal((await api.delete(`/v1/test_clocks/${clock}`)).status, 204)
  const { body: second } = await open({ contract: contractWith(RESOLVED) })
  assert.equal(second.id, first.id)
  assert.equal((await submitTo(second.id)('resolved')).body.claim.status, 'PENDING')
})

test('a claim that was deleted with its test clock is not found', async () => {
  const customer_id = (await newCustomer(api)).id
  const test_clock_id = await newClock(api)
  const { body: claim } = await api.post('/v1/claims', {
    customer_id,
    test_clock_id,
    contract: contractWith(REOPENING),
  })
  await submitTo(claim.id)('viewed')
  assert.equal((await api.delete(`/v1/test_clocks/${test_clock_id}`)).status, 204)
  assertError(await submitTo(claim.id)('viewed'), 404, 'CLAIM_NOT_FOUND')
})

describe('a review that can be lost (§2.1a)', () => {
  test('an event in review that satisfies the reversal condition schedules FAILED, and nothing else changes', async () => {
    const { record, id, submit, read } = await open(REOPENING)
    const pending = (await submit('resolved')).body.claim
    assert.equal(stateOf(pending), 'PENDING CONFIRMED')
    const unrelated = await submit('viewed')
    assert.deepEqual([unrelated.status, unrelated.body.claim], [201, pending])
    const reversed = await submit('reopened')
    assert.equal(reversed.status, 201)
    assert.deepEqual(reversed.body.claim, { ...pending, scheduled_outcome: 'FAILED' })
    const refused = await submit('resolved')
    assertError(refused, 422, 'CLAIM_NOT_OPEN')
    assert.deepEqual(asAnswered(await read()), reversed.body.claim)
    await assertSound(id)

    await check(pending.due_at)
    const failed = await read()
    assert.equal(stateOf(failed), 'FAILED FAILED')
    assert.equal(failed.events.length, 4)
    assert.deepEqual(failed.contract, record.contract)
    assertError(await submit('reopened'), 422, 'CLAIM_NOT_OPEN')
    await assertSound(id)
  })

  test('holds for candidates', async () => {
    const { candidate_alias } = await newCandidate(api, { terms: REOPENING })
    const submit = (id: string, type: string) => api.post('/v1/events', { candidate_alias, id, type })
    assert.equal(stateOf((await submit('1', 'resolved')).body.claim), 'PENDING CONFIRMED')
    assert.equal(stateOf((await submit('2', 'reopened')).body.claim), 'PENDING FAILED')
  })

  test('is judged over the events of the review alone, on each server', async () => {
    for (const other of ['submit', 'submitThere'] as const) {
      const claim = await open(REOPENING)
      await claim.submit('reopened')
      assert.equal(stateOf((await claim.submit('resolved')).body.claim), 'PENDING CONFIRMED')
      assert.equal(stateOf((await claim[other]('viewed')).body.claim), 'PENDING CONFIRMED')
      assert.equal(stateOf((await claim[other]('reopened')).body.claim), 'PENDING FAILED')
      await assertSound(claim.id)
    }
  })

  test('also holds for an outcome that a timeout confirms', async () => {
    const claim = await open({ ...REOPENING, activity_window: 60, timeout_outcome: 'confirm' })
    await claim.submit('reopened')
    await check(claim.record.due_at)
    const pending = await claim.read()
    assert.equal(stateOf(pending), 'PENDING CONFIRMED')
    assert.equal(stateOf((await claim.submit('viewed')).body.claim), 'PENDING CONFIRMED')
    assert.equal(stateOf((await claim.submitThere('reopened')).body.claim), 'PENDING FAILED')
    await assertSound(claim.id)
  })

  test('a scheduled outcome of FAILED takes no events', async () => {
    const claim = await open({ ...REOPENING, activity_window: 60, timeout_outcome: 'fail' })
    await check(claim.record.due_at)
    await assertStoresNothing(service, async () => {
      assertError(await claim.submit('reopened'), 422, 'CLAIM_NOT_OPEN')
    })
  })

  test('a restart begins a whole new review window, within the longest review', async () => {
    const { id, submit, submitThere, read } = await open({ ...RESTARTING, review_window: 600 })
    const pending = (await submit('resolved')).body.claim
    const first = (await submitThere('message')).body
    assert.equal(first.claim.due_at, secondsAfter(first.event.created_at, 600))
    assert.deepEqual(first.claim, { ...pending, due_at: first.claim.due_at })
    await assertSound(id)
    // Due no more: its old window ends before.
    await check(new Date(Date.parse(first.claim.due_at) - 60_000))
    assert.equal(stateOf(await read()), 'PENDING CONFIRMED')
    await check(first.claim.due_at)
    assert.equal(stateOf(await read()), 'CONFIRMED CONFIRMED')
    await assertSound(id)
  })

  test('a restart does not extend the review beyond its longest duration', async () => {
    const review = { restart_on: any({ event: 'call' }, { event: 'message' }), max_duration: 600 }
    const { id, submit } = await open({ ...RESOLVED, review } as Partial<Contract>)
    const pending = (await submit('resolved')).body.claim
    assert.equal((await submit('message')).body.claim.due_at, pending.due_at)
    await assertSound(id)
  })

  test('each result of a batch has the claim as of its event', async () => {
    const { id } = await open({
      ...RESOLVED,
      review: { reversal_condition: { event: 'reopened' }, ...RESTARTING.review },
    })
    const types = ['viewed', 'resolved', 'message', 'reopened', 'message']
    const events = types.map((type, i) => ({ claim_id: id, id: `${i}`, type }))
    const { body } = await api.post('/v1/events/batch', { events })
    const feed = body.results.map(({ status, claim }: Answer['body']) => [status, claim && stateOf(claim)])
    assert.deepEqual(feed, [
      [201, 'OPEN null'],
      [201, 'PENDING CONFIRMED'],
      [201, 'PENDING CONFIRMED'],
      [201, 'PENDING FAILED'],
      [422, undefined],
    ])
    await assertSound(id)
  })
})

describe('notifications of a review', () => {
  test('a reversal has one of its own: PENDING, with the scheduled outcome FAILED (§2.10)', async () => {
    const { id, submit } = await open(REOPENING)
    await submit('resolved')
    const { claim } = (await submit('reopened')).body
    const feed = (await api.get(`/v1/notifications?claim_id=${id}`)).body.data
    const inShort = feed.map((one: Answer['body']) => [one.type, one.sequence, stateOf(one.claim)])
    assert.deepEqual(inShort, [
      ['claim.created', 0, 'OPEN null'],
      ['claim.pending', 1, 'PENDING CONFIRMED'],
      ['claim.outcome_changed', 2, 'PENDING FAILED'],
    ])
    assert.deepEqual(asAnswered(feed[2].claim), claim)
    const named = await api.get(`/v1/notifications?claim_id=${id}&types=claim.outcome_changed`)
    assert.deepEqual(named.body.data, feed.slice(2))
  })

  test('a recorded event finds its claim PENDING in review (§4.13 rule 5)', async () => {
    const account = await service.newAccount()
    await account.patch('/v1/notification_settings', { event_recorded: true })
    const { id } = await newClaim(account, REOPENING)
    const types = ['resolved', 'viewed', 'reopened']
    const events = types.map((type, i) => ({ claim_id: id, id: `${i}`, type }))
    await account.post('/v1/events/batch', { events })
    const all = 'claim.event_recorded,claim.pending,claim.outcome_changed'
    const feed = (await account.get(`/v1/notifications?types=${all}`)).body.data
    const inShort = feed.map((one: Answer['body']) => [
      one.type,
      one.sequence,
      one.event?.id,
      stateOf(one.claim),
    ])
    assert.deepEqual(inShort, [
      ['claim.event_recorded', 1, '0', 'OPEN null'],
      ['claim.pending', 1, undefined, 'PENDING CONFIRMED'],
      ['claim.event_recorded', 2, '1', 'PENDING CONFIRMED'],
      ['claim.event_recorded', 3, '2', 'PENDING CONFIRMED'],
      ['claim.outcome_changed', 3, undefined, 'PENDING FAILED'],
    ])
  })
})

describe('on a test clock', () => {
  test('an event is recorded at the clock’s time, and advances restart, reverse and resolve by it', async () => {
    const clock = await newClock(api, '2026-01-01T00:00:00.000Z')
    const customer = await newCustomer(api)
    const contract = contractWith({
      ...RESOLVED,
      review_window: 600,
      review: { reversal_condition: { event: 'reopened' }, ...RESTARTING.review },
    })
    const { body: record } = await api.post('/v1/claims', {
      customer_id: customer.id,
      test_clock_id: clock,
      contract,
    })
    const submit = submitTo(record.id)
    const advance = async (to: string) =>
      assert.equal((await api.post(`/v1/test_clocks/${clock}/advance`, { frozen_time: to })).status, 200)
    await advance('2026-01-01T00:10:00.000Z')
    assert.equal((await submit('resolved')).body.claim.due_at, '2026-01-01T00:20:00.000Z')
    await advance('2026-01-01T00:15:00.000Z')
    const restarted = (await submit('message')).body
    assert.equal(restarted.event.created_at, '2026-01-01T00:15:00.000Z')
    assert.equal(restarted.claim.due_at, '2026-01-01T00:25:00.000Z')
    await advance('2026-01-01T00:24:00.000Z')
    assert.equal(stateOf((await submit('reopened')).body.claim), 'PENDING FAILED')
    await advance('2026-01-01T00:25:00.000Z')
    const failed = await api.readClaim(record.id)
    assert.equal(stateOf(failed), 'FAILED FAILED')
    assert.equal(failed.status_since, '2026-01-01T00:25:00.000Z')
    await assertSound(record.id)
  })
})

describe('ids of events (§2.1a rule 2)', () => {
  test('an event without an id of the caller answers 400 EVENT_ID_REQUIRED, and nothing is stored', async () => {
    const counting = { fulfillment_condition: { event: 'done', aggregate: 'count', gte: 2 } } as const
    for (const terms of [REOPENING, RESTARTING, counting] as Partial<Contract>[]) {
      const { id } = await newClaim(api, terms)
      await assertStoresNothing(service, async () => {
        assertError(await api.post(`/v1/claims/${id}/events`, { type: 'viewed' }), 400, 'EVENT_ID_REQUIRED')
        const events = [{ claim_id: id, type: 'viewed' }]
        const [result] = (await api.post('/v1/events/batch', { events })).body.results
        assert.deepEqual([result.status, result.error.code], [400, 'EVENT_ID_REQUIRED'])
      })
    }
  })

  test('in a batch it is the result of that item alone', async () => {
    const { id } = await newClaim(api, REOPENING)
    const other = await newClaim(api)
    const { body } = await api.post('/v1/events/batch', {
      events: [
        { claim_id: id, id: '1', type: 'viewed' },
        { claim_id: id, type: 'resolved' },
        { claim_id: other.id, type: 'done' },
      ],
    })
    assert.deepEqual(
      body.results.map(({ status }: Answer['body']) => status),
      [201, 400, 201],
    )
  })

  test('a contract with a strict deadline alone takes events without one', async () => {
    const { id } = await newClaim(api, { strict_deadline: true })
    assert.equal((await api.post(`/v1/claims/${id}/events`, { type: 'done' })).body.claim.status, 'PENDING')
  })

  test('an Idempotency-Key is an id', async () => {
    const { id } = await newClaim(api, REOPENING)
    const send = () => api.post(`/v1/claims/${id}/events`, { type: 'resolved' }, { 'Idempotency-Key': 'key' })
    assert.deepEqual([(await send()).status, (await send()).status], [201, 200])
  })

  test('a repeated id answers 200 and decides nothing, on each server', async () => {
    const { id, read } = await open({
      fulfillment_condition: { event: 'delivered', aggregate: 'count', gte: 3 },
    })
    const deliver = (client: typeof api, event: string) =>
      client.post('/v1/events', { claim_id: id, id: event, type: 'delivered' })
    for (const [client, event, status] of [
      [api, '1', 201],
      [api, '1', 200],
      [there, '1', 200],
      [there, '2', 201],
      [api, '2', 200],
    ] as const) {
      const answer = await deliver(client, event)
      assert.deepEqual([answer.status, answer.body.claim.status], [status, 'OPEN'])
    }
    assert.equal(stateOf((await deliver(api, '3')).body.claim), 'PENDING CONFIRMED')
    assert.equal((await deliver(api, '3')).status, 200)
    assertError(await deliver(api, '4'), 422, 'CLAIM_NOT_OPEN')
    assert.equal((await read()).events.length, 3)
    await assertSound(id)
  })
})

describe('late events (§2.1a rules 3 and 4)', () => {
  const SHORT = { activity_window: 0.001, review_window: 0.001 } as const

  for (const [what, terms] of [
    ['the five fields', {}],
    ['more fields', REOPENING],
  ] as const) {
    test(`the answer tells how late an event is, of a contract of ${what}`, async () => {
      const { record, id, submit } = await open({ ...terms, ...SHORT })
      const lateness = (event: Answer['body']) =>
        (Date.parse(event.created_at) - Date.parse(record.due_at)) / 1000
      const { body } = await submit('viewed', { value: 1 })
      assert.equal(body.late_by, lateness(body.event))
      const again = await api.post('/v1/events', {
        claim_id: id,
        ...body.event,
        created_at: undefined,
        system: undefined,
      })
      assert.deepEqual([again.status, again.body.late_by], [200, body.late_by])
      const events = [{ claim_id: id, id: 'batched', type: 'viewed' }]
      const [result] = (await api.post('/v1/events/batch', { events })).body.results
      assert.equal(result.late_by, lateness(result.event))
      const exchange = exchangeLines(api, '/v1/events/batch')
      await exchange.send(`${JSON.stringify({ claim_id: id, id: 'line', type: 'viewed' })}\n`)
      const [line] = await exchange.rest()
      assert.equal(line.late_by, lateness(line.event))
      await assertSound(id)
    })

    test(`an event in time has no late_by, of a contract of ${what}`, async () => {
      const { submit } = await open(terms)
      assert.ok(!('late_by' in (await submit('viewed')).body))
    })
  }

  test('a late event still satisfies and reverses, but does not restart', async () => {
    const { id, submit, submitThere } = await open({
      ...RESOLVED,
      ...SHORT,
      review: {
        reversal_condition: { event: 'reopened' },
        restart_on: { event: 'message' },
        max_duration: 60,
      },
    })
    const pending = (await submit('resolved')).body
    assert.equal(stateOf(pending.claim), 'PENDING CONFIRMED')
    assert.ok(pending.late_by >= 0)
    const message = (await submitThere('message')).body
    assert.deepEqual(message.claim, pending.claim)
    assert.ok(message.late_by >= 0)
    assert.equal(stateOf((await submit('reopened')).body.claim), 'PENDING FAILED')
    await assertSound(id)
  })

  test('with strict_deadline a late event is stored and decides nothing', async () => {
    const { id, submit, submitThere, read } = await open({ ...REOPENING, ...SHORT, strict_deadline: true })
    for (const answer of [await submit('resolved'), await submitThere('resolved')]) {
      assert.deepEqual([answer.status, stateOf(answer.body.claim)], [201, 'OPEN null'])
    }
    assert.equal((await read()).events.length, 2)
    await assertSound(id)
  })
})

describe('aggregates', () => {
  test('sum exactly and count different values, on each server', async () => {
    const paid = await open({
      fulfillment_condition: { event: 'paid', field: 'amount', aggregate: 'sum', gte: 0.3 },
    })
    await paid.submit('paid', { amount: 0.1 })
    assert.equal((await paid.submitThere('paid', { amount: 0.1 })).body.claim.status, 'OPEN')
    assert.equal((await paid.submit('paid', { amount: 0.1 })).body.claim.status, 'PENDING')
    const reviewed = await open({
      fulfillment_condition: { event: 'review', field: 'author', aggregate: 'distinct', gte: 3 },
    })
    for (const author of ['a', 'b', 'a', 'b']) await reviewed.submit('review', { author })
    assert.equal((await reviewed.submitThere('review', { author: 'a' })).body.claim.status, 'OPEN')
    assert.equal((await reviewed.submitThere('review', { author: 'c' })).body.claim.status, 'PENDING')
    for (const { id } of [paid, reviewed]) await assertSound(id)
  })

  test('over a full log: the last two places are kept for a reversal (§2.1a rule 6)', async () => {
    const { id, submit, submitThere } = await open(REOPENING)
    await submit('resolved')
    await service.sql(
      `INSERT INTO claim_events (claim_id, seq, id, type, payload, system, created_at)
       SELECT c.id, n, 'many ' || n, 'viewed', '{}', false, c.status_since
       FROM claims c, generate_series(2, 9997) AS n WHERE c.id = $1`,
      [id],
    )
    const columns = ['event_count', 'decided_count'].map((column) => `${column} = 9997`)
    const set = `UPDATE claims SET ${columns.join(', ')}, log_bytes = log_bytes + 2 * 9996 WHERE id = $1`
    await service.sql(set, [id])
    assert.equal((await submit('viewed')).status, 201)
    for (const send of [submit, submitThere, submit])
      assertError(await send('viewed'), 422, 'EVENT_LIMIT_REACHED')
    assert.equal(stateOf((await submit('reopened')).body.claim), 'PENDING FAILED')
    await assertSound(id)
  })

  test('over more different values than the cache holds', async () => {
    const { id, submit, submitThere } = await open({
      fulfillment_condition: { event: 'review', field: 'author', aggregate: 'distinct', gte: 6_003 },
    })
    await service.sql(
      `INSERT INTO claim_events (claim_id, seq, id, type, payload, system, created_at)
       SELECT id, n, 'many ' || n, 'review', json_build_object('author', lpad(n::text, 2000, 'x')), false, created_at
       FROM claims, generate_series(1, 6000) AS n WHERE id = $1`,
      [id],
    )
    const bytes = 'SELECT sum(octet_length(payload::text)) FROM claim_events WHERE claim_id = $1'
    await service.sql(
      `UPDATE claims SET event_count = 6000, decided_count = 6000, log_bytes = (${bytes}) WHERE id = $1`,
      [id],
    )
    for (const [send, author, status] of [
      [submit, 'a', 'OPEN'],
      [submit, 'b', 'OPEN'],
      [submitThere, 'b', 'OPEN'],
      [submit, 'c', 'PENDING'],
    ] as const) {
      const answer = await send('review', { author })
      assert.deepEqual([answer.status, answer.body.claim.status], [201, status])
    }
  })

  test('over a long log, which is read piece by piece', async () => {
    const { id, submit, submitThere } = await open({
      ...RESOLVED,
      review: { reversal_condition: { event: 'complaint', aggregate: 'count', gte: 3 } },
    })
    const filler = 'x'.repeat(40_000)
    await submit('complaint', { filler })
    await submit('resolved')
    for (const _ of [1, 2]) await submit('complaint', { filler })
    await submit('viewed', { filler })
    assert.equal(stateOf((await submitThere('viewed')).body.claim), 'PENDING CONFIRMED')
    assert.equal(stateOf((await submitThere('complaint')).body.claim), 'PENDING FAILED')
    await assertSound(id)
  })
})

describe('at the same time', () => {
  test('parallel reversals and restarts by two servers end in one state that follows from the log', async () => {
    const { id, submit, read } = await open({
      ...RESOLVED,
      review: {
        reversal_condition: { event: 'complaint', aggregate: 'count', gte: 20 },
        ...RESTARTING.review,
      },
    })
    await submit('resolved')
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        submitTo(id, i % 2 ? api : there)(i % 3 === 0 ? 'message' : 'complaint'),
      ),
    )
    const recorded = answers.filter(({ status }) => status === 201)
    const reversed = recorded.filter(({ body }) => body.claim.scheduled_outcome === 'FAILED')
    assert.equal(reversed.length, 1)
    for (const answer of answers) if (answer.status !== 201) assertError(answer, 422, 'CLAIM_NOT_OPEN')
    const claim = await read()
    assert.equal(stateOf(claim), 'PENDING FAILED')
    assert.equal(claim.events.length, 1 + recorded.length)
    await assertSound(id)
  })

  test('a review that was restarted or reversed meanwhile is resolved by its last event', async () => {
    const claims = await Promise.all(
      Array.from({ length: 20 }, () =>
        open({ ...RESOLVED, review_window: 0.001, review: { reversal_condition: { event: 'reopened' } } }),
      ),
    )
    await Promise.all(claims.map(({ submit }) => submit('resolved')))
    const [answers] = await Promise.all([
      Promise.all(claims.map(({ submit, submitThere }, i) => (i % 2 ? submit : submitThere)('reopened'))),
      check(new Date(Date.now() + 1_000)),
    ])
    for (const [i, { id, read }] of claims.entries()) {
      const wasReversed = answers[i]?.status === 201
      assert.equal((await read()).scheduled_outcome, wasReversed ? 'FAILED' : 'CONFIRMED')
      await assertSound(id)
    }
  })

  test('a review resolved by a check begins no earlier than an event after the minute of the check (§3)', async () => {
    const { id, submit, read } = await open({ ...RESOLVED, review_window: 0.001, ...REOPENING })
    await submit('resolved')
    const { event } = (await submit('viewed')).body
    // The check of a minute that lies before the event, but after the review began: times of rows are moved.
    const minute = new Date(Math.floor(Date.parse(event.created_at) / 60_000) * 60_000)
    const earlier = new Date(minute.getTime() - 5_000).toISOString()
    await service.sql(`UPDATE claims SET created_at = $2, status_since = $2, due_at = $2 WHERE id = $1`, [
      id,
      earlier,
    ])
    await runScheduledCheck(service.app, minute)
    const { status, status_since } = await read()
    assert.deepEqual([status, status_since], ['CONFIRMED', event.created_at])
  })
})

test('the database refuses what a server decides that does not know extended contracts (§2.1a rule 7)', async () => {
  const { id } = await open(REOPENING)
  const asOlderServer = `UPDATE claims SET event_count = event_count + 1 WHERE id = '${id}'`
  await assert.rejects(service.sql(asOlderServer), /extended_contract_is_known/)
})
