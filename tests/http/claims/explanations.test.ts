import assert from 'node:assert/strict'
import { test } from 'node:test'
import { all, any, contractWith, not } from '../../support/contracts.ts'
import { newCustomer, uniqueName } from '../../support/new-records.ts'
import { sharedService } from '../../support/shared.ts'

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
  })
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
