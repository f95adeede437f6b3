import assert from 'node:assert/strict'
import { test } from 'node:test'
import { all, any, contractWith, not } from '../support/contracts.ts'
import {
  type Condition,
  type Contract,
  findLogHints,
  type Leaf,
  type LogHint,
} from '../support/source/contracts.ts'
import type { Json, JsonObject } from '../support/source/json.ts'

interface Sent {
  type: string
  payload?: JsonObject
}

const hintsTo = (condition: Condition, sent: readonly Sent[]): LogHint[] =>
  hintsToContract(contractWith({ fulfillment_condition: condition }), sent)

function hintsToContract(contract: Contract, sent: readonly Sent[], isInReview = false): LogHint[] {
  const events = sent.map(({ type, payload = {} }, i) => ({ id: `e${i + 1}`, type, payload, isInReview }))
  const steps = findLogHints(contract, events)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** A leaf on `a`, the payload of an event of that type, and the reason in the hint; null for no hint. */
const PAYLOADS: [leaf: Omit<Leaf, 'event'>, payload: JsonObject, why: string | null][] = [
  [{ gte: 4 }, { value: '5' }, 'the text "5" at "value", where a number of at least 4 is expected'],
  [{ gte: 4 }, { value: '4,5' }, 'the text "4,5" at "value", where a number of at least 4 is expected'],
  [{ gte: 4 }, { value: true }, 'the boolean true at "value"'],
  [{ gte: 4 }, { value: null }, 'null at "value"'],
  [{ gte: 4 }, { value: [5] }, 'an array at "value"'],
  [{ gte: 4 }, { value: { amount: 5 } }, 'an object at "value"'],
  [{ gte: 4 }, {}, 'nothing at "value"'],
  [{ gte: 4 }, { value: 3 }, null],
  [{ gte: 4 }, { value: 5 }, null],
  [
    { field: 'o.n', gt: 1, lt: 3 },
    { o: { n: '2' } },
    'the text "2" at "o.n", where a number of more than 1 and less than 3',
  ],
  [
    { field: 'o.n', gt: 1 },
    { 'o.n': 2 },
    'the key "o.n", but a dot in a path separates keys of nested objects',
  ],
  [
    { field: 'o.n', gt: 1 },
    { o: { N: 2 } },
    'the key "N" in place of "n", and they differ only by letter case',
  ],
  [
    { field: 'n', gt: 1 },
    { 'n ': 2 },
    'the key "n " in place of "n", and they differ only by invisible characters',
  ],
  [{ gt: 1 }, { Value: 0 }, null],
  [{ match: { paid: true } }, { '\ufeffpaid': true }, 'the key "\\ufeffpaid" in place of "paid"'],
  [{ match: { paid: true } }, { Paid: false }, null],
  [{ match: true }, { value: 'true' }, 'the text "true" at "value", where the boolean true is expected'],
  [{ match: true }, { value: 1 }, 'the number 1 at "value", where the boolean true is expected'],
  [{ match: true }, { value: false }, null],
  [{ match: 'true' }, { value: true }, 'the boolean true at "value", where the text "true" is expected'],
  [{ match: 5 }, { value: '5' }, 'the text "5" at "value", where the number 5 is expected'],
  [{ match: '5' }, { value: 5 }, 'the number 5 at "value", where the text "5" is expected'],
  [
    { match: 'paid' },
    { value: 'paid ' },
    'they differ only by invisible characters: U+0020 SPACE at position 5',
  ],
  [{ match: 'paid' }, { value: 'Paid' }, 'they differ only by letter case'],
  [{ match: 'paid' }, { value: 'open' }, null],
  [{ match: 'paid' }, {}, null],
  [{ match: 'paid' }, { value: null }, null],
  [{ match: { by: { role: 'x', n: 1 } } }, { by: { role: 'x', n: '1' } }, 'the text "1" at "by.n"'],
  [{ match: { by: { role: 'x', n: 1 } } }, { by: { role: 'y', n: '1' } }, null],
  [{ match: { by: { role: 'x' } } }, { by: 'x' }, null],
  [{ match: { by: {} } }, { by: 'x' }, 'the text "x" at "by", where an object is expected'],
  [{ match: { tags: [1, 'a'] } }, { tags: ['1', 'a'] }, 'the text "1" at "tags"'],
  [{ match: { tags: [1, 'a'] } }, { tags: [1, 'b'] }, null],
  [{ match: { tags: [1] } }, { tags: [1] }, null],
  [{ match: { kind: 'x' }, gte: 4 }, { kind: 'x', value: '5' }, 'the text "5" at "value"'],
  [{ match: { kind: 'x' }, gte: 4 }, { kind: 'y', value: '5' }, null],
  [{ match: { kind: 'x' }, gte: 4 }, { kind: 'x ', value: 2 }, null],
  [{ match: { n: 1 } }, { n: { toString: 1 } }, 'an object at "n"'],
  [{ field: 'constructor', gte: 4 }, { value: 5 }, 'nothing at "constructor"'],
]

for (const [leaf, payload, why] of PAYLOADS) {
  test(`of ${JSON.stringify(payload)} under ${JSON.stringify(leaf)} is said: ${why ?? 'nothing'} (§2.13 rule 7)`, () => {
    const hints = hintsTo(all({ event: 'b' }, { event: 'a', ...leaf }), [{ type: 'a', payload }])
    if (why === null) return assert.deepEqual(hints, [])
    const [hint] = hints
    assert.equal(hints.length, 1)
    assert.equal(hint?.code, 'value_mismatch')
    assert.equal(hint?.path, 'fulfillment_condition.conditions[1]')
    assert.deepEqual(hint?.event_ids, ['e1'])
    assert.ok(hint?.message.startsWith('The event "e1" does not satisfy this: it has '), hint?.message)
    assert.ok(hint?.message.includes(why), hint?.message)
  })
}

test('a leaf that an event satisfies has no value_mismatch, also under a NOT (§2.13 rule 7)', () => {
  const [five, text] = [
    { type: 'a', payload: { value: 5 } },
    { type: 'a', payload: { value: '5' } },
  ]
  const leaf = { event: 'a', gte: 4 }
  assert.deepEqual(hintsTo(any(leaf), [text, five]), [])
  assert.deepEqual(hintsTo(any(leaf), [five, text]), [])
  assert.equal(hintsTo(not(leaf), [text])[0]?.path, 'fulfillment_condition.condition')
  assert.deepEqual(hintsTo(not(leaf), [text, five]), [])
})

test('a hint names the first ten events, and a log has at most twenty hints (§2.13 rule 7)', () => {
  const text = { type: 'a', payload: { value: '5' } }
  const [many] = hintsTo({ event: 'a', gte: 4 }, Array(12).fill(text))
  assert.equal(many?.event_ids.length, 10)
  assert.match(
    many?.message ?? '',
    /^10 or more events, "e1" first, do not satisfy this: the first has the text/,
  )
  const leaves = Array.from({ length: 30 }, (_, n) => ({ event: 'a', gte: n }))
  assert.equal(hintsTo(all(...leaves), [text]).length, 20)
})

test('an event whose type differs by invisible characters gives a hint at the leaf that it misses (§2.13 rule 6)', () => {
  const condition = all({ event: 'done' }, { event: 'caf\u00e9' })
  const types = ['done ', 'other', 'cafe\u0301', 'done ', ' activity_window_elapsed', 'DONE']
  const hints = hintsTo(
    condition,
    types.map((type) => ({ type })),
  )
  assert.deepEqual(
    hints.map(({ code, path, event_ids }) => [code, path.replace('fulfillment_condition', ''), event_ids]),
    [
      ['event_type_lookalike', '.conditions[0]', ['e1', 'e4']],
      ['event_type_lookalike', '.conditions[1]', ['e3']],
      ['event_type_lookalike', '', ['e5']],
      ['event_type_lookalike', '.conditions[0]', ['e6']],
    ],
  )
  assert.equal(
    hints[0]?.message,
    '2 events, "e1" first, do not count as "done": the type "done " differs from it only by invisible characters: U+0020 SPACE at position 5.',
  )
  // Letter case may be intentional if events of both types exist.
  const both = ['done', 'DONE', 'done\u200b'].map((type) => ({ type }))
  assert.deepEqual(
    hintsTo(condition, both).map(({ event_ids }) => event_ids),
    [['e3']],
  )
})

test('an event of a type that the contract does not name gives a hint if a named type is like it (§2.13 rule 8)', () => {
  const contract = contractWith({
    fulfillment_condition: all({ event: 'delivered' }, { event: 'paid' }),
    review: { reversal_condition: { event: 'complained' } },
  })
  const hintsOfTypes = (...types: string[]) =>
    hintsToContract(
      contract,
      types.map((type) => ({ type })),
    )
  assert.deepEqual(hintsOfTypes('deliverd', 'other', 'deliverd', 'complaned', 'complained'), [
    {
      code: 'event_type_unnamed',
      path: 'fulfillment_condition.conditions[0]',
      message:
        '2 events, "e1" first, do not count: the contract does not name the type "deliverd". Perhaps "delivered" is meant.',
      event_ids: ['e1', 'e3'],
    },
    {
      code: 'event_type_unnamed',
      path: 'review.reversal_condition',
      message:
        'The event "e4" does not count: the contract does not name the type "complaned". Perhaps "complained" is meant.',
      event_ids: ['e4'],
    },
  ])
  // Both types may exist on purpose.
  assert.deepEqual(hintsOfTypes('deliverd', 'delivered'), [])
})

test('events are compared with the condition that judges them: while OPEN or in review (§2.13 rule 9)', () => {
  const contract = contractWith({
    fulfillment_condition: { event: 'rated', gte: 4 },
    review: {
      reversal_condition: { event: 'reopened', match: true },
      restart_on: { event: 'rated', lt: 2 },
      max_duration: 900,
    },
  })
  const reopened = { type: 'reopened', payload: { value: 'true' } }
  const rated = { type: 'rated', payload: { value: '5' } }
  assert.deepEqual(
    hintsToContract(contract, [reopened, rated]).map(({ path }) => path),
    ['fulfillment_condition'],
  )
  const pausing = contractWith({
    clock: { pause_on: { event: 'reopened', match: true }, resume_on: { event: 'answered' } },
  })
  assert.deepEqual(
    hintsToContract(pausing, [reopened]).map(({ path }) => path),
    ['clock.pause_on'],
  )
  assert.deepEqual(hintsToContract(pausing, [reopened], true), [])
  assert.deepEqual(
    hintsToContract(contract, [reopened, rated], true).map(({ path }) => path),
    ['review.reversal_condition', 'review.restart_on'],
  )
})

test('an event that an aggregate leaves out because of a type gives a hint, whether or not it is within its bounds (§2.1a)', () => {
  const why = (leaf: object, ...values: Json[]) =>
    hintsTo(
      { event: 'a', field: 'n', ...leaf } as Leaf,
      values.map((n) => ({ type: 'a', payload: { n } })),
    ).map(({ message }) => message)
  assert.deepEqual(why({ aggregate: 'sum', lte: 43 }, 5, '44'), [
    'The event "e2" does not count here: it has the text "44" at "n", where a number is expected.',
  ])
  assert.deepEqual(why({ aggregate: 'distinct', gte: 2 }, 'x', 1, true, [2]), [
    'The event "e4" does not count here: it has an array at "n", where a text, a number or a boolean is expected.',
  ])
  assert.deepEqual(why({ aggregate: 'sum', gte: 100 }, 5), [])
  assert.deepEqual(hintsTo({ event: 'a', aggregate: 'count', gte: 5 }, [{ type: 'a' }]), [])
})

test('hints to a large log compare a bounded number of values (§2.13 rule 7)', (t) => {
  const match = Object.fromEntries(Array.from({ length: 1_000 }, (_, k) => [`k${k}`, k]))
  const condition = all(
    ...Array.from({ length: 5 }, (_, n) => ({ event: 'a', match: { ...match, last: n } })),
  )
  const before = process.cpuUsage()
  const payload = { ...match, last: -1 }
  assert.deepEqual(hintsTo(condition, Array(100).fill({ type: 'a', payload })), [])
  const ms = process.cpuUsage(before).user / 1_000
  t.diagnostic(`${ms.toFixed(1)} ms`)
  assert.ok(ms < 10_000, `${ms} ms`)
})
