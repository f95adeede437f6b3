import assert from 'node:assert/strict'
import { test } from 'node:test'
import { all, any, contractWith, not } from '../support/contracts.ts'
import { newCustomer, uniqueName } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'

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
