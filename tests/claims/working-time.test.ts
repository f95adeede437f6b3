import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { asAnswered } from '../support/as-answered.ts'
import { assertError } from '../support/assert-error.ts'
import { calendarWith } from '../support/calendars.ts'
import { firstCheckFrom } from '../support/check-time.ts'
import { contractWith } from '../support/contracts.ts'
import { contradictionsOf } from '../support/contradictions.ts'
import { holdBy, holdInsertBarrier } from '../support/held-rows.ts'
import { newClock, newCustomer, newSchema, uniqueName } from '../support/new-records.ts'
import { sharedSecondService, sharedService } from '../support/shared.ts'
import { workingTime } from '../support/source/calendars.ts'
import { runScheduledCheck } from '../support/source/decisions.ts'

/* Claims whose windows count the working time of a calendar (§2.1a), over HTTP. */

const service = await sharedService()
const second = await sharedSecondService()
const { api } = service
const there = second.clientWith(api.token)

const HOURS = calendarWith({ holidays: ['2026-04-03', '2026-04-06'] })
const customer = await newCustomer(api)
const newCalendar = async (changes: object = {}): Promise<{ id: string }> =>
  (await api.post('/v1/calendars', { ...HOURS, ...changes })).body

const termsOf = (id: string, clock: object = {}) => ({
  ...contractWith({
    activity_window: 16 * 3_600,
    review_window: 4 * 3_600,
    fulfillment_condition: { event: 'resolved' },
  }),
  clock: { calendar: { id }, ...clock },
})
const WITH_REVERSAL = { reversal_condition: { event: 'reopened' } }
const open = (contract: object, fields: object = {}, headers: Record<string, string> = {}) =>
  api.post('/v1/claims', { customer_id: customer.id, contract, ...fields }, headers)
let ids = 0
const submit = (claim_id: string, type: string, client = api) =>
  client.post('/v1/events', { claim_id, id: `event ${++ids}`, type })
const advance = async (clock: string, frozen_time: string) =>
  assert.equal((await api.post(`/v1/test_clocks/${clock}/advance`, { frozen_time })).status, 200)

test('the activity window is due when its working time has passed, over Easter and a change of clocks (§2.1a rule 19)', async () => {
  const { id } = await newCalendar()
  const clock = await newClock(api, '2026-03-27T14:00:00.000Z')
  const pauses = { pause_on: { event: 'asked' }, resume_on: { event: 'answered' } }
  const { status, body: claim } = await open(termsOf(id, pauses), { test_clock_id: clock })
  assert.equal(status, 201)
  assert.deepEqual(claim.contract.clock.calendar, { id, version: 1 })
  assert.equal(claim.due_at, '2026-03-31T13:00:00.000Z')

  await advance(clock, '2026-03-30T13:00:00.000Z')
  const paused = (await submit(claim.id, 'asked')).body.claim
  assert.deepEqual([paused.due_at, paused.remaining], [null, 8 * 3_600])
  await advance(clock, '2026-04-02T13:00:00.000Z')
  const resumed = (await submit(claim.id, 'answered', there)).body.claim
  assert.equal(resumed.due_at, '2026-04-07T13:00:00.000Z')
  await advance(clock, resumed.due_at)
  const elapsed = await api.readClaim(claim.id)
  assert.deepEqual([elapsed.status, elapsed.due_at], ['PENDING', '2026-04-07T17:00:00.000Z'])
  assert.deepEqual(await contradictionsOf(service, claim.id), [])
})

test('a live claim is due by working time, and its review too if the calendar applies to it', async () => {
  const { id } = await newCalendar()
  const terms = termsOf(id, { applies_to: ['activity', 'review'] })
  const { body: claim } = await open(terms)
  const time = workingTime(HOURS)
  const dueAfter = (start: string, hours: number) =>
    new Date(time.endOfBudget(Date.parse(start), hours * 3_600_000)).toISOString()
  assert.equal(claim.due_at, dueAfter(claim.created_at, 16))
  assert.deepEqual(asAnswered(await api.readClaim(claim.id)), asAnswered(claim))

  const { event, claim: pending } = (await submit(claim.id, 'resolved')).body
  assert.equal(pending.due_at, dueAfter(event.created_at, 4))

  const { body: other } = await open(terms)
  await runScheduledCheck(service.app, firstCheckFrom(other.due_at))
  const elapsed = await api.readClaim(other.id)
  assert.deepEqual([elapsed.status, elapsed.due_at], ['PENDING', dueAfter(elapsed.status_since, 4)])
  for (const one of [claim, other]) assert.deepEqual(await contradictionsOf(service, one.id), [])
})

test('an explanation shows when the clock ran, what was counted and which dates were skipped, and the end of a review by working time (§2.1a)', async () => {
  const { id } = await newCalendar({ exceptions: { '2026-03-31': [], '2026-04-05': [] } })
  const clock = await newClock(api, '2026-03-27T14:00:00.000Z')
  const pauses = { pause_on: { event: 'asked' }, resume_on: { event: 'answered' } }
  const terms = { ...termsOf(id, { ...pauses, applies_to: ['activity', 'review'] }), review: WITH_REVERSAL }
  const { body: claim } = await open(terms, { test_clock_id: clock })
  const explain = async () => (await api.get(`/v1/claims/${claim.id}/explanation`)).body
  await advance(clock, '2026-03-30T13:00:00.000Z')
  const asked = (await submit(claim.id, 'asked')).body.event
  const counted = {
    from: claim.created_at,
    resumed_by: null,
    to: asked.created_at,
    paused_by: asked.id,
    counted: 8 * 3_600,
  }
  assert.deepEqual((await explain()).clock, {
    calendar: { id, version: 1 },
    time_zone: 'Europe/Berlin',
    time_zone_data: process.versions.tz,
    periods: [counted],
    period_count: 1,
    working_time: [
      {
        window: 'activity_window',
        from: claim.created_at,
        to: asked.created_at,
        span_count: 2,
        holidays: [],
        holiday_count: 0,
        exceptions: [],
        exception_count: 0,
      },
    ],
    paused_since: asked.created_at,
    remaining: 8 * 3_600,
  })
  await advance(clock, '2026-04-02T13:00:00.000Z')
  const answered = (await submit(claim.id, 'answered')).body.event
  const running = { from: answered.created_at, resumed_by: answered.id, paused_by: null }
  const { clock: continued } = await explain()
  assert.deepEqual(continued.periods, [counted, { ...running, to: null, counted: null }])
  // The exception of 2026-03-31 was skipped by the stopped clock, not by the calendar.
  const used = {
    window: 'activity_window',
    from: claim.created_at,
    to: '2026-04-07T13:00:00.000Z',
    span_count: 4,
    holidays: ['2026-04-03', '2026-04-06'],
    holiday_count: 2,
    exceptions: ['2026-04-05'],
    exception_count: 1,
  }
  assert.deepEqual(continued.working_time, [used])

  await advance(clock, '2026-04-07T12:00:00.000Z')
  const { claim: pending } = (await submit(claim.id, 'resolved')).body
  const { clock: ended, review } = await explain()
  assert.deepEqual(ended.periods[1], { ...running, to: '2026-04-07T12:00:00.000Z', counted: 7 * 3_600 })
  assert.deepEqual([ended.paused_since, ended.remaining], [null, null])
  const none = { holidays: [], holiday_count: 0, exceptions: [], exception_count: 0 }
  assert.deepEqual(ended.working_time, [
    { ...used, to: '2026-04-07T12:00:00.000Z' },
    {
      window: 'review_window',
      from: '2026-04-07T12:00:00.000Z',
      to: '2026-04-08T08:00:00.000Z',
      span_count: 2,
      ...none,
    },
  ])
  assert.deepEqual([review.due_at, pending.due_at], ['2026-04-08T08:00:00.000Z', '2026-04-08T08:00:00.000Z'])
  await advance(clock, '2026-04-09T12:00:00.000Z')
  const terminal = await explain()
  assert.equal(terminal.review.due_at, pending.due_at)
  assert.deepEqual(terminal.clock.working_time, ended.working_time)
})

test('an explanation of a claim without review names the working time of both windows, each until it was due', async () => {
  const { id } = await newCalendar()
  const clock = await newClock(api, '2026-04-02T14:00:00.000Z')
  const { body: claim } = await open(termsOf(id, { applies_to: ['activity', 'review'] }), {
    test_clock_id: clock,
  })
  const workingTimes = async () =>
    (await api.get(`/v1/claims/${claim.id}/explanation`)).body.clock.working_time.map(
      ({ window, from, to, span_count, holiday_count }: Record<string, unknown>) =>
        [window, from, to, span_count, holiday_count].join(' '),
    )
  const activity = 'activity_window 2026-04-02T14:00:00.000Z 2026-04-08T14:00:00.000Z 3 2'
  assert.deepEqual(await workingTimes(), [activity])
  const review = 'review_window 2026-04-08T14:00:00.000Z 2026-04-09T10:00:00.000Z 2 0'
  for (const time of ['2026-04-08T14:00:00.000Z', '2026-04-10T00:00:00.000Z']) {
    await advance(clock, time)
    assert.deepEqual(await workingTimes(), [activity, review])
  }
})

test('on a test clock, an advance ends the activity window and counts working time of the review', async () => {
  const { id } = await newCalendar()
  const clock = await newClock(api, '2026-05-08T07:00:00.000Z')
  const { body } = await open(termsOf(id, { applies_to: ['review'] }), { test_clock_id: clock })
  assert.equal(body.due_at, '2026-05-08T23:00:00.000Z')
  await advance(clock, '2026-05-09T00:00:00.000Z')
  assert.equal((await api.readClaim(body.id)).due_at, '2026-05-11T11:00:00.000Z')
})

test('the current version of the calendar is filled in, and a changed calendar moves no claim (§2.1a rules 20, 21)', async () => {
  const { id } = await newCalendar()
  const schema = await newSchema(api, termsOf(id) as never)
  assert.deepEqual(schema.contract.clock.calendar, { id })
  const make = async () =>
    (await api.post('/v1/claims', { customer_id: customer.id, schema_id: schema.id })).body
  const before = await make()
  const changed = await api.patch(`/v1/calendars/${id}`, { weekly: { monday: [['09:00', '12:00']] } })
  assert.equal(changed.status, 200)
  const after = await make()
  assert.deepEqual(
    [before, after].map(({ contract }) => contract.clock.calendar.version),
    [1, 2],
  )
  assert.equal((await api.readClaim(before.id)).due_at, before.due_at)
  assert.ok(after.due_at > before.due_at)
  const { body: old } = await open(termsOf(id, { calendar: { id, version: 1 } }))
  assert.deepEqual(old.contract.clock.calendar, { id, version: 1 })
})

test('a calendar that is missing or deleted is refused, and claims that have it go on (§2.1a rules 20, 21)', async () => {
  const { id } = await newCalendar()
  const { body: claim } = await open(termsOf(id))
  assertError(await open(termsOf(randomUUID())), 404, 'CALENDAR_NOT_FOUND')
  assertError(await open(termsOf(id, { calendar: { id, version: 2 } })), 404, 'CALENDAR_VERSION_NOT_FOUND')
  assert.equal((await api.delete(`/v1/calendars/${id}`)).status, 204)
  assertError(await open(termsOf(id)), 404, 'CALENDAR_NOT_FOUND')
  assert.equal((await submit(claim.id, 'resolved', there)).body.claim.status, 'PENDING')
  const batch = await api.post('/v1/claims/batch', {
    claims: [
      { customer_id: customer.id, contract: termsOf(id) },
      { customer_id: customer.id, contract: contractWith() },
    ],
  })
  assert.deepEqual(
    batch.body.results.map(({ status }: { status: number }) => status),
    [404, 201],
  )
})

test('a creation repeated with its idempotency key returns the original response', async () => {
  const { id } = await newCalendar()
  const headers = { 'idempotency-key': randomUUID() }
  const first = await open(termsOf(id), {}, headers)
  await api.patch(`/v1/calendars/${id}`, { weekly: { friday: [['09:00', '12:00']] } })
  const again = await open(termsOf(id), {}, headers)
  assert.deepEqual(again.body, first.body)
})

test('a contract with a calendar keeps the order of its fields', async () => {
  const { id } = await newCalendar()
  const { body: claim } = await open(termsOf(id, { calendar: { version: 1, id } }))
  assert.equal(JSON.stringify(claim.contract.clock), JSON.stringify({ calendar: { version: 1, id } }))
})

test('a repeated batch answers all claims that it created, whatever the size of their contracts (§4.17 rule 6)', async () => {
  const { id } = await newCalendar()
  const filler = 'x'.repeat(48 * 1024)
  const claims = Array.from({ length: 50 }, (_, price) => ({
    customer_id: customer.id,
    contract: { ...termsOf(id), price, fulfillment_condition: { event: 'resolved', match: { filler } } },
  }))
  const headers = { 'idempotency-key': randomUUID() }
  const [first, again] = [
    await api.post('/v1/claims/batch', { claims }, headers),
    await api.post('/v1/claims/batch', { claims }, headers),
  ]
  assert.ok(first.body.results.every(({ status }: { status: number }) => status === 201))
  assert.deepEqual(again.body, first.body)
})

test('a refused creation stores no contract', async () => {
  const { id } = await newCalendar()
  const reference = uniqueName('order')
  assert.equal((await open(termsOf(id), { reference })).status, 201)
  const other = { ...termsOf(id), price: 0.123_456_7 }
  assertError(await open(other, { reference }), 409, 'CLAIM_REFERENCE_CONFLICT')
  const stored = await service.sql("SELECT 1 FROM contracts WHERE document->>'price' = $1", ['0.1234567'])
  assert.deepEqual(stored, [])
})

test('a creation that waits for a reader of its list is tried again', async (t) => {
  const { id } = await newCalendar()
  const [owner] = await service.sql('SELECT user_id FROM customers WHERE id = $1', [customer.id])
  const reader = await holdInsertBarrier(t, service.databaseUrl, 'claims', owner?.user_id as string)
  const creating = open(termsOf(id))
  await reader.untilStatementsWait()
  await reader.untilNewStatementWaits()
  await reader.release()
  assert.equal((await creating).status, 201)
})

test('a batch reads no further calendar once the database does not answer', async (t) => {
  const ids = [(await newCalendar()).id, (await newCalendar()).id]
  const held = await holdBy(t, service.databaseUrl, 'LOCK TABLE calendars', [])
  const claims = ids.map((id) => ({ customer_id: customer.id, contract: termsOf(id) }))
  const creating = api.post('/v1/claims/batch', { claims })
  await held.untilStatementsWait()
  const anew = held.untilNewStatementWaits().then(
    () => 'waits anew',
    () => 'waits no more',
  )
  await service.sql(
    `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE '-- find_calendar%'`,
  )
  const answered = creating.then(({ body }) => body.results.map(({ status }: { status: number }) => status))
  assert.deepEqual(await Promise.race([answered, anew]), [503, 503])
  await held.release()
})

test('another account’s calendar is not found', async () => {
  const { id } = await newCalendar()
  const other = await service.newAccount()
  const theirs = await newCustomer(other)
  const answer = await other.post('/v1/claims', { customer_id: theirs.id, contract: termsOf(id) })
  assertError(answer, 404, 'CALENDAR_NOT_FOUND')
})

test('claims of a batch are listed in its order, with calendars and without', async () => {
  const { id } = await newCalendar()
  const customer_id = (await newCustomer(api)).id
  const contracts = [termsOf(id), contractWith(), termsOf(id), contractWith()]
  const { body } = await api.post('/v1/claims/batch', {
    claims: contracts.map((contract) => ({ customer_id, contract })),
  })
  const created = body.results.map(({ claim }: { claim: { id: string } }) => claim.id)
  const { data } = (await api.get(`/v1/claims?customer_id=${customer_id}`)).body
  assert.deepEqual(
    data.map((claim: { id: string }) => claim.id),
    created,
  )
})

test('a calendar that a server cannot compute stops only its own claims at a scheduled check, which fails', async () => {
  const { id } = await newCalendar()
  const { body: stopped } = await open({ ...termsOf(id, { applies_to: ['review'] }), activity_window: 60 })
  const { body: other } = await open(contractWith({ activity_window: 60 }))
  // As with other time zone data. The second server has not read the calendar yet.
  await service.sql("UPDATE calendars SET time_zone = 'Nowhere/Land' WHERE id = $1", [id])
  await assert.rejects(runScheduledCheck(second.app, firstCheckFrom(other.due_at)), new RegExp(id))
  assert.equal((await api.readClaim(other.id)).status, 'PENDING')
  assert.equal((await api.readClaim(stopped.id)).status, 'OPEN')
  await service.sql("UPDATE calendars SET time_zone = 'Europe/Berlin' WHERE id = $1", [id])
  await runScheduledCheck(second.app, firstCheckFrom(stopped.due_at))
  assert.equal((await api.readClaim(stopped.id)).status, 'PENDING')
})

test('the windows of a batch are computed in steps, between which the server does other work', async (t) => {
  const zones = Intl.supportedValuesOf('timeZone').filter((zone) => zone.startsWith('Europe/'))
  const calendars = await Promise.all(
    zones
      .slice(0, 20)
      .map((time_zone) => newCalendar({ time_zone, weekly: { monday: [['00:00', '01:00']] } })),
  )
  let turn = 0
  const count = setInterval(() => turn++, 0)
  t.after(() => clearInterval(count))
  const turns = new Set<number>()
  const { getTimeZoneTransition } = Temporal.ZonedDateTime.prototype
  t.mock.method(
    Temporal.ZonedDateTime.prototype,
    'getTimeZoneTransition',
    function (this: Temporal.ZonedDateTime) {
      turns.add(turn)
      return getTimeZoneTransition.call(this, { direction: 'next' })
    },
  )
  const contract = contractWith({ activity_window: 31_536_000 })
  const { body } = await api.post('/v1/claims/batch', {
    claims: calendars.map((calendar) => ({
      customer_id: customer.id,
      contract: { ...contract, clock: { calendar: { id: calendar.id } } },
    })),
  })
  assert.ok(body.results.every(({ status }: { status: number }) => status === 201))
  assert.ok(turns.size > 2, `computed in ${turns.size} turns`)
})
