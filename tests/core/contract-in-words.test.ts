import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { shortDuration } from '../../dashboard/src/format/short-duration.ts'
import { sumAmounts } from '../../dashboard/src/format/sum-amounts.ts'
import {
  conditionInWords,
  contractInWords,
  durationInWords,
  eventInWords,
} from '../../src/core/contracts/contract-in-words.ts'
import { all, any, contractWith, not } from '../support/contracts.ts'
import { EventLog, type Evidence } from '../support/source/claims.ts'
import type { Condition, EventTrigger, Leaf } from '../support/source/contracts.ts'
import type { JsonObject } from '../support/source/json.ts'

test('the sentences of a contract: price, condition and deadline, timeout outcome, review', () => {
  const contract = contractWith({
    price: 49.5,
    activity_window: 86_400,
    review_window: 7_200,
    fulfillment_condition: all({ event: 'ticket_resolved' }, { event: 'satisfaction', gte: 4 }),
    timeout_outcome: 'fail',
  })
  assert.deepEqual(contractInWords(contract), [
    'The claim is worth 49.50.',
    'It is to be CONFIRMED once, within 1 day of its opening, “ticket_resolved” has arrived and “satisfaction” with a value of at least 4 has arrived.',
    'If that does not happen in time, it is to be FAILED.',
    'The outcome is then under review for 2 hours before it is final.',
  ])
})

test('a contract without review that confirms by itself says so', () => {
  const words = contractInWords(contractWith({ review_window: 0, timeout_outcome: 'confirm' })).join(' ')
  assert.match(words, /If that does not happen in time, it is to be CONFIRMED\./)
  assert.match(words, /There is no review/)
})

test('a review that can be lost or restarted, and a strict deadline, have sentences of their own (§2.1a)', () => {
  const described = (terms: Parameters<typeof contractWith>[0]) =>
    contractInWords(contractWith({ review_window: 259_200, ...terms })).slice(3)
  const review = 'The outcome is then under review for 3 days before it is final.'
  const reopened = { event: 'ticket_reopened' }
  assert.deepEqual(described({ review: { reversal_condition: reopened } }), [
    review,
    'CONFIRMED stands unless, within 3 days, “ticket_reopened” has arrived: then it becomes FAILED.',
  ])
  const restart_on = any({ event: 'message' }, { event: 'rated', lt: 3 }) as EventTrigger
  assert.deepEqual(
    described({
      strict_deadline: true,
      review: { reversal_condition: any(reopened, { event: 'refund' }), restart_on, max_duration: 604_800 },
    }),
    [
      review,
      'Each “message” or “rated” with a value of less than 3 begins the review of a CONFIRMED outcome anew, for 7 days in all at most.',
      'CONFIRMED stands unless, within the review, either “ticket_reopened” has arrived or “refund” has arrived: then it becomes FAILED.',
      'An event after the end of a window changes nothing.',
    ],
  )
  assert.deepEqual(described({ strict_deadline: false }), [review])
  assert.match(
    described({ review: { restart_on: { event: 'message' }, max_duration: 604_800 } }).join(' '),
    /Each “message” begins the review/,
  )
})

test('aggregates are described as counts, sums or distinct values (§2.1a)', () => {
  const delivered = { event: 'delivered', aggregate: 'count' } as const
  assert.equal(conditionInWords({ ...delivered, gte: 5 }), 'at least 5 “delivered” have arrived')
  assert.equal(conditionInWords({ ...delivered, gte: 1 }), 'at least 1 “delivered” has arrived')
  assert.equal(conditionInWords({ ...delivered, gt: 1 }), 'more than 1 “delivered” have arrived')
  assert.equal(
    conditionInWords({ ...delivered, match: { on_time: true }, gte: 5, lt: 8 }),
    'at least 5 and less than 8 “delivered” with on_time = true have arrived',
  )
  assert.equal(
    conditionInWords({ event: 'outage_ended', field: 'minutes', aggregate: 'sum', gt: 43 }),
    'the sum of minutes of “outage_ended” is more than 43',
  )
  assert.equal(
    conditionInWords({ event: 'review', field: 'author', aggregate: 'distinct', gte: 3 }),
    'at least 3 different values of author of “review” have arrived',
  )
  assert.equal(conditionInWords(not({ ...delivered, gte: 5 })), 'not: (at least 5 “delivered” have arrived)')
  assert.equal(
    eventInWords({ event: 'outage_ended', field: 'minutes', aggregate: 'sum', gt: 43 }),
    '“outage_ended” with a sum of minutes of more than 43',
  )
})

test('alternatives within a list are set in brackets, so that none is read with the wrong neighbour', () => {
  const [a, b, c] = [{ event: 'a' }, { event: 'b' }, { event: 'c' }]
  assert.equal(conditionInWords(any(a, b)), 'either “a” has arrived or “b” has arrived')
  assert.equal(
    conditionInWords(all(a, any(b, c))),
    '“a” has arrived and (either “b” has arrived or “c” has arrived)',
  )
  assert.equal(conditionInWords(all(a, b, c)), '“a” has arrived, “b” has arrived, and “c” has arrived')
})

test('a negated condition is described without a double negation', () => {
  assert.equal(
    conditionInWords(not({ event: 'complaint', gt: 3 })),
    'no “complaint” with a value of more than 3 has arrived',
  )
  assert.equal(conditionInWords(not(not({ event: 'a' }))), '“a” has arrived')
  assert.equal(
    conditionInWords(not(all({ event: 'a' }, { event: 'b' }))),
    'not: (“a” has arrived and “b” has arrived)',
  )
})

test('payload conditions are described: match, nested match, field and range', () => {
  assert.equal(
    conditionInWords({ event: 'delivered', match: { country: 'DE', by: { name: 'DHL' } } }),
    '“delivered” with country = "DE" and by.name = "DHL" has arrived',
  )
  assert.equal(
    conditionInWords({ event: 'answer', match: 'yes' }),
    '“answer” with the value "yes" has arrived',
  )
  assert.equal(
    conditionInWords({ event: 'photo', field: 'size.width', gte: 100, lt: 200 }),
    '“photo” with a size.width of at least 100 and less than 200 has arrived',
  )
})

test('an empty AND is described as always satisfied, an empty OR as never', () => {
  assert.equal(conditionInWords(all()), 'any event has arrived')
  assert.equal(conditionInWords(any()), '(never: no alternative is named)')
  assert.equal(conditionInWords(all({ event: 'a' })), '“a” has arrived')
})

test('ambiguous names are described as JSON', () => {
  assert.equal(conditionInWords({ event: 'a” has arrived and “b' }), '"a” has arrived and “b" has arrived')
  assert.equal(conditionInWords({ event: 'a\u202eb' }), '"a\\u202eb" has arrived')
  const withPath = { event: 'signed', match: { by: { role: 1 }, 'by.role': 2 }, field: 'size of.x', gt: 3 }
  assert.equal(
    conditionInWords(withPath),
    '“signed” with by.role = 1 and "by.role" = 2 and a "size of".x of more than 3 has arrived',
  )
})

test('invisible characters are described by their code point', () => {
  assert.equal(conditionInWords({ event: 'a\u2028\u3164\u00a0 b' }), '"a\\u2028\\u3164\\u00a0 b" has arrived')
  assert.equal(
    conditionInWords({ event: 'a', match: { '\u3164': '\u2029' } }),
    '“a” with "\\u3164" = "\\u2029" has arrived',
  )
})

test('system events satisfy nothing (§2.2 rule 3)', () => {
  const elapsed = { event: 'activity_window_elapsed', gte: 1 }
  assert.equal(conditionInWords(elapsed), '(never: “activity_window_elapsed” satisfies nothing)')
  assert.equal(conditionInWords(not(elapsed)), 'not: (never: “activity_window_elapsed” satisfies nothing)')
})

test('an empty object is described as any object', () => {
  assert.equal(
    conditionInWords({ event: 'signed', match: { by: {}, of: [] } }),
    '“signed” with any object as by and of = [] has arrived',
  )
})

test('a negated condition is separated from its siblings', () => {
  const c = { event: 'c' }
  assert.equal(conditionInWords(all(not(all({ event: 'a' })), c)), 'no “a” has arrived and “c” has arrived')
  assert.equal(
    conditionInWords(all(not(any()), c)),
    'not: (never: no alternative is named) and “c” has arrived',
  )
  assert.equal(
    conditionInWords(all(not(any({ event: 'a' }, { event: 'b' })), c)),
    'not: (either “a” has arrived or “b” has arrived) and “c” has arrived',
  )
})

test('conditions of the same words are judged alike', () => {
  const condition = fc.letrec<{ node: Condition }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      fc.record(
        {
          event: fc.constantFrom('a', 'b', 'a” has arrived and “b', 'a” with x = 1', 'c'),
          match: fc.constantFrom<NonNullable<Leaf['match']>[]>(
            1,
            '1',
            {},
            { x: 1 },
            { x: {} },
            { x: [] },
            { x: { y: 1 } },
            { 'x.y': 1 },
            { x: { y: 1, z: 1 } },
            { 'x = 1 and y': 1 },
            { x: 1, y: 1 },
          ),
          field: fc.constantFrom('x', 'x.y', 'value'),
          gt: fc.constantFrom(0, 1),
        },
        { requiredKeys: ['event'] },
      ),
      fc.record(
        {
          event: fc.constantFrom('a', 'a” with x = 1'),
          match: fc.constantFrom({ x: 1 }, { x: {} }),
          field: fc.constantFrom('x', 'x.y', 'value'),
          aggregate: fc.constantFrom('count' as const, 'sum' as const, 'distinct' as const),
          gt: fc.constantFrom(0, 1),
          lte: fc.constantFrom(1, 2),
        },
        { requiredKeys: ['event', 'aggregate', 'gt'] },
      ),
      fc.record({
        op: fc.constantFrom('AND' as const, 'OR' as const),
        conditions: fc.array(tie('node'), { maxLength: 3 }),
      }),
      fc.record({ op: fc.constant('NOT' as const), condition: tie('node') }),
    ),
  })).node
  const event = fc.record({
    type: fc.constantFrom('a', 'b', 'a” has arrived and “b', 'a” with x = 1', 'c'),
    payload: fc.constantFrom<JsonObject[]>(
      {},
      { value: 1 },
      { value: '1' },
      { x: 1 },
      { x: 2 },
      { x: {} },
      { x: [] },
      { x: { y: 1 } },
      { x: { y: 1, z: 1 } },
      { 'x.y': 1 },
      { 'x = 1 and y': 1 },
      { x: 1, y: 1 },
    ),
    system: fc.constant(false),
  })
  const seed = 7
  const logs = fc.sample(fc.array(event, { maxLength: 4 }), { numRuns: 60, seed })
  const judged = new Map<string, { condition: Condition; verdicts: string }>()
  for (const one of fc.sample(condition, { numRuns: 10_000, seed })) {
    const words = conditionInWords(one)
    const verdicts = logs.map((log) => (isSatisfied(one, log) ? 1 : 0)).join('')
    const other = judged.get(words)
    if (other && other.verdicts !== verdicts)
      assert.fail(`${words}: ${JSON.stringify(one)} and ${JSON.stringify(other.condition)}`)
    judged.set(words, { condition: one, verdicts })
  }
  assert.ok(judged.size > 500)
})

const isSatisfied = (condition: Condition, log: readonly Evidence[]): boolean =>
  EventLog.of(condition, log).satisfiesCondition

test('durations are exact in words, as windows count: in whole milliseconds, rounded up', () => {
  assert.equal(durationInWords(0.0001), '0.001 seconds')
  assert.equal(durationInWords(1.0011), '1.002 seconds')
  assert.equal(durationInWords(59.9996), '1 minute')
  assert.equal(durationInWords(86_399.9999), '1 day')
  assert.equal(durationInWords(1.1), '1.1 seconds')
  assert.equal(durationInWords(3_155_760_000), '36,525 days')
})

test('durations are described in words, and abbreviated in tables', () => {
  assert.equal(durationInWords(0), 'no time')
  assert.equal(durationInWords(1), '1 second')
  assert.equal(durationInWords(93_780.5), '1 day 2 hours 3 minutes 0.5 seconds')
  assert.equal(durationInWords(2_592_000), '30 days')
  assert.equal(shortDuration(93_780_000), '1d 02h')
  assert.equal(shortDuration(125_000), '2m 05s')
})

test('amounts are added exactly, where floating point would not', () => {
  assert.equal(sumAmounts(['0.1', '0.2', '1000000000000.07']), '1000000000000.37')
  assert.equal(sumAmounts(['5', '7']), '12')
  assert.equal(sumAmounts([]), '0')
})
