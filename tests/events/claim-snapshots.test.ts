import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Answer } from '../support/api-client.ts'
import { assertError } from '../support/assert-error.ts'
import { all, contractWith, not } from '../support/contracts.ts'
import { candidatePath, newCandidate, newClock } from '../support/new-records.ts'
import { runBatch } from '../support/run-batch.ts'
import { sharedSecondService, sharedService } from '../support/shared.ts'
import type { Contract } from '../support/source/contracts.ts'
import { runScheduledCheck } from '../support/source/decisions.ts'
import type { JsonObject } from '../support/source/json.ts'

/*
 * A server keeps copies of claims that it lately wrote to. What happened to a claim elsewhere since then must show
 * in each answer.
 */

const service = await sharedService()
const second = await sharedSecondService()
const { api: here } = service
const there = second.clientWith(here.token)
const customer = await here.customer('acme')

const MINUTE_MS = 60_000
const START = Math.floor(Date.now() / MINUTE_MS) + 10
const inMinutes = (minutes: number) => new Date((START + minutes) * MINUTE_MS)

/** A new claim to which the first server has written, so that it keeps a copy. */
async function copiedClaim(terms: Partial<Contract> = {}) {
  const { id } = await here.claim(customer, contractWith(terms))
  const submitOn =
    (api: typeof here) =>
    (name: string, type: string, fields: JsonObject = {}) =>
      api.post('/v1/events', { claim_id: id, id: name, type, ...fields })
  const onFirst = submitOn(here)
  assert.equal((await onFirst('copied', 'a')).status, 201)
  return { id, onFirst, onSecond: submitOn(there) }
}

async function submitted(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body } = await answer
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

describe('a claim that another server has written to', () => {
  test('is decided by the whole log, whichever server wrote it (§2.2 rule 1)', async () => {
    const { id, onFirst, onSecond } = await copiedClaim({
      fulfillment_condition: all({ event: 'a' }, { event: 'b' }, { event: 'c' }),
    })
    assert.equal((await submitted(onSecond('2', 'b'))).claim.status, 'OPEN')
    assert.equal((await submitted(onFirst('3', 'c'))).claim.status, 'PENDING')
    assert.deepEqual(await here.eventIds(id), ['copied', '2', '3'])
  })

  test('is not settled by an event that satisfies the condition only on the cached copy', async () => {
    const { onFirst, onSecond } = await copiedClaim({
      fulfillment_condition: all({ event: 'b' }, not({ event: 'veto' })),
    })
    assert.equal((await submitted(onSecond('veto', 'veto'))).claim.status, 'OPEN')
    assert.equal((await submitted(onFirst('b', 'b'))).claim.status, 'OPEN')
    assert.equal((await submitted(onFirst('b2', 'b'))).claim.status, 'OPEN')
  })

  test('answers 200 to a repeat of an event of the other server, and 409 to other content', async () => {
    const { id, onFirst, onSecond } = await copiedClaim()
    const recorded = await submitted(onSecond('theirs', 'a', { value: 1 }))
    const conflict = await onFirst('theirs', 'a', { value: 2 })
    assertError(conflict, 409, 'EVENT_ID_CONFLICT')
    const replay = await onFirst('theirs', 'a', { value: 1 })
    assert.deepEqual([replay.status, replay.headers.get('Idempotent-Replayed')], [200, 'true'])
    assert.deepEqual(replay.body, recorded)
    assert.deepEqual(await here.eventIds(id), ['copied', 'theirs'])
  })

  test('answers a batch of new, repeated, conflicting and late events correctly', async () => {
    const { id, onSecond } = await copiedClaim({ fulfillment_condition: all({ event: 'b' }, { event: 'c' }) })
    await submitted(onSecond('theirs', 'b'))
    const event = (name: string, type: string) => ({ claim_id: id, id: name, type })
    const results = await runBatch(here, '/v1/events/batch', [
      event('new', 'x'),
      event('theirs', 'b'),
      event('theirs', 'x'),
      event('copied', 'a'),
      event('last', 'c'),
      event('late', 'x'),
    ])
    assert.deepEqual(
      results.map(({ status }) => status),
      [201, 200, 409, 200, 201, 422],
    )
    assert.equal(results[4].claim.status, 'PENDING')
    assert.deepEqual(await here.eventIds(id), ['copied', 'theirs', 'new', 'last'])
  })

  test('that the other server settled answers 422 and names PENDING; a repeat shows the present state', async () => {
    const { id, onFirst, onSecond } = await copiedClaim()
    const { claim } = await submitted(onSecond('settles', 'done'))
    const refused = await onFirst('late', 'x')
    assertError(refused, 422, 'CLAIM_NOT_OPEN')
    assert.match(refused.body.error.message, /PENDING/)
    const replay = await onFirst('copied', 'a')
    assert.deepEqual([replay.status, replay.body.claim], [200, claim])
    assert.deepEqual(await here.eventIds(id), ['copied', 'settles'])
  })

  test('answers a repeat with the present state, also in a batch of repeats', async () => {
    const { onFirst, onSecond } = await copiedClaim()
    const { claim } = await submitted(onSecond('settles', 'done'))
    const replay = await onFirst('copied', 'a')
    assert.deepEqual([replay.status, replay.body.claim], [200, claim])
  })

  test('that is full answers 422 EVENT_LIMIT_REACHED', async () => {
    const { id, onFirst } = await copiedClaim()
    await service.sql('UPDATE claims SET event_count = 10000 WHERE id = $1', [id])
    assertError(await onFirst('late', 'x'), 422, 'EVENT_LIMIT_REACHED')
  })
})

describe('a claim that a scheduled check has moved', () => {
  test('once or twice answers 422 and names the status that it has now', async () => {
    const terms = { activity_window: 60, review_window: 0, timeout_outcome: 'confirm' } as const
    const once = await copiedClaim({ ...terms, review_window: 86_400 })
    const twice = await copiedClaim(terms)
    for (const minutes of [2, 3]) await runScheduledCheck(second.app, inMinutes(minutes))
    for (const [claim, status] of [
      [once, 'PENDING'],
      [twice, 'CONFIRMED'],
    ] as const) {
      const refused = await claim.onFirst('late', 'done')
      assertError(refused, 422, 'CLAIM_NOT_OPEN')
      assert.match(refused.body.error.message, new RegExp(`is ${status} and takes no events`))
      const replay = await claim.onFirst('copied', 'a')
      assert.deepEqual([replay.status, replay.body.claim.status], [200, status])
    }
  })

  test('by SQL, as a check by hand would, answers 422 for a batch whole', async () => {
    const { id } = await copiedClaim()
    await service.sql(
      `WITH moved AS (
         UPDATE claims SET status = 'PENDING', scheduled_outcome = 'FAILED', event_count = event_count + 1,
           status_since = now(), due_at = now()
         WHERE id = $1
       )
       INSERT INTO claim_events (claim_id, seq, id, type, payload, system, created_at)
       VALUES ($1, 2, 'by-hand', 'activity_window_elapsed', '{}', true, now())`,
      [id],
    )
    const events = ['done', 'x', 'y'].map((type) => ({ claim_id: id, type }))
    const results = await runBatch(here, '/v1/events/batch', events)
    for (const { error } of results) assert.match(error.message, /is PENDING and takes no events/)
    const system = await here.post('/v1/events', { claim_id: id, id: 'by-hand', type: 'x' })
    assertError(system, 409, 'EVENT_ID_CONFLICT')
  })
})

describe('a claim that is gone with its test clock', () => {
  test('answers 404 CLAIM_NOT_FOUND, a candidate 404 CANDIDATE_NOT_FOUND, its repeats too', async () => {
    const clock = await newClock(here)
    const own = { contract: contractWith(), test_clock_id: clock }
    const { id } = (await here.post('/v1/claims', { customer_id: customer, ...own })).body
    const candidate_alias = `alias-${id}`
    const created = await here.post('/v1/candidates', { candidate_alias, customer_uuid: 'acme', ...own })
    assert.equal(created.status, 201)
    const toClaim = { claim_id: id, id: 'e', type: 'a' }
    const toCandidate = { candidate_alias, id: 'e', type: 'a' }
    for (const event of [toClaim, toCandidate]) await submitted(here.post('/v1/events', event))

    assert.equal((await there.delete(`/v1/test_clocks/${clock}`)).status, 204)
    for (const name of ['new', 'e']) {
      assertError(await here.post('/v1/events', { ...toClaim, id: name }), 404, 'CLAIM_NOT_FOUND')
      assertError(await here.post('/v1/events', { ...toCandidate, id: name }), 404, 'CANDIDATE_NOT_FOUND')
    }
  })

  test('and whose alias was taken again is the new candidate, not the old one', async () => {
    const clock = await newClock(here)
    const body = { contract: contractWith(), customer_uuid: 'acme', candidate_alias: `reborn-${clock}` }
    await here.post('/v1/candidates', { ...body, test_clock_id: clock })
    const event = { candidate_alias: body.candidate_alias, id: 'e', type: 'a' }
    await submitted(here.post('/v1/events', event))
    await there.delete(`/v1/test_clocks/${clock}`)

    const contract = contractWith({ fulfillment_condition: { event: 'a' } })
    await there.post('/v1/candidates', { ...body, contract })
    assert.equal((await submitted(here.post('/v1/events', event))).claim.status, 'PENDING')
    assert.equal((await here.get(candidatePath(body.candidate_alias))).body.events.length, 1)
  })

  for (const [kind, terms] of [
    ['five fields', {}],
    ['more fields', { strict_deadline: true }],
  ] as const) {
    /** A candidate that was made again, with the first of 12 events that the copy of the old one has. */
    async function madeAgain(eventCount: number) {
      const clock = await newClock(here)
      const candidate_alias = `again-${clock}`
      const contract = contractWith({ ...terms, fulfillment_condition: { event: 'done' } })
      const body = { contract, customer_uuid: 'acme', candidate_alias }
      const text = 'v'.repeat(8_000)
      const events = Array.from({ length: 12 }, (_, i) => ({ candidate_alias, id: `${i}`, type: 'a', text }))
      await here.post('/v1/candidates', { ...body, test_clock_id: clock })
      await runBatch(here, '/v1/events/batch', events)
      await there.delete(`/v1/test_clocks/${clock}`)
      await there.post('/v1/candidates', body)
      await runBatch(there, '/v1/events/batch', events.slice(0, eventCount))
      return events
    }

    test(`and whose alias was taken again answers repeats in a log that is long, under a contract of ${kind}`, async () => {
      const [event] = await madeAgain(12)
      assert.equal((await here.post('/v1/events', event)).status, 200)
    })

    test(`and whose alias was taken again takes events in a log that is long, under a contract of ${kind}`, async () => {
      const events = await madeAgain(11)
      assert.equal((await submitted(here.post('/v1/events', events[11]))).event.id, '11')
    })
  }
})

describe('the copy of a claim', () => {
  test('serves repeats, conflicts and new events alike, of this server alone', async () => {
    const { id, onFirst } = await copiedClaim()
    assert.equal((await onFirst('copied', 'a')).status, 200)
    assertError(await onFirst('copied', 'b'), 409, 'EVENT_ID_CONFLICT')
    await submitted(onFirst('2', 'a'))
    assertError(await onFirst('2', 'a', { value: 1 }), 409, 'EVENT_ID_CONFLICT')
    assert.equal((await onFirst('2', 'a')).status, 200)
    await submitted(onFirst('3', 'done'))
    assert.equal((await onFirst('3', 'done')).status, 200)
    assert.deepEqual(await here.eventIds(id), ['copied', '2', '3'])
  })

  test('is reached by its own account and address only', async () => {
    const { id } = await copiedClaim()
    const { candidate_alias } = await newCandidate(here)
    await submitted(here.post('/v1/events', { candidate_alias, id: 'copied', type: 'a' }))
    const stranger = await service.newAccount()
    const [row] = await service.sql('SELECT id FROM claims WHERE candidate_alias = $1', [candidate_alias])
    for (const name of ['copied', 'new']) {
      const event = { id: name, type: 'a' }
      assertError(await stranger.post('/v1/events', { ...event, claim_id: id }), 404, 'CLAIM_NOT_FOUND')
      assertError(
        await stranger.post('/v1/events', { ...event, candidate_alias }),
        404,
        'CANDIDATE_NOT_FOUND',
      )
      assertError(await here.post('/v1/events', { ...event, claim_id: row?.id }), 404, 'CLAIM_NOT_FOUND')
    }
    assert.deepEqual(await here.eventIds(id), ['copied'])
  })
})

test('a claim with a long log is decided correctly when read together with short ones', async () => {
  const terms = contractWith({ fulfillment_condition: all({ event: 'first' }, { event: 'last' }) })
  const claims = await Promise.all(Array.from({ length: 4 }, () => here.claim(customer, terms)))
  const [long, short, empty, other] = claims.map(({ id }) => id)
  const filler = Array.from({ length: 30 }, (_, i) => ({
    claim_id: long,
    id: `filler-${i}`,
    type: i % 2 ? 'first' : 'noise',
    value: 'v'.repeat(10_000),
  }))
  await runBatch(there, '/v1/events/batch', [
    { claim_id: long, id: 'first', type: 'first' },
    ...filler,
    { claim_id: short, id: 'first', type: 'first' },
    { claim_id: other, id: 'noise', type: 'noise' },
  ])
  const results = await runBatch(here, '/v1/events/batch', [
    ...[short, long, empty, other].map((claim_id) => ({ claim_id, id: 'last', type: 'last' })),
    { ...filler[1], claim_id: long },
    { claim_id: long, id: 'after', type: 'x' },
  ])
  assert.deepEqual(
    results.map(({ status, claim }) => [status, claim?.status]),
    [
      [201, 'PENDING'],
      [201, 'PENDING'],
      [201, 'OPEN'],
      [201, 'OPEN'],
      [200, 'PENDING'],
      [422, undefined],
    ],
  )
  assert.deepEqual(results[4].event.value, filler[1]?.value)
})

test('submissions to claims under long contracts are answered as any others, by a server with copies or without', async () => {
  // Of some 25 KiB each: a group reads a few of them.
  const items = Array.from({ length: 12 }, (_, n) => ({
    customer_id: customer,
    contract: contractWith({
      fulfillment_condition: all(
        { event: 'done' },
        { event: 'a', match: Object.fromEntries(Array.from({ length: 2_700 }, (_, i) => [`${n}-${i}`, 1])) },
      ),
    }),
  }))
  const claims = (await runBatch(here, '/v1/claims/batch', items)).map(({ claim }) => claim.id)
  const statusesOn = async (api: typeof here, ...events: [id: string, type: string][]) => {
    const sent = events.flatMap(([id, type]) => claims.map((claim_id) => ({ claim_id, id, type })))
    const results = await runBatch(api, '/v1/events/batch', sent)
    return events.map((_, i) => new Set(results.slice(12 * i, 12 * (i + 1)).map(({ status }) => status)))
  }
  assert.deepEqual(await statusesOn(here, ['1', 'none']), [new Set([201])])
  assert.deepEqual(await statusesOn(there, ['1', 'none']), [new Set([200])])
  assert.deepEqual(await statusesOn(there, ['1', 'other']), [new Set([409])])
  assert.deepEqual(await statusesOn(there, ['2', 'done']), [new Set([201])])
  // The copies of the first server are stale.
  assert.deepEqual(await statusesOn(here, ['2', 'done'], ['3', 'none']), [new Set([200]), new Set([201])])
  for (const id of claims) assert.deepEqual(await here.eventIds(id), ['1', '2', '3'])
  assert.deepEqual(await statusesOn(await service.newAccount(), ['4', 'none']), [new Set([404])])
})
