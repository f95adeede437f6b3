import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { all, any, contractWith, not } from '../support/contracts.ts'
import { newCustomer, uniqueName } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'
import type { Contract } from '../support/source/contracts.ts'

const { api } = await sharedService()
const customer = await newCustomer(api)
const clock = async () => (await api.post('/v1/test_clocks', { frozen_time: '2026-01-01T00:00:00Z' })).body.id
const advance = (id: string, frozen_time: string) =>
  api.post(`/v1/test_clocks/${id}/advance`, { frozen_time })

test('a claim’s explanation shows each node’s truth, the events behind it, and no transition while OPEN', async () => {
  const fulfillment_condition = all({ event: 'a', gte: 3, lt: 5 }, any({ event: 'b' }, not({ event: 'c' })), {
    event: 'd',
  })
  const { id } = await api.claim(customer.id, contractWith({ fulfillment_condition }))
  for (const [event, value] of [
    ['a1', 9],
    ['a2', 4],
    ['a3', 3],
  ] as const) {
    await api.post('/v1/events', { claim_id: id, id: event, type: 'a', value })
  }
  const { status, body } = await api.get(`/v1/claims/${id}/explanation`)
  assert.equal(status, 200)
  assert.deepEqual(body, {
    status: 'OPEN',
    scheduled_outcome: null,
    condition: {
      op: 'AND',
      satisfied: false,
      conditions: [
        { event: 'a', gte: 3, lt: 5, satisfied: true, satisfied_by: ['a2', 'a3'] },
        {
          op: 'OR',
          satisfied: true,
          conditions: [
            { event: 'b', satisfied: false, satisfied_by: [] },
            { op: 'NOT', satisfied: true, condition: { event: 'c', satisfied: false, satisfied_by: [] } },
          ],
        },
        { event: 'd', satisfied: false, satisfied_by: [] },
      ],
    },
    transitions: [],
    hints: [],
  })
})

test('an explanation has hints to events that narrowly miss a leaf by a value or by a lookalike type (§2.13 rules 6, 7)', async () => {
  const fulfillment_condition = all(
    { event: 'done' },
    { event: 'rated', gte: 4 },
    { event: 'paid', match: true },
  )
  const { id } = await api.claim(customer.id, contractWith({ fulfillment_condition }))
  for (const [event, type, value] of [
    ['e1', 'done ', 1],
    ['e2', 'rated', '5'],
    ['e3', '\u200bdone', 1],
    ['e4', 'rated', '4'],
    ['e5', 'paid', 'true'],
    ['e6', 'other', 'true'],
    ['e7', 'done ', 2],
    ['e8', ' activity_window_elapsed', 1],
  ] as const)
    assert.equal((await api.post(`/v1/claims/${id}/events`, { id: event, type, value })).status, 201)
  const { status, body } = await api.get(`/v1/claims/${id}/explanation`)
  assert.equal(status, 200)
  const at = (n: number) => `fulfillment_condition.conditions[${n}]`
  assert.deepEqual(body.hints, [
    {
      code: 'event_type_lookalike',
      path: at(0),
      message:
        '2 events, "e1" first, do not count as "done": the type "done " differs from it only by invisible characters: U+0020 SPACE at position 5.',
      event_ids: ['e1', 'e7'],
    },
    {
      code: 'event_type_lookalike',
      path: at(0),
      message:
        'The event "e3" does not count as "done": the type "\\u200bdone" differs from it only by invisible characters: U+200B ZERO WIDTH SPACE at position 1.',
      event_ids: ['e3'],
    },
    {
      code: 'event_type_lookalike',
      path: 'fulfillment_condition',
      message:
        'The event "e8" does not count as "activity_window_elapsed": the type " activity_window_elapsed" differs from it only by invisible characters: U+0020 SPACE at position 1.',
      event_ids: ['e8'],
    },
    {
      code: 'value_mismatch',
      path: at(1),
      message:
        '2 events, "e2" first, do not satisfy this: the first has the text "5" at "value", where a number of at least 4 is expected.',
      event_ids: ['e2', 'e4'],
    },
    {
      code: 'value_mismatch',
      path: at(2),
      message:
        'The event "e5" does not satisfy this: it has the text "true" at "value", where the boolean true is expected.',
      event_ids: ['e5'],
    },
  ])
  // The events are stored and evaluated as they were sent.
  assert.equal((await api.readClaim(id)).events[0].type, 'done ')
  for (const [type, value] of [
    ['done', 1],
    ['rated', 5],
    ['paid', true],
  ] as const)
    await api.post(`/v1/claims/${id}/events`, { type, value })
  const settled = (await api.get(`/v1/claims/${id}/explanation`)).body
  assert.equal(settled.status, 'PENDING')
  assert.deepEqual(
    settled.hints.map(({ event_ids }: { event_ids: string[] }) => event_ids[0]),
    ['e1', 'e3', 'e8'],
  )
})

test('a leaf names at most 10 of the events that satisfy it', async () => {
  const { id } = await api.claim(
    customer.id,
    contractWith({ fulfillment_condition: all({ event: 'a' }, { event: 'b' }) }),
  )
  for (let n = 0; n < 12; n++) await api.post('/v1/events', { claim_id: id, id: `a${n}`, type: 'a' })
  const { body } = await api.get(`/v1/claims/${id}/explanation`)
  assert.deepEqual(
    body.condition.conditions[0].satisfied_by,
    Array.from({ length: 10 }, (_, n) => `a${n}`),
  )
})

test('transitions name the event that settled the claim, and the window that elapsed', async () => {
  const test_clock_id = await clock()
  const candidate_alias = uniqueName('alias')
  await api.post('/v1/candidates', {
    candidate_alias,
    customer_uuid: customer.external_id,
    contract: contractWith({ review_window: 60 }),
    test_clock_id,
  })
  await api.post('/v1/events', { candidate_alias, id: 'before', type: 'other' })
  await api.post('/v1/events', { candidate_alias, id: 'it', type: 'done' })
  await advance(test_clock_id, '2026-01-02T00:00:00Z')
  const { body } = await api.get(`/v1/candidates/${candidate_alias}/explanation`)
  const { events } = (await api.get(`/v1/candidates/${candidate_alias}`)).body
  assert.deepEqual(body.transitions, [
    { from: 'OPEN', to: 'PENDING', at: '2026-01-01T00:00:00.000Z', because: { event_id: 'it' } },
    {
      from: 'PENDING',
      to: 'CONFIRMED',
      at: '2026-01-01T00:01:00.000Z',
      because: { window_elapsed: 'review_window', event_id: events[2].id },
    },
  ])
})

test('a claim that timed out says so', async () => {
  const test_clock_id = await clock()
  const contract = contractWith({ activity_window: 60, review_window: 0, timeout_outcome: 'confirm' })
  const { id } = (await api.post('/v1/claims', { customer_id: customer.id, contract, test_clock_id })).body
  await api.post('/v1/events', { claim_id: id, type: 'other' })
  await advance(test_clock_id, '2026-01-02T00:00:00Z')
  const { body } = await api.get(`/v1/claims/${id}/explanation`)
  assert.deepEqual(
    body.transitions.map(({ from, to, at, because }: Record<string, { window_elapsed: string }>) => [
      from,
      to,
      at,
      because?.window_elapsed,
    ]),
    [
      ['OPEN', 'PENDING', '2026-01-01T00:01:00.000Z', 'activity_window'],
      ['PENDING', 'CONFIRMED', '2026-01-01T00:02:00.000Z', 'review_window'],
    ],
  )
})

describe('the explanation of an extended contract (§2.1a)', () => {
  /** A claim on a clock of its own, with events at hours after midnight. */
  async function claimUnder(terms: Partial<Contract>) {
    const test_clock_id = await clock()
    const contract = contractWith({ activity_window: 36_000, review_window: 10_800, ...terms })
    const { id } = (await api.post('/v1/claims', { customer_id: customer.id, contract, test_clock_id })).body
    const at = (hour: number) => new Date(Date.UTC(2026, 0, 1) + hour * 3_600_000).toISOString()
    return {
      at,
      async submit(hour: number, event: string, type: string, payload: object = {}) {
        if (hour > 0) await advance(test_clock_id, at(hour))
        const { status } = await api.post(`/v1/claims/${id}/events`, { id: event, type, ...payload })
        assert.equal(status, 201, event)
      },
      advanceTo: (hour: number) => advance(test_clock_id, at(hour)),
      explain: async () => (await api.get(`/v1/claims/${id}/explanation`)).body,
    }
  }

  test('an aggregate has its value, the events that count and how many were left out, until the claim left OPEN', async () => {
    const fulfillment_condition = all(
      { event: 'delivered', match: { on_time: true }, aggregate: 'count', gte: 2 },
      { event: 'paid', field: 'amount', aggregate: 'sum', gt: 0.2 },
      { event: 'review', field: 'author', aggregate: 'distinct', gte: 2 },
    )
    const claim = await claimUnder({
      fulfillment_condition,
      review: { reversal_condition: { event: 'back' } },
    })
    await claim.submit(0, 'd1', 'delivered', { on_time: true })
    await claim.submit(0, 'd2', 'delivered', { on_time: false })
    await claim.submit(0, 'p1', 'paid', { amount: 0.1 })
    await claim.submit(0, 'p2', 'paid', { amount: 'much' })
    await claim.submit(0, 'p3', 'paid', { amount: 0.2 })
    await claim.submit(0, 'r1', 'review', { author: 'x' })
    await claim.submit(0, 'r2', 'review', { author: 'x' })
    const leaves = async () =>
      (await claim.explain()).condition.conditions.map(
        ({ satisfied, value, left_out, satisfied_by }: Record<string, unknown>) =>
          `${satisfied} ${value} ${left_out} ${satisfied_by}`,
      )
    assert.deepEqual(await leaves(), ['false 1 0 d1', 'true 0.3 1 p1,p3', 'false 1 0 r1,r2'])
    assert.equal((await claim.explain()).review, undefined)
    await claim.submit(0, 'r3', 'review', { author: 1 })
    await claim.submit(0, 'd3', 'delivered', { on_time: true })
    const settled = ['true 2 0 d1,d3', 'true 0.3 1 p1,p3', 'true 2 0 r1,r2,r3']
    assert.deepEqual(await leaves(), settled)
    await claim.submit(1, 'd4', 'delivered', { on_time: true })
    assert.deepEqual(await leaves(), settled)
  })

  test('a review shows what restarted it and what reversed it, and the transitions stay those of the claim', async () => {
    const claim = await claimUnder({
      review: {
        reversal_condition: { event: 'reopened', aggregate: 'count', gte: 2 },
        restart_on: { event: 'message' },
        max_duration: 5 * 3600,
      },
    })
    await claim.submit(0, 'early', 'reopened')
    await claim.submit(1, 'it', 'done')
    await claim.submit(2, 'm1', 'message')
    await claim.submit(3, 'r1', 'reopened')
    await claim.submit(4, 'm2', 'message')
    await claim.submit(4, 'n1', 'note')
    await claim.submit(5, 'r2', 'reopened')
    const toPending = { from: 'OPEN', to: 'PENDING', at: claim.at(1), because: { event_id: 'it' } }
    const reversed = await claim.explain()
    assert.deepEqual(reversed.condition, { event: 'done', satisfied: true, satisfied_by: ['it'] })
    assert.equal(reversed.scheduled_outcome, 'FAILED')
    assert.deepEqual(reversed.transitions, [toPending])
    assert.deepEqual(reversed.review, {
      reversal_condition: {
        event: 'reopened',
        aggregate: 'count',
        gte: 2,
        satisfied: true,
        satisfied_by: ['r1', 'r2'],
        value: '2',
        left_out: 0,
      },
      reversed_by: { event_id: 'r2', at: claim.at(5) },
      restarts: [
        { event_id: 'm1', at: claim.at(2), due_at: claim.at(5) },
        { event_id: 'm2', at: claim.at(4), due_at: claim.at(6) },
      ],
      restart_count: 2,
      due_at: claim.at(6),
      latest_due_at: claim.at(6),
    })
    await claim.advanceTo(7)
    const { transitions, review } = await claim.explain()
    assert.deepEqual(review, reversed.review)
    assert.deepEqual(
      transitions.map(({ to, at }: { to: string; at: string }) => `${to} ${at}`),
      [`PENDING ${claim.at(1)}`, `FAILED ${claim.at(6)}`],
    )
  })

  test('a review that begins with a timeout counts only the events after it', async () => {
    const claim = await claimUnder({
      timeout_outcome: 'confirm',
      review: { reversal_condition: { event: 'reopened' } },
    })
    await claim.submit(9, 'r1', 'reopened')
    await claim.submit(11, 'n1', 'note')
    const { transitions, review } = await claim.explain()
    assert.equal(transitions[0].because.window_elapsed, 'activity_window')
    assert.deepEqual(review, {
      reversal_condition: { event: 'reopened', satisfied: false, satisfied_by: [] },
      reversed_by: null,
      restarts: [],
      restart_count: 0,
      due_at: claim.at(13),
      latest_due_at: null,
    })
    await claim.submit(12, 'r2', 'reopened')
    assert.equal((await claim.explain()).review.reversed_by.event_id, 'r2')
  })

  test('late events are named with their lateness, for contracts of the five fields too (§2.1a rule 3)', async () => {
    for (const terms of [{}, { review: { reversal_condition: { event: 'b' } } }]) {
      const claim = await claimUnder({ ...terms, activity_window: 3_600.5 })
      await claim.submit(0.9, 'e1', 'note')
      assert.equal((await claim.explain()).late_events, undefined)
      await claim.submit(1 + 30 / 3_600, 'e2', 'note')
      await claim.submit(1 + 40.25 / 3_600, 'e3', 'other')
      const { late_events, late_event_count } = await claim.explain()
      assert.deepEqual(late_events, [
        { event_id: 'e2', late_by: 29.5 },
        { event_id: 'e3', late_by: 39.75 },
      ])
      assert.equal(late_event_count, 2)
      await claim.advanceTo(2)
      assert.deepEqual((await claim.explain()).late_events, late_events)
    }
  })

  test('what a strict deadline excludes satisfies nothing (§2.1a rule 4)', async () => {
    const claim = await claimUnder({ strict_deadline: true, activity_window: 3_600.5 })
    await claim.submit(1 + 30 / 3_600, 'e1', 'done')
    const { condition, late_events, status } = await claim.explain()
    assert.equal(status, 'OPEN')
    assert.deepEqual(condition, { event: 'done', satisfied: false, satisfied_by: [] })
    assert.deepEqual(late_events, [{ event_id: 'e1', late_by: 29.5 }])
  })

  test('an event of a type that is almost one of the contract’s is named with that type (§2.13 rule 8)', async () => {
    const claim = await claimUnder({
      fulfillment_condition: { event: 'delivered' },
      review: { reversal_condition: { event: 'complained' } },
    })
    await claim.submit(0, 'e1', 'deliverd')
    await claim.submit(0, 'e2', 'complained')
    assert.deepEqual(
      (await claim.explain()).hints.map(
        ({ code, event_ids }: Record<string, unknown>) => `${code} ${event_ids}`,
      ),
      ['event_type_unnamed e1'],
    )
  })
})
