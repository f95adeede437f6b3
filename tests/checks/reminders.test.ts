import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Answer } from '../support/api-client.ts'
import { assertError } from '../support/assert-error.ts'
import { firstCheckFrom, secondsAfter } from '../support/check-time.ts'
import { contractWith } from '../support/contracts.ts'
import { contradictionsOf } from '../support/contradictions.ts'
import { newCalendar, newClock, newCustomer, uniqueName } from '../support/new-records.ts'
import { readFeed } from '../support/read-pages.ts'
import { sharedSecondService, sharedService } from '../support/shared.ts'
import { runScheduledCheck } from '../support/source/decisions.ts'

/* Reminders (§2.16), over HTTP. Each test has its own claims and reads only their notifications. */

const service = await sharedService()
const second = await sharedSecondService()
const { api, app } = service
const customer = await newCustomer(api)

/** Of a claim of 100 minutes: after 50 and 90. */
const REMINDERS = [0.5, 0.9]
const WINDOW = { activity_window: 6_000 }
const STOPPABLE = {
  ...WINDOW,
  clock: { pause_on: { event: 'asked' }, resume_on: { event: 'answered' } },
}

const create = (fields: object = {}) =>
  api.post('/v1/claims', {
    customer_id: customer.id,
    contract: contractWith(WINDOW),
    reminders: REMINDERS,
    ...fields,
  })
async function open(fields: object = {}): Promise<Answer['body']> {
  const { status, body } = await create(fields)
  assert.equal(status, 201)
  return body
}
/** Runs the first check at or after this time: seconds after the creation. */
const check = (claim: { created_at: string }, seconds: number, server = app) =>
  runScheduledCheck(server, firstCheckFrom(secondsAfter(claim.created_at, seconds)))

async function remindersOf({ id, candidate_alias }: { id?: string; candidate_alias?: string }) {
  const of = candidate_alias === undefined ? { claim_id: `${id}` } : { candidate_alias }
  const { data } = await readFeed(api, of)
  return data.filter(({ type }) => type.endsWith('.due_soon'))
}
const fractionsOf = async (claim: { id?: string; candidate_alias?: string }) =>
  (await remindersOf(claim)).map(({ reminder }) => reminder)

let ids = 0
const submit = (claim_id: string, type: string) =>
  api.post('/v1/events', { claim_id, id: `event ${++ids}`, type })

describe('reminders of a claim', () => {
  test('are sent once each, by the first check that finds them reached (§2.16 rule 2)', async () => {
    const claim = await open({ reminders: [0.9, 0.5] })
    assert.deepEqual(claim.reminders, REMINDERS)
    await check(claim, 2_900)
    assert.deepEqual(await fractionsOf(claim), [])
    for (const seconds of [3_000, 3_000, 3_060, 5_300]) await check(claim, seconds)
    assert.deepEqual(await fractionsOf(claim), [0.5])
    for (const seconds of [5_400, 5_400, 5_460]) await check(claim, seconds)

    const found = await remindersOf(claim)
    const { events: _, ...listed } = await api.readClaim(claim.id)
    assert.deepEqual(
      found.map(({ type, sequence, reminder, checked_at, claim }) => ({
        type,
        sequence,
        reminder,
        checked_at,
        claim,
      })),
      [
        [0.5, 3_000],
        [0.9, 5_400],
      ].map(([reminder, seconds = 0]) => ({
        type: 'claim.due_soon',
        sequence: 0,
        reminder,
        checked_at: firstCheckFrom(secondsAfter(claim.created_at, seconds)).toISOString(),
        claim: listed,
      })),
    )
    assert.equal(new Set(found.map(({ id }) => id)).size, 2)
    assert.deepEqual(await contradictionsOf(service, claim.id), [])
  })

  test('are sent once by checks of two servers at the same time', async () => {
    const claims = await Promise.all(Array.from({ length: 20 }, () => open()))
    for (const seconds of [3_060, 5_460]) {
      await Promise.all([check(claims[0], seconds), check(claims[0], seconds, second.app)])
      await check(claims[0], seconds)
    }
    for (const claim of claims) assert.deepEqual(await fractionsOf(claim), REMINDERS)
  })

  test('are left out if a check finds a later one, as after an outage (§2.16 rule 3)', async () => {
    const claim = await open({ reminders: [0.1, 0.2, 0.3, 0.9] })
    await check(claim, 1_900)
    assert.deepEqual(await fractionsOf(claim), [0.3])
    await check(claim, 6_000)
    assert.deepEqual(await fractionsOf(claim), [0.3])
    assert.equal((await api.readClaim(claim.id)).status, 'PENDING')
  })

  test('are not sent after the claim is settled (§2.16 rule 2)', async () => {
    const claim = await open()
    await submit(claim.id, 'done')
    await check(claim, 5_400)
    assert.deepEqual(await fractionsOf(claim), [])
    assert.deepEqual((await api.readClaim(claim.id)).reminders, REMINDERS)
  })

  test('are not sent while the clock is stopped, but after it continues (§2.16 rule 4)', async () => {
    const claim = await open({ contract: contractWith(STOPPABLE) })
    await check(claim, 3_000)
    await submit(claim.id, 'asked')
    await check(claim, 9_000)
    assert.deepEqual(await fractionsOf(claim), [0.5])
    const { due_at } = (await submit(claim.id, 'answered')).body.claim
    const untilDue = (Date.parse(due_at) - Date.parse(claim.created_at)) / 1_000
    await check(claim, untilDue - 700)
    assert.deepEqual(await fractionsOf(claim), [0.5])
    await check(claim, untilDue - 600)
    assert.deepEqual(await fractionsOf(claim), REMINDERS)
    assert.deepEqual(await contradictionsOf(service, claim.id), [])
  })

  test('count the working time of a calendar (§2.16 rule 1)', async () => {
    const calendar = await newCalendar(api)
    // Friday, 16:00 in Berlin: an hour of working time is left until Monday.
    const clock = await newClock(api, '2026-01-09T15:00:00.000Z')
    const contract = contractWith({ activity_window: 7_200, clock: { calendar: { id: calendar.id } } })
    const claim = await open({ contract, reminders: [0.25, 0.75], test_clock_id: clock })
    assert.equal(claim.due_at, '2026-01-12T09:00:00.000Z')
    await api.post(`/v1/test_clocks/${clock}/advance`, { frozen_time: '2026-01-12T09:00:00.000Z' })
    assert.deepEqual(
      (await remindersOf(claim)).map(({ checked_at }) => checked_at),
      ['2026-01-09T15:30:00.000Z', '2026-01-12T08:30:00.000Z'],
    )
  })

  test('are sent for a candidate too', async () => {
    const { body } = await api.post('/v1/candidates', {
      candidate_alias: uniqueName('candidate'),
      customer_uuid: customer.external_id,
      contract: contractWith(WINDOW),
      reminders: REMINDERS,
    })
    await check(body, 3_000)
    const [found] = await remindersOf(body)
    assert.equal(found?.type, 'candidate.due_soon')
    assert.deepEqual(found?.candidate.reminders, REMINDERS)
  })
})

describe('reminders on a test clock', () => {
  const START = '2030-01-01T00:00:00.000Z'
  const advance = (clock: string, frozen_time: string) =>
    api.post(`/v1/test_clocks/${clock}/advance`, { frozen_time })

  test('are sent at their minutes by an advance over decades, before the transitions of the advance (§2.16 rule 5)', async () => {
    const clock = await newClock(api, START)
    const claim = await open({ reminders: [0.5, 0.501, 0.9, 0.9999], test_clock_id: clock })
    await advance(clock, '2090-01-01T00:00:00.000Z')
    const { data } = await readFeed(api, { claim_id: claim.id })
    assert.deepEqual(
      data.map(({ type, reminder, checked_at }) => [type, reminder, checked_at]),
      [
        ['claim.created', undefined, undefined],
        ['claim.due_soon', 0.5, '2030-01-01T00:50:00.000Z'],
        ['claim.due_soon', 0.501, '2030-01-01T00:51:00.000Z'],
        ['claim.due_soon', 0.9, '2030-01-01T01:30:00.000Z'],
        ['claim.pending', undefined, undefined],
        ['claim.failed', undefined, undefined],
      ],
    )
  })

  test('of one minute: only the last is sent, in one advance or in several (§2.16 rule 3)', async () => {
    const clock = await newClock(api, START)
    const claim = await open({ reminders: [0.5, 0.501, 0.502, 0.9], test_clock_id: clock })
    await advance(clock, '2030-01-01T00:50:10.000Z')
    await advance(clock, '2030-01-01T00:50:50.000Z')
    assert.deepEqual(await fractionsOf(claim), [0.5])
    await advance(clock, '2030-01-01T01:00:00.000Z')
    assert.deepEqual(await fractionsOf(claim), [0.5, 0.502])
    await advance(clock, '2030-01-01T01:35:00.000Z')
    assert.deepEqual(await fractionsOf(claim), [0.5, 0.502, 0.9])
  })

  test('that are reached after the clock continues are sent by the next check', async () => {
    const clock = await newClock(api, START)
    const claim = await open({ contract: contractWith(STOPPABLE), test_clock_id: clock })
    await advance(clock, '2030-01-01T00:49:30.000Z')
    await submit(claim.id, 'asked')
    await advance(clock, '2030-01-02T00:00:00.000Z')
    await submit(claim.id, 'answered')
    assert.deepEqual(await fractionsOf(claim), [])
    await advance(clock, '2030-01-03T00:00:00.000Z')
    assert.deepEqual(
      (await remindersOf(claim)).map(({ reminder, checked_at }) => [reminder, checked_at]),
      [
        [0.5, '2030-01-02T00:01:00.000Z'],
        [0.9, '2030-01-02T00:41:00.000Z'],
      ],
    )
  })
})

describe('reminders in requests', () => {
  for (const [what, reminders, path, message] of [
    ['null', null, 'reminders', /array of up to 8 items/],
    ['a number', 0.5, 'reminders', /array of up to 8 items/],
    ['0', [0.5, 0], 'reminders[1]', /above 0 and below 1/],
    ['1', [1], 'reminders[0]', /above 0 and below 1/],
    ['a string', [0.1, '0.5'], 'reminders[1]', /above 0 and below 1/],
    ['a repeated number', [0.5, 0.9, 0.5], 'reminders', /0\.5 twice/],
    ['nine numbers', [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9], 'reminders', /up to 8 items/],
  ] as const) {
    test(`${what} answers 400 (§2.16)`, async () => {
      for (const answer of [
        await create({ reminders }),
        await api.post('/v1/schemas', { contract: contractWith(), reminders }),
      ]) {
        assertError(answer, 400, 'VALIDATION_ERROR')
        const [detail] = answer.body.error.details
        assert.equal(detail.path, path)
        assert.match(detail.message, message)
      }
    })
  }

  test('are taken from the schema, unless the creation names others or an empty array (§2.16 rule 6)', async () => {
    const created = await api.post('/v1/schemas', { contract: contractWith(WINDOW), reminders: [0.9, 0.5] })
    assert.deepEqual(created.body.reminders, REMINDERS)
    const schema_id = created.body.id
    const from = async (fields: object) =>
      (await open({ contract: undefined, schema_id, ...fields })).reminders
    assert.deepEqual(await from({ reminders: undefined }), REMINDERS)
    assert.deepEqual(await from({ reminders: [0.3] }), [0.3])
    assert.deepEqual(await from({ reminders: [] }), undefined)

    const path = `/v1/schemas/${schema_id}`
    const changed = await api.patch(path, { reminders: [0.2] })
    assert.deepEqual([changed.body.reminders, changed.body.version], [[0.2], 1])
    assert.notEqual(changed.headers.get('etag'), created.headers.get('etag'))
    assert.deepEqual(await from({ reminders: undefined }), [0.2])
    await api.patch(path, { name: 'Tickets' })
    assert.deepEqual((await api.get(path)).body.reminders, [0.2])
    await api.patch(path, { reminders: [] })
    assert.ok(!('reminders' in (await api.get(path)).body))
    assert.equal(await from({ reminders: undefined }), undefined)
  })

  test('are not part of the contract', async () => {
    const [without, with_] = [await open({ reminders: undefined }), await open()]
    assert.ok(!('reminders' in without))
    assert.deepEqual(with_.contract, without.contract)
  })

  test('are accepted in a batch, and shown in lists and in the answer to a submission', async () => {
    const item = { customer_id: customer.id, contract: contractWith(WINDOW) }
    const { body } = await api.post('/v1/claims/batch', {
      claims: [{ ...item, reminders: REMINDERS }, item, { ...item, reminders: [2] }],
    })
    const [one, other, refused] = body.results
    assert.deepEqual([one.claim.reminders, other.claim.reminders], [REMINDERS, undefined])
    assert.equal(refused.error.details[0].path, 'reminders[0]')
    const { data } = (await api.get(`/v1/claims?customer_id=${customer.id}&order=desc&limit=2`)).body
    assert.deepEqual(
      data.map(({ reminders }: { reminders?: number[] }) => reminders),
      [undefined, REMINDERS],
    )
    assert.deepEqual((await submit(one.claim.id, 'seen')).body.claim.reminders, REMINDERS)
  })

  test('of a repeated request are those of the first request', async () => {
    const schema = (await api.post('/v1/schemas', { contract: contractWith(WINDOW), reminders: [0.5] })).body
    const repeat = () =>
      api.post(
        '/v1/claims',
        { customer_id: customer.id, schema_id: schema.id },
        { 'Idempotency-Key': `reminders-${schema.id}` },
      )
    assert.deepEqual((await repeat()).body.reminders, [0.5])
    await api.patch(`/v1/schemas/${schema.id}`, { reminders: [0.9] })
    assert.deepEqual((await repeat()).body.reminders, [0.5])
  })
})
