import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aggregateValues, compareDecimals, decimalOf } from '../../simulate/model/aggregate.ts'
import { ClaimModel, MAX_EVENTS, RESERVED_PLACES } from '../../simulate/model/claim-model.ts'
import { type Condition, isSatisfied } from '../../simulate/model/condition.ts'
import { acceptsEvents, type Contract, needsEventIds } from '../../simulate/model/contract.ts'
import type { JsonObject } from '../../simulate/model/json.ts'
import { type WorkingHours, weekOf, workingTime } from '../../simulate/model/working-time.ts'
import { SOME_CONTRACT } from './some-contract.ts'

/* The simulator's own model of extended contracts, by the letter of the rules (§2.1a). */

const CREATED = Date.parse('2026-01-01T10:00:20.000Z')
const OPEN_S = 3_600

const reviewed = (more: Partial<Contract> = {}): Contract => ({
  price: 1,
  activity_window: OPEN_S,
  review_window: 100,
  fulfillment_condition: { event: 'resolved' },
  timeout_outcome: 'confirm',
  review: {
    reversal_condition: { event: 'reopened' },
    restart_on: { event: 'message' },
    max_duration: 250,
  },
  ...more,
})

/** Types of events, or with their payloads, at seconds since the creation. */
type Step = [seconds: number, type: string, payload?: JsonObject]

function after(contract: Contract, ...steps: Step[]): { model: ClaimModel; results: string[] } {
  const model = new ClaimModel(contract, CREATED)
  const results = steps.map(([seconds, type, payload = {}]) => {
    const result = model.submit({ type, payload, system: false }, CREATED + seconds * 1000)
    if (result.kind !== 'recorded') return result.kind
    return `${result.effect ?? 'recorded'}${result.lateMs === null ? '' : `, ${result.lateMs / 1000} s late`}`
  })
  return { model, results }
}

const dueAfter = ({ state }: ClaimModel) => ((state.due_at as number) - CREATED) / 1000

test('an event in review reverses the outcome for good, and changes nothing else', () => {
  const { model, results } = after(
    reviewed(),
    [10, 'resolved'],
    [20, 'noise'],
    [30, 'reopened'],
    [40, 'message'],
    [50, 'reopened'],
  )
  assert.deepEqual(results, ['satisfied', 'recorded', 'reversed', 'not open', 'not open'])
  assert.deepEqual(model.state, {
    status: 'PENDING',
    status_since: CREATED + 10_000,
    scheduled_outcome: 'FAILED',
    due_at: CREATED + 110_000,
  })
  model.elapse(CREATED + 120_000)
  assert.equal(model.state.status, 'FAILED')
})

test('the reversal condition sees only what came after the claim became PENDING', () => {
  const both: Condition = {
    op: 'AND',
    conditions: [{ event: 'reopened' }, { event: 'complaint', aggregate: 'count', gte: 2 }],
  }
  const contract = reviewed({ review: { reversal_condition: both } })
  const { results } = after(
    contract,
    [1, 'complaint'],
    [2, 'reopened'],
    [10, 'resolved'],
    [20, 'complaint'],
    [30, 'reopened'],
    [40, 'complaint'],
  )
  assert.deepEqual(results, ['recorded', 'recorded', 'satisfied', 'recorded', 'recorded', 'reversed'])
})

test('after a timeout a claim accepts events if it is scheduled to be CONFIRMED', () => {
  for (const [timeout_outcome, accepts] of [
    ['confirm', true],
    ['fail', false],
  ] as const) {
    const contract = reviewed({ timeout_outcome })
    const { model } = after(contract)
    model.elapse(CREATED + OPEN_S * 1000 + 40_000)
    assert.equal(acceptsEvents(contract, model.state), accepts)
    const { kind } = model.submit(
      { type: 'reopened', payload: {}, system: false },
      CREATED + OPEN_S * 1000 + 50_000,
    )
    assert.equal(kind, accepts ? 'recorded' : 'not open')
  }
})

test('a restart gives a whole review window, up to the maximum and never back', () => {
  const { model, results } = after(reviewed(), [10, 'resolved'], [50, 'message'])
  assert.deepEqual(results, ['satisfied', 'restarted'])
  assert.equal(dueAfter(model), 150)
  const capped = after(reviewed(), [10, 'resolved'], [100, 'message'], [190, 'message']).model
  assert.equal(dueAfter(capped), 260)
  assert.equal(capped.state.status_since, CREATED + 10_000)
})

test('an event that reverses does not restart, and a restart forgets no event', () => {
  const contract = reviewed({
    review: {
      reversal_condition: { event: 'message', aggregate: 'count', gte: 2 },
      restart_on: { event: 'message' },
      max_duration: 1_000,
    },
  })
  const { model, results } = after(contract, [10, 'resolved'], [20, 'message'], [30, 'message'])
  assert.deepEqual(results, ['satisfied', 'restarted', 'reversed'])
  assert.equal(dueAfter(model), 120)
})

test('a late event decides but moves no window', () => {
  const { model, results } = after(
    reviewed(),
    [OPEN_S, 'noise'],
    [OPEN_S + 1, 'resolved'],
    [OPEN_S + 101, 'message'],
    [OPEN_S + 102.5, 'reopened'],
  )
  assert.deepEqual(results, [
    'recorded, 0 s late',
    'satisfied, 1 s late',
    'recorded, 0 s late',
    'reversed, 1.5 s late',
  ])
  assert.equal(dueAfter(model), OPEN_S + 101)
})

test('with a strict deadline a late event is recorded and is part of no evaluation', () => {
  const both: Condition = { op: 'AND', conditions: [{ event: 'resolved' }, { event: 'paid' }] }
  const contract = reviewed({ strict_deadline: true, fulfillment_condition: both })
  assert.deepEqual(after(contract, [1, 'paid'], [OPEN_S, 'resolved']).results, [
    'recorded',
    'recorded, 0 s late',
  ])
  const inReview = after(contract, [1, 'paid'], [10, 'resolved'], [110, 'reopened'], [111, 'message'])
  assert.deepEqual(inReview.results, ['recorded', 'satisfied', 'recorded, 0 s late', 'recorded, 1 s late'])
  assert.equal(inReview.model.state.scheduled_outcome, 'CONFIRMED')
})

test('a condition that is true from the start is settled by the first event that is not late', () => {
  const contract: Contract = {
    ...SOME_CONTRACT,
    fulfillment_condition: { event: 'outage', aggregate: 'count', lte: 2 },
  }
  assert.deepEqual(after(contract, [1, 'noise']).results, ['satisfied'])
  assert.deepEqual(after({ ...contract, strict_deadline: true }, [60, 'noise']).results, [
    'recorded, 0 s late',
  ])
})

test('two places of a log are kept for the event that reverses', () => {
  const { model } = after(reviewed(), [0, 'resolved'])
  const submit = (type: string) => model.submit({ type, payload: {}, system: false }, CREATED + 1_000).kind
  while (model.items < MAX_EVENTS - RESERVED_PLACES) assert.equal(submit('noise'), 'recorded')
  assert.equal(submit('noise'), 'log full')
  assert.equal(submit('message'), 'log full')
  assert.equal(submit('reopened'), 'recorded')
  assert.equal(model.state.scheduled_outcome, 'FAILED')
})

test('review and aggregates need ids of the caller, and nothing else does', () => {
  const counted: Condition = { event: 'delivered', aggregate: 'count', gte: 5 }
  assert.ok(needsEventIds(reviewed()))
  assert.ok(
    needsEventIds({
      ...SOME_CONTRACT,
      fulfillment_condition: { op: 'NOT', condition: { op: 'OR', conditions: [counted] } },
    }),
  )
  assert.ok(!needsEventIds({ ...SOME_CONTRACT, strict_deadline: true }))
  assert.ok(!needsEventIds(SOME_CONTRACT))
})

const decimalsEqual = (a: number, b: number) => compareDecimals(decimalOf(a), decimalOf(b)) === 0

test('aggregates are exact decimals, and leave out what has no value', () => {
  const sum = aggregateValues('sum', [0.1, 0.2, '7', null, undefined, -1e-7, 1e21])
  assert.equal(compareDecimals(sum, { digits: 10n ** 28n + 2_999_999n, scale: 7 }), 0)
  assert.equal(aggregateValues('count', [undefined, 1, 1]).digits, 3n)
  assert.equal(
    aggregateValues('distinct', [1, 1.0, '1', true, 'true', true, null, {}, [1], undefined]).digits,
    4n,
  )
  for (const aggregate of ['count', 'sum', 'distinct'] as const) {
    assert.equal(aggregateValues(aggregate, []).digits, 0n)
  }
  assert.ok(decimalsEqual(1e3, 1000) && decimalsEqual(-0, 0) && !decimalsEqual(5e-324, 0))
})

test('the comparators of an aggregateValues leaf compare the aggregate and nothing else', () => {
  const log = [0.1, 0.2, 5].map((minutes, i) => ({
    type: 'outage',
    payload: { minutes, planned: i === 2 },
    system: false,
  }))
  const leaf = { event: 'outage', match: { planned: false }, field: 'minutes', aggregate: 'sum' } as const
  assert.ok(isSatisfied({ ...leaf, eq: 0.3 }, log))
  assert.ok(!isSatisfied({ ...leaf, gt: 0.3 }, log))
  assert.ok(isSatisfied({ event: 'other', aggregate: 'count', eq: 0 }, log))
  assert.ok(isSatisfied({ event: 'outage', aggregate: 'count', gte: 3, lte: 3 }, log))
})

const stoppable = (more: Partial<Contract> = {}): Contract =>
  reviewed({ clock: { pause_on: { event: 'asked' }, resume_on: { event: 'answered' } }, ...more })

test('a stopped clock keeps what is left, and an event that settles the claim does not continue it', () => {
  const { model, results } = after(stoppable(), [100, 'asked'], [200, 'asked'], [900, 'answered'])
  assert.deepEqual(results, ['paused', 'recorded', 'resumed'])
  assert.equal(dueAfter(model), 900 + OPEN_S - 100)
  const paused = after(stoppable(), [100, 'asked']).model.state
  assert.deepEqual(
    [paused.due_at, paused.paused_since, paused.remaining],
    [null, CREATED + 100_000, OPEN_S - 100],
  )
  const settled = after(stoppable(), [100, 'asked'], [10 * OPEN_S, 'resolved'])
  assert.deepEqual(settled.results, ['paused', 'satisfied'])
  assert.equal(settled.model.state.paused_since, undefined)
  assert.deepEqual(after(stoppable(), [OPEN_S, 'asked']).results, ['recorded, 0 s late'])
})

test('two places of a log are kept for what continues or settles a stopped claim', () => {
  for (const [type, effect] of [
    ['answered', 'resumed'],
    ['resolved', 'satisfied'],
  ] as const) {
    const { model } = after(stoppable(), [0, 'asked'])
    const submit = (type: string) => model.submit({ type, payload: {}, system: false }, CREATED + 1_000)
    while (model.items < MAX_EVENTS - RESERVED_PLACES) assert.equal(submit('noise').kind, 'recorded')
    assert.equal(submit('noise').kind, 'log full')
    assert.deepEqual(submit(type), { kind: 'recorded', effect, lateMs: null })
  }
})

/** Half an hour of each day in Berlin, where clocks go back at 03:00 of 2026-10-25. */
const HOURS: WorkingHours = {
  time_zone: 'Europe/Berlin',
  weekly: weekOf([['02:15', '02:45']]),
  holidays: ['2026-10-26', '2026-10-27'],
  exceptions: { '2026-10-27': [['12:00', '12:10']] },
}

test('working time is what the local clock shows, minute by minute', () => {
  const time = workingTime(HOURS)
  const from = Date.parse('2026-10-25T00:00:00Z')
  const pieces = [...time.pieces(from, Date.parse('2026-10-28T00:00:00Z'))].map(({ from, until }) =>
    [from, until].map((at) => new Date(at).toISOString().slice(5, 16)),
  )
  assert.deepEqual(pieces, [
    ['10-25T00:15', '10-25T00:45'],
    ['10-25T01:15', '10-25T01:45'],
    ['10-27T11:00', '10-27T11:10'],
  ])
  assert.equal(time.end(from, 60 * 60_000), Date.parse('2026-10-25T01:45:00Z'))
  assert.equal(time.end(from, 60 * 60_000 + 1), Date.parse('2026-10-27T11:00:00.001Z'))
  assert.equal(time.end(from, 0), from)
})
