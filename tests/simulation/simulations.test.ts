import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { assertError } from '../support/assert-error.ts'
import { calendarWith } from '../support/calendars.ts'
import { all, any, contractWith, not } from '../support/contracts.ts'
import { newClaim, newCustomer, newSchema, uniqueName } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'
import { assertStoresNothing } from '../support/stored-rows.ts'

const service = await sharedService()
const { api } = service
const at = (time: string) => `2026-01-01T${time}.000Z`

test('all invalid events are reported, also beside one that is too large', async () => {
  const events = [
    { at: at('00:10:00'), type: 'a', text: 'x'.repeat(256 * 1024) },
    { at: at('00:10:00'), type: '' },
    { at: 'never', type: 'a' },
  ]
  const simulation = { contract: contractWith(), opened_at: at('00:00:00'), events }
  const invalid = await api.post('/v1/simulations', simulation)
  assertError(invalid, 400, 'VALIDATION_ERROR')
  const paths = invalid.body.error.details.map(({ path }: { path: string }) => path)
  assert.deepEqual(paths, ['events[1].type', 'events[2].at'])
  const tooLarge = await api.post('/v1/simulations', { ...simulation, events: events.slice(0, 1) })
  assertError(tooLarge, 413, 'PAYLOAD_TOO_LARGE')
})

test('a simulation answers each event, each transition and the final state, and stores nothing', async () => {
  await assertStoresNothing(service, async () => {
    const { status, body } = await api.post('/v1/simulations', {
      contract: contractWith({
        activity_window: 3600,
        review_window: 90,
        fulfillment_condition: all({ event: 'a' }, { event: 'b', gte: 4 }, not({ event: 'c' })),
      }),
      opened_at: at('00:00:00'),
      events: [
        { at: at('00:20:00'), type: 'b', value: 5, id: 'second' },
        { at: at('00:10:00'), type: 'a', id: 'first' },
        { at: at('00:15:00'), type: 'a', id: 'first' },
        { at: at('00:30:00'), type: 'b', value: 5 },
      ],
    })
    assert.equal(status, 200)
    const event = (id: string, type: string, time: string, fields = {}) => ({
      kind: 'event',
      at: at(time),
      event: { id, type, created_at: at(time), system: false, ...fields },
    })
    assert.deepEqual(body, {
      opened_at: at('00:00:00'),
      timeline: [
        { ...event('first', 'a', '00:10:00'), accepted: true },
        { ...event('first', 'a', '00:15:00'), accepted: true, replayed: true },
        { ...event('second', 'b', '00:20:00', { value: 5 }), accepted: true },
        {
          kind: 'transition',
          at: at('00:20:00'),
          from: 'OPEN',
          to: 'PENDING',
          because: { event_id: 'second' },
        },
        {
          kind: 'transition',
          at: at('00:22:00'),
          from: 'PENDING',
          to: 'CONFIRMED',
          because: { window_elapsed: 'review_window' },
        },
        { ...event('event-4', 'b', '00:30:00', { value: 5 }), accepted: false, code: 'CLAIM_NOT_OPEN' },
      ],
      final: {
        status: 'CONFIRMED',
        scheduled_outcome: 'CONFIRMED',
        status_since: at('00:22:00'),
        due_at: null,
      },
      hints: [
        {
          code: 'not_during_review',
          path: 'fulfillment_condition.conditions[2]',
          message:
            'What a NOT names counts only while the claim is OPEN. Once it is PENDING, for a review of 1 minute 30 seconds, such an event is refused (CLAIM_NOT_OPEN) and changes nothing. If it is to reverse the outcome, say so in review.reversal_condition.',
        },
      ],
    })
  })
})

test('until ends the simulation; later events are omitted', async () => {
  const { body } = await api.post('/v1/simulations', {
    contract: contractWith({ activity_window: 60, review_window: 60 }),
    opened_at: at('00:00:00'),
    until: at('00:01:30'),
    events: [{ at: at('00:05:00'), type: 'done' }],
  })
  assert.equal(body.timeline.length, 1)
  assert.deepEqual(body.final, {
    status: 'PENDING',
    scheduled_outcome: 'FAILED',
    status_since: at('00:01:00'),
    due_at: at('00:02:00'),
  })
})

test('at the same instant the check comes before the event', async () => {
  const { body } = await api.post('/v1/simulations', {
    contract: contractWith({ activity_window: 60 }),
    opened_at: at('00:00:00'),
    events: [{ at: at('00:01:00'), type: 'done' }],
  })
  assert.deepEqual(
    body.timeline.map(({ kind }: { kind: string }) => kind),
    ['transition', 'event', 'transition'],
  )
  assert.equal(body.final.status, 'FAILED')
})

const reopening = contractWith({
  activity_window: 3600,
  review_window: 600,
  fulfillment_condition: { event: 'resolved' },
  review: {
    reversal_condition: { event: 'reopened' },
    restart_on: { event: 'message' },
    max_duration: 1800,
  },
})

/** Each entry in a line, without what a test does not look at. */
const timelineOf = (body: { timeline: Record<string, unknown>[] }) =>
  body.timeline.map(({ kind, from, to, effect, late_by, code, replayed }) => {
    if (kind === 'transition') return `${from} -> ${to}`
    return [effect ?? code ?? (replayed ? 'replayed' : 'accepted'), late_by]
      .filter(Boolean)
      .join(', late by ')
  })

test('a simulation says which event reversed the outcome and which restarted the review (§2.1a)', async () => {
  const simulated = async (...events: object[]) =>
    (await api.post('/v1/simulations', { contract: reopening, opened_at: at('00:00:00'), events })).body
  const restarted = await simulated(
    { at: at('00:10:00'), type: 'resolved' },
    { at: at('00:15:00'), type: 'message', id: 'm1' },
    { at: at('00:16:00'), type: 'message', id: 'm1' },
    { at: at('00:17:00'), type: 'other' },
  )
  assert.deepEqual(timelineOf(restarted), [
    'accepted',
    'OPEN -> PENDING',
    'restarted',
    'replayed',
    'accepted',
    'PENDING -> CONFIRMED',
  ])
  assert.equal(restarted.final.status_since, at('00:25:00'))

  const reversed = await simulated(
    { at: at('00:10:00'), type: 'resolved' },
    { at: at('00:15:00'), type: 'reopened' },
    { at: at('00:16:00'), type: 'resolved' },
  )
  assert.deepEqual(timelineOf(reversed), [
    'accepted',
    'OPEN -> PENDING',
    'reversed',
    'CLAIM_NOT_OPEN',
    'PENDING -> FAILED',
  ])
  assert.equal(reversed.final.status_since, at('00:20:00'))
})

test('a simulation says which event stopped the clock and which continued it (§2.1a)', async () => {
  const contract = contractWith({
    activity_window: 3600,
    clock: { pause_on: { event: 'asked' }, resume_on: { event: 'answered' } },
  })
  const simulated = async (...events: object[]) =>
    (await api.post('/v1/simulations', { contract, opened_at: at('00:00:00'), events })).body
  const asked = { at: at('00:10:00'), type: 'asked' }
  const paused = await simulated(asked)
  assert.deepEqual(timelineOf(paused), ['paused'])
  assert.deepEqual(paused.final, {
    status: 'OPEN',
    scheduled_outcome: null,
    status_since: at('00:00:00'),
    due_at: null,
    paused_since: at('00:10:00'),
    remaining: 3000,
  })
  const resumed = await simulated(asked, { at: at('02:00:00'), type: 'answered' })
  assert.deepEqual(timelineOf(resumed), ['paused', 'resumed', 'OPEN -> PENDING', 'PENDING -> FAILED'])
  assert.equal(resumed.timeline[2].at, at('02:50:00'))
})

test('a simulation says by how many seconds an accepted event is late (§2.1a rule 3)', async () => {
  const simulated = async (terms: object) => {
    const events = [{ at: at('00:00:45'), type: 'resolved' }]
    const contract = { ...reopening, activity_window: 30.5, ...terms }
    const opened_at = at('00:00:00')
    return timelineOf((await api.post('/v1/simulations', { contract, opened_at, events })).body)
  }
  const late = 'accepted, late by 14.5'
  assert.deepEqual(await simulated({}), [late, 'OPEN -> PENDING', 'PENDING -> CONFIRMED'])
  assert.deepEqual(await simulated({ review: undefined }), [late, 'OPEN -> PENDING', 'PENDING -> CONFIRMED'])
  assert.deepEqual(await simulated({ strict_deadline: true }), [late, 'OPEN -> PENDING', 'PENDING -> FAILED'])
})

test('a simulation returns at most 20 hints about the contract, also about that of a schema (§2.13 rule 3)', async () => {
  const never = { event: 'a', gt: 1, lt: 1 }
  const contract = contractWith({ fulfillment_condition: any(...Array.from({ length: 511 }, () => never)) })
  const schema = await newSchema(api, contract)
  const simulated = async (source: object) => {
    const { status, body } = await api.post('/v1/simulations', { ...source, events: [] })
    assert.equal(status, 200)
    return body.hints as { code: string; path: string }[]
  }
  const hints = await simulated({ contract })
  assert.equal(hints.length, 20)
  assert.deepEqual(
    hints.slice(0, 3).map(({ code, path }) => [code, path]),
    [
      ['condition_impossible', 'fulfillment_condition'],
      ['leaf_impossible', 'fulfillment_condition.conditions[0]'],
      ['leaf_impossible', 'fulfillment_condition.conditions[1]'],
    ],
  )
  assert.deepEqual(await simulated({ schema_id: schema.id }), hints)
  assert.deepEqual(await simulated({ contract: contractWith() }), [])
})

test('a simulation has hints to accepted events that narrowly miss a leaf, after the hints to the contract (§2.13 rule 7)', async () => {
  const contract = contractWith({
    activity_window: 30,
    fulfillment_condition: all({ event: 'done ' }, { event: 'rated', gte: 4 }),
  })
  const { body } = await api.post('/v1/simulations', {
    contract,
    opened_at: at('00:00:00'),
    events: [
      { at: at('00:00:01'), id: 'e1', type: 'rated', value: '5' },
      { at: at('00:00:02'), id: 'e2', type: 'done' },
      { at: at('00:02:00'), id: 'late', type: 'rated', value: '5' },
    ],
  })
  assert.deepEqual(
    body.hints.map(({ code, path, event_ids }: Record<string, string>) => [code, path, event_ids]),
    [
      ['window_under_a_minute', 'activity_window', undefined],
      ['event_type_lookalike', 'fulfillment_condition.conditions[0]', undefined],
      ['event_type_lookalike', 'fulfillment_condition.conditions[0]', ['e2']],
      ['value_mismatch', 'fulfillment_condition.conditions[1]', ['e1']],
    ],
  )
})

test('a price with more decimals than the currency gives a hint at creations, changes and simulations, and is stored as it is (§2.13 rule 5)', async () => {
  const account = await service.newAccount()
  const customer = await newCustomer(account)
  const contract = contractWith({ price: 12.5 })
  const created = async () => [
    await account.post('/v1/claims', { customer_id: customer.id, contract }),
    await account.post('/v1/candidates', {
      candidate_alias: uniqueName('alias'),
      customer_uuid: customer.external_id,
      contract,
    }),
    await account.post('/v1/schemas', { contract }),
  ]
  for (const currency of [null, 'EUR', 'JPY', 'EUR']) {
    assert.equal((await account.patch('/v1/me', { currency })).status, 200)
    const answers = await created()
    const schema = answers[2]?.body
    answers.push(await account.patch(`/v1/schemas/${schema.id}`, { name: 'another' }))
    const batch = (
      await account.post('/v1/claims/batch', { claims: [{ customer_id: customer.id, contract }] })
    ).body
    answers.push({ ...(answers[0] as (typeof answers)[number]), body: batch.results[0].claim })
    for (const { status, body } of answers) {
      assert.ok(status === 201 || status === 200)
      assert.equal(body.contract.price, 12.5)
      const codes = body.hints?.map(({ code }: { code: string }) => code)
      assert.deepEqual(codes, currency === 'JPY' ? ['price_decimals'] : undefined)
    }
    const { hints } = (await account.post('/v1/simulations', { schema_id: schema.id, events: [] })).body
    assert.equal(hints.length, currency === 'JPY' ? 1 : 0)
    assert.equal((await account.get(`/v1/claims/${answers[0]?.body.id}`)).body.hints, undefined)
  }
})

test('the response to a creation has the hints to its contract, and no field without hints (§2.13)', async () => {
  const { id: customer_id } = await newCustomer(api)
  const create = async (terms: object) =>
    (await api.post('/v1/claims', { customer_id, contract: contractWith(terms) })).body.hints
  assert.equal(await create({}), undefined)
  assert.deepEqual(await create({ fulfillment_condition: { event: 'done ' } }), [
    {
      code: 'event_type_lookalike',
      path: 'fulfillment_condition',
      message:
        'The type "done " differs from "done" only by invisible characters: U+0020 SPACE at position 5. Types are compared exactly.',
    },
  ])
})

test('the contract may come from a schema, and the claim is opened at the first event by default', async () => {
  const schema = await newSchema(api)
  const { body } = await api.post('/v1/simulations', {
    schema_id: schema.id,
    events: [
      { at: at('05:00:00'), type: 'x' },
      { at: at('04:00:00'), type: 'done' },
    ],
  })
  assert.equal(body.opened_at, at('04:00:00'))
  assert.equal(body.final.status, 'CONFIRMED')
})

test('invalid input is reported with its path', async () => {
  const contract = contractWith()
  for (const [request, path] of [
    [{ contract, events: [{ at: 'noon', type: 'a' }] }, 'events[0].at'],
    [{ contract, events: [{ at: at('00:00:00') }] }, 'events[0].type'],
    [{ contract, events: [{ at: at('00:00:00'), type: 'review_window_elapsed' }] }, 'events[0].type'],
    [{ contract, events: [{ at: at('00:00:00'), type: 'a', system: true }] }, 'events[0].system'],
    [{ contract, events: [{ at: at('00:00:00'), type: 'a', claim_id: 'x' }] }, 'events[0].claim_id'],
    [{ contract, opened_at: at('01:00:00'), events: [{ at: at('00:00:00'), type: 'a' }] }, 'events[0].at'],
    [{ contract, opened_at: at('01:00:00'), events: [], until: at('00:00:00') }, 'until'],
    [{ contract: { ...contract, price: -1 }, events: [] }, 'contract.price'],
    [{ contract }, 'events'],
    [{ events: [] }, 'body'],
  ] as const) {
    assertError(await api.post('/v1/simulations', request), 400, 'VALIDATION_ERROR', path)
  }
})

test('an event without an id gets a unique one, as in the service', async () => {
  const contract = contractWith({ activity_window: 3600, fulfillment_condition: { event: 'never' } })
  const events = [
    { at: at('00:00:00'), type: 'a', id: 'event-2' },
    { at: at('00:00:01'), type: 'b' },
    { at: at('00:00:02'), type: 'c', id: "event-2'" },
    { at: at('00:00:03'), type: 'd' },
  ]
  const { body } = await api.post('/v1/simulations', { contract, events, until: at('00:00:10') })
  const entries: { accepted: boolean; event: { id: string } }[] = body.timeline
  assert.deepEqual(
    entries.map(({ accepted, event }) => [accepted, event.id]),
    [
      [true, 'event-2'],
      [true, "event-2''"],
      [true, "event-2'"],
      [true, 'event-4'],
    ],
  )
})

test('errors of events are reported with their paths, at most 20', async () => {
  const contract = contractWith()
  const bad = Array.from({ length: 1_000 }, () => ({ type: 1 }))
  const answer = await api.post('/v1/simulations', {
    contract,
    events: [{ at: at('00:00:00'), type: 'a' }, ...bad],
  })
  assertError(answer, 400, 'VALIDATION_ERROR', 'events[1].at')
  assert.equal(answer.body.error.details.length, 20)
})

test('a window below a millisecond is one, here as in the service (§2.1)', async () => {
  const contract = contractWith({ activity_window: 1e-7, review_window: 1e-9 })
  const { body } = await api.post('/v1/simulations', {
    contract,
    events: [],
    opened_at: at('00:00:00'),
    until: at('00:00:00'),
  })
  assert.equal(body.final.due_at, '2026-01-01T00:00:00.001Z')
  const claim = await newClaim(api, contract)
  assert.equal(Date.parse(claim.due_at) - Date.parse(claim.created_at), 1)
})

test('a simulation counts the working time of the calendar that its contract names (§2.1a rules 19, 20)', async () => {
  const hours = calendarWith({ holidays: ['2026-04-03', '2026-04-06'] })
  const { id } = (await api.post('/v1/calendars', hours)).body
  const terms = (calendar: object) => ({
    ...contractWith({
      activity_window: 16 * 3_600,
      review_window: 0,
      fulfillment_condition: { event: 'resolved' },
    }),
    clock: { calendar, pause_on: { event: 'asked' }, resume_on: { event: 'answered' } },
  })
  const simulate = (calendar: object, fields: object = {}) =>
    api.post('/v1/simulations', {
      contract: terms(calendar),
      opened_at: '2026-03-27T14:00:00Z',
      events: [
        { at: '2026-03-30T13:00:00Z', type: 'asked' },
        { at: '2026-04-02T13:00:00Z', type: 'answered' },
      ],
      ...fields,
    })
  const until = async (time: string) => (await simulate({ id }, { until: time })).body.final
  assert.equal((await until('2026-03-28T00:00:00Z')).due_at, '2026-03-31T13:00:00.000Z')
  assert.equal((await until('2026-04-01T00:00:00Z')).remaining, 8 * 3_600)
  assert.equal((await until('2026-04-03T00:00:00Z')).due_at, '2026-04-07T13:00:00.000Z')
  const { timeline } = (await simulate({ id })).body
  assert.equal(timeline.at(-2).at, '2026-04-07T13:00:00.000Z')

  await api.patch(`/v1/calendars/${id}`, { weekly: { monday: [['09:00', '12:00']] } })
  assert.deepEqual((await simulate({ id, version: 1 })).body.timeline, timeline)
  assert.notDeepEqual((await simulate({ id })).body.timeline, timeline)
  const schema = await newSchema(api, terms({ id, version: 1 }) as never)
  const copied = await simulate({ id }, { contract: undefined, schema_id: schema.id })
  assert.deepEqual(copied.body.timeline, timeline)

  assertError(await simulate({ id: randomUUID() }), 404, 'CALENDAR_NOT_FOUND')
  assertError(await simulate({ id, version: 3 }), 404, 'CALENDAR_VERSION_NOT_FOUND')
  await api.delete(`/v1/calendars/${id}`)
  assertError(await simulate({ id, version: 1 }), 404, 'CALENDAR_NOT_FOUND')
})
