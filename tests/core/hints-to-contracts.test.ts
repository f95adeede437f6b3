import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type Simulation, simulate } from '../../src/core/claims/simulate.ts'
import * as arbitrary from '../support/arbitraries.ts'
import { all, any, contractWith, not } from '../support/contracts.ts'
import { hintsTo, pathsOf } from '../support/hinted.ts'
import { EventLog } from '../support/source/claims.ts'
import {
  type Condition,
  type Contract,
  type EventTrigger,
  findHints,
  HINT_CODES,
  hintsOf,
  type Leaf,
  MAX_CONDITION_NODES,
  MAX_CONTRACT_BYTES,
  MAX_HINTS,
  validateContract,
} from '../support/source/contracts.ts'

const OPENED = Date.parse('2026-01-01T00:00:10Z')
const [a, b] = [{ event: 'a' }, { event: 'b' }]

/** The life of a claim to its end, with an event each minute from its creation on. */
function lifeOf(contract: Contract, types: readonly string[]): Simulation {
  const events = types.map((type, i) => ({
    at: new Date(OPENED + i * 60_000),
    submission: { id: `e${i}`, type, payload: {}, payloadBytes: 2 },
  }))
  const steps = simulate(contract, new Date(OPENED), events, null)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

const decisionsOf = ({ timeline }: Simulation) =>
  timeline.flatMap((entry) => (entry.kind === 'event' ? [entry.decision.kind] : []))

test('a contract that says what it does has no hints', () => {
  assert.deepEqual(hintsOf(contractWith()), [])
  assert.deepEqual(
    hintsOf(contractWith({ review_window: 0, fulfillment_condition: all(a, any(b, not(b))) })),
    [],
  )
})

test('beside a review window a hint tells of the first NOT: the event that it names is refused during the review (§3 rule 2)', () => {
  const notDuringReview = (condition: Condition, review_window = 600) =>
    pathsOf(hintsTo(condition, { review_window }), 'not_during_review')
  const at = 'fulfillment_condition'
  assert.deepEqual(notDuringReview(all(a, not(b))), [`${at}.conditions[1]`])
  assert.deepEqual(notDuringReview(all(a, not(any(b, a)), not(b))), [])
  assert.deepEqual(notDuringReview(all(a, not(not(all(b, not(any({ event: 'c' }, b))))))), [])
  assert.deepEqual(notDuringReview(all(a, not(not(all(b, not({ event: 'c' })))))), [
    `${at}.conditions[1].condition.condition.conditions[1]`,
  ])
  assert.deepEqual(notDuringReview(all(a, not(b)), 0), [])
  assert.deepEqual(notDuringReview(all(a, b)), [])
  assert.deepEqual(notDuringReview(all(a, not(not(b)))), [])
  assert.deepEqual(notDuringReview(all(a, not({ event: 'activity_window_elapsed' }))), [])

  const contract = contractWith({ fulfillment_condition: all(a, not(b)) })
  const life = lifeOf(contract, ['a', 'b', 'b'])
  assert.deepEqual(decisionsOf(life), ['append', 'not-open', 'not-open'])
  assert.equal(life.final.status, 'CONFIRMED')
  assert.equal(lifeOf(contract, ['b', 'a']).final.status, 'FAILED')
})

test('a contract that times out as CONFIRMED has a hint: whatever comes, the claim is confirmed (§2.13 rule 1)', () => {
  fc.assert(
    fc.property(
      arbitrary.contract,
      fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 4 }),
      (contract, types) => {
        const hints = hintsOf(contract)
        const isHinted = pathsOf(hints, 'always_confirmed').length > 0
        const isImpossible = pathsOf(hints, 'condition_impossible').length > 0
        assert.equal(isHinted, contract.timeout_outcome === 'confirm' && !isImpossible)
        const { status } = lifeOf(contract, types).final
        if (isHinted) assert.equal(status, 'CONFIRMED')
        if (isImpossible)
          assert.equal(status, contract.timeout_outcome === 'confirm' ? 'CONFIRMED' : 'FAILED')
      },
    ),
  )
  const { message } = hintsTo(any(), { timeout_outcome: 'confirm' })[0] ?? {}
  assert.match(`${message}`, /becomes CONFIRMED/)
})

test('a condition that is true from the start is satisfied by an event of any other type, and by none the claim waits', () => {
  const contract = contractWith({ fulfillment_condition: not(b) })
  assert.deepEqual(pathsOf(hintsOf(contract), 'condition_true_from_start'), ['fulfillment_condition'])
  assert.equal(lifeOf(contract, ['other']).final.status, 'CONFIRMED')
  assert.equal(lifeOf(contract, ['b', 'other']).final.status, 'FAILED')
  assert.equal(lifeOf(contract, []).final.status, 'FAILED')
})

test('a window under a minute has a hint: the claim moves at a whole minute (§3 rule 1)', () => {
  const short = (activity_window: number, review_window: number) =>
    pathsOf(hintsOf(contractWith({ activity_window, review_window })), 'window_under_a_minute')
  assert.deepEqual(short(24, 0.5), ['activity_window', 'review_window'])
  assert.deepEqual(short(60, 0), [])
  assert.deepEqual(short(59.999, 60), ['activity_window'])
  const { timeline } = lifeOf(contractWith({ activity_window: 1, review_window: 1 }), [])
  assert.deepEqual(
    timeline.map(({ at }) => at.toISOString().slice(11, 19)),
    ['00:01:00', '00:02:00'],
  )
})

test('hints never change what is valid, and each is at a place of the contract', () => {
  const seen = new Set<string>()
  const seconds = fc.constantFrom(0.5, 59, 60, 3_600)
  const contracts = fc.oneof(arbitrary.contract, arbitrary.extendedContract)
  const terms = fc.record({ terms: contracts, activity_window: seconds, review_window: seconds })
  fc.assert(
    fc.property(terms, ({ terms, ...windows }) => {
      const contract = { ...terms, ...windows }
      const before = structuredClone(contract)
      for (const { code, path, message } of hintsOf(contract, new Set(['A']), 'JPY')) {
        seen.add(code)
        assert.ok(message.endsWith('.') && message.length < 400, message)
        assert.ok(placeIn(contract, path), path)
      }
      assert.deepEqual(contract, before)
      assert.deepEqual(validateContract({ ...contract, review_window: terms.review_window }), [])
    }),
    { numRuns: 500 },
  )
  assert.deepEqual([...seen].sort(), [...HINT_CODES].sort())
})

const placeIn = (contract: Contract, path: string): unknown =>
  path
    .split(/[.[\]]+/)
    .filter((key) => key !== '')
    .reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], contract) !== undefined

const REVERSAL = 'review.reversal_condition'
const reversing = (reversal_condition: Condition) => ({ review: { reversal_condition } })

describe('hints to a review (§2.1a)', () => {
  test('a NOT has no not_during_review for what the reversal condition names, and points there for the rest', () => {
    const hintsFor = (condition: Condition, terms: Partial<Contract> = {}) =>
      hintsOf(contractWith({ fulfillment_condition: condition, ...terms })).filter(
        ({ code }) => code === 'not_during_review',
      )
    const message = (terms: Partial<Contract>) => hintsFor(all(a, not(b)), terms)[0]?.message ?? ''
    assert.match(message({}), /is refused \(CLAIM_NOT_OPEN\).* review\.reversal_condition\.$/)
    assert.match(
      message(reversing({ event: 'c' })),
      /such an event changes nothing\. .* review\.reversal_condition\.$/,
    )
    assert.deepEqual(hintsFor(all(a, not(b)), reversing(b)), [])
    assert.deepEqual(
      hintsFor(all(not(b), not({ event: 'c' })), reversing(b)).map(({ path }) => path),
      ['fulfillment_condition.conditions[1]'],
    )
  })

  test('a contract whose review can be lost is not called always confirmed', () => {
    const isConfirmed = (terms: Partial<Contract>) =>
      pathsOf(hintsTo(a, { timeout_outcome: 'confirm', ...terms }), 'always_confirmed').length > 0
    assert.ok(isConfirmed({}))
    assert.ok(!isConfirmed(reversing(b)))
    assert.ok(isConfirmed(reversing(any(all(b, not(b))))))
    assert.ok(isConfirmed({ review: { restart_on: b, max_duration: 900 } }))
    const { message } = hintsTo(a, { timeout_outcome: 'confirm' })[0] ?? {}
    assert.match(`${message}`, /review\.reversal_condition/)
  })

  test('its conditions have the hints of conditions, at their paths', () => {
    const restart_on = any({ event: 'c ' }, { event: 'd', gt: 1, lt: 1 }) as EventTrigger
    const hints = hintsOf(
      contractWith({
        fulfillment_condition: a,
        review: {
          reversal_condition: any(
            all(b, not(b)),
            all({ event: 'reopned' }, any({ event: 'x', gt: 3, lte: 3 }, b)),
          ),
          restart_on,
          max_duration: 900,
        },
      }),
      new Set(['a', 'b', 'c', 'd', 'reopened']),
    )
    const found = hints.map(({ code, path }) => `${code} ${path.replace('review.', '')}`)
    assert.deepEqual(found, [
      'leaf_impossible reversal_condition.conditions[1].conditions[1].conditions[0]',
      'leaf_impossible restart_on.conditions[1]',
      'part_impossible reversal_condition.conditions[0].conditions[1]',
      'event_type_lookalike restart_on.conditions[0]',
      'event_type_unknown reversal_condition.conditions[1].conditions[0]',
      'event_type_unknown reversal_condition.conditions[1].conditions[1].conditions[0]',
      'event_type_unknown restart_on.conditions[0]',
    ])
  })

  test('a reversal or a restart that no event satisfies has a hint with its consequence', () => {
    const never = { event: 'b', gt: 1, lt: 1 }
    const review = { reversal_condition: never, restart_on: never, max_duration: 900 }
    const messages = hintsTo(a, { review })
      .filter(({ code }) => code === 'condition_impossible')
      .map(({ path, message }) => `${path}: ${message}`)
    assert.deepEqual(messages, [
      'review.reversal_condition: No events satisfy this. So nothing reverses a CONFIRMED outcome.',
      'review.restart_on: No events satisfy this. So nothing restarts the review.',
    ])
    assert.match(
      hintsTo(any(), { timeout_outcome: 'confirm', ...reversing(b) })[0]?.message ?? '',
      /becomes CONFIRMED unless the review reverses it\.$/,
    )
  })

  test('a review window of 0 has a hint beside a review', () => {
    const short = (terms: Partial<Contract>) =>
      pathsOf(hintsTo(a, { review_window: 0, ...terms }), 'window_under_a_minute')
    assert.deepEqual(short(reversing(b)), ['review_window'])
    assert.deepEqual(short({}), [])
  })

  test('an impossible reversal never happens (§2.13 rule 1)', () => {
    let count = 0
    fc.assert(
      fc.property(arbitrary.extendedContract, arbitrary.log, ({ review }, log) => {
        const reversal = review?.reversal_condition
        if (!reversal) return
        const hints = hintsOf(contractWith(reversing(reversal)))
        const isImpossible = hints.some(
          ({ code, path }) => code === 'condition_impossible' && path === REVERSAL,
        )
        if (!isImpossible) return
        count++
        for (let length = 0; length <= log.length; length++)
          assert.ok(!EventLog.of(reversal, log.slice(0, length)).satisfiesCondition)
      }),
      { numRuns: 1_000 },
    )
    assert.ok(count > 50, `${count}`)
  })
})

test('an aggregate that has only upper bounds points to the reversal condition: it holds from the start (§2.1a)', () => {
  const at = (condition: Condition, terms: Partial<Contract> = {}) =>
    pathsOf(hintsTo(condition, terms), 'aggregate_upper_bound')
  const minutes = { event: 'outage', field: 'minutes', aggregate: 'sum', lte: 43 } as const
  assert.deepEqual(at(minutes), ['fulfillment_condition'])
  assert.deepEqual(at(all(a, minutes)), ['fulfillment_condition.conditions[1]'])
  assert.deepEqual(at(all(a, not(minutes))), [])
  assert.deepEqual(at({ ...minutes, gt: 3 }), [])
  assert.deepEqual(at({ ...minutes, lte: -1 }), [])
  assert.deepEqual(at({ event: 'outage', lte: 43 }), [])
  assert.deepEqual(at(a, reversing(all(b, minutes))), [])
  const message = (leaf: Leaf) =>
    hintsTo(leaf).find(({ code }) => code === 'aggregate_upper_bound')?.message ?? ''
  assert.match(
    message(minutes),
    /fail once the sum of minutes of “outage” is more than 43, make that the review/,
  )
  assert.match(
    message({ event: 'outage', aggregate: 'count', lt: 3, lte: 7 }),
    /fail once at least 3 “outage” have arrived, make/,
  )
})

test('a type that none of the latest events has gets one hint, with a similar known type', () => {
  const known = new Set(['ticket_resolved', 'refunded', 'on'])
  const unknown = (...types: string[]) => {
    const fulfillment_condition = any(...types.map((event) => ({ event })))
    return hintsOf(contractWith({ fulfillment_condition }), known).map(({ code, path, message }) => {
      assert.equal(code, 'event_type_unknown')
      return [path.replace('fulfillment_condition.conditions', ''), message.split('Perhaps ')[1] ?? null]
    })
  }
  assert.deepEqual(unknown('refunded', 'on', 'ticket_resolved'), [])
  assert.deepEqual(unknown('signed', 'refunded', 'signed'), [['[0]', null]])
  for (const slip of [
    'ticket_resovled',
    'ticket_resolve',
    'ticket_ressolved',
    'Ticket-Resolved',
    'ticketResolved',
  ])
    assert.deepEqual(unknown(slip, 'on'), [['[0]', '"ticket_resolved" is meant.']])
  assert.deepEqual(unknown('of', 'funded!', 'ticket_closed'), [
    ['[0]', null],
    ['[1]', null],
    ['[2]', null],
  ])
  // Those of the service have a hint of their own, and of an account without events nothing is known.
  assert.deepEqual(
    pathsOf(
      hintsOf(contractWith({ fulfillment_condition: { event: 'activity_window_elapsed' } }), known),
      'event_type_unknown',
    ),
    [],
  )
  assert.deepEqual(hintsOf(contractWith(), new Set()), [])
  const notEach = new Set(Array.from({ length: 500 }, (_, n) => `kind-${n}`))
  assert.deepEqual(hintsOf(contractWith(), notEach), [])
  const turning = hintsOf(contractWith({ fulfillment_condition: { event: '\u202edehsinif' } }), known)
  assert.match(turning.at(-1)?.message ?? '', /of the type "\\u202edehsinif"\.$/)
  const many = any(...Array.from({ length: 30 }, (_, n) => ({ event: `new-${n}` })))
  assert.equal(hintsOf(contractWith({ fulfillment_condition: many }), known).length, MAX_HINTS)
})

test(`of many hints ${MAX_HINTS} are given, what is about all of it first (§2.13 rule 3)`, () => {
  const never = { event: 'a', gt: 1, lt: 1 }
  const hints = hintsTo(any(...Array.from({ length: MAX_CONDITION_NODES - 1 }, () => never)))
  assert.equal(hints.length, MAX_HINTS)
  assert.deepEqual(
    hints.slice(0, 2).map(({ code }) => code),
    ['condition_impossible', 'leaf_impossible'],
  )
})

const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i))
const wide = (keys: number, last: number) => ({
  event: 'a',
  match: Object.fromEntries(times(keys, (k) => [`key ${k}`, k === keys - 1 ? last : 1])),
})
const nest = (depth: number): Condition =>
  depth === 0 ? a : depth % 2 === 0 ? not(nest(depth - 1)) : any(b, nest(depth - 1))

/** The largest that are allowed, each heavy in another way. */
const LARGEST: Record<string, Condition> = {
  'equal leaves, and equal NOTs': all(...times(170, () => a), ...times(170, () => not(b))),
  'leaves of which each implies all before it': all(
    ...times(255, (i) => ({ event: 'a', gte: i })),
    any(...times(127, (i) => not({ event: 'a', gte: -i, lt: 1e6 }))),
  ),
  'contradictions, one an alternative': any(
    ...times(100, (i) =>
      all({ event: 'a', gte: i }, { event: 'a', gte: i + 1 }, not({ event: 'a', gte: -i })),
    ),
  ),
  'objects with many keys': all(...times(75, (i) => wide(33, i)), ...times(75, (i) => not(wide(33, -i)))),
  'two objects as large as may be': all(wide(2_000, 1), not(wide(2_000, 2))),
  'long paths': all(...times(190, (i) => ({ event: 'a', field: Array(125).fill('k').join('.'), gte: i }))),
  'many levels': all(...times(10, () => nest(29))),
}

for (const [what, fulfillment_condition] of Object.entries(LARGEST)) {
  test(`the hints to the largest conditions take a step for each node and each leaf: ${what}`, (t) => {
    const contract = contractWith({ fulfillment_condition })
    assert.deepEqual(validateContract(contract), [])
    const bytes = JSON.stringify(contract).length
    assert.ok(bytes < MAX_CONTRACT_BYTES)
    const before = process.cpuUsage()
    const steps = [...findHints(contract)].length
    const ms = process.cpuUsage(before).user / 1_000
    t.diagnostic(`${bytes} bytes, ${steps} steps, ${ms.toFixed(1)} ms`)
    assert.ok(steps <= 2 * MAX_CONDITION_NODES, `${steps} steps`)
    // Of the processor: the steps are few, but each could be long. Ten times what a slow machine takes.
    assert.ok(ms < 1_000, `${ms} ms`)
  })
}

test('a price with more decimals than the currency gives a hint with both numbers (§2.13 rule 5)', () => {
  const hintsFor = (price: number, currency: string | null) =>
    hintsOf(contractWith({ price }), new Set(), currency)
      .map(({ code, path }) => `${code} ${path}`)
      .join()
  const DECIMALS = { JPY: 0, HUF: 2, EUR: 2, IQD: 3, KWD: 3, CLF: 4 }
  for (const [currency, decimals] of Object.entries(DECIMALS)) {
    assert.equal(hintsFor(Number((12.12345).toFixed(decimals)), currency), '', currency)
    assert.equal(
      hintsFor(Number((12.12345).toFixed(decimals + 1)), currency),
      'price_decimals price',
      currency,
    )
  }
  for (const price of [12, 1e12, 0]) assert.equal(hintsFor(price, 'JPY'), '')
  for (const price of [1e-7, 0.1 + 0.2, 1.5e-7]) assert.equal(hintsFor(price, 'EUR'), 'price_decimals price')
  for (const none of [null, 'XAU', 'XDR']) assert.equal(hintsFor(1.23456, none), '')
  const [hint] = hintsOf(contractWith({ price: 12.5 }), new Set(), 'JPY')
  assert.match(
    hint?.message ?? '',
    /^The price 12\.5 has 1 decimal, but the account’s currency, JPY, has no decimals \(ISO 4217\)/,
  )
})

test('a type that differs from another only by invisible characters gives a hint with the difference (§2.13 rule 6)', () => {
  const hintsFor = (event: string, ...known: string[]) =>
    hintsOf(contractWith({ fulfillment_condition: { event } }), new Set(known))
      .filter(({ code }) => code === 'event_type_lookalike')
      .map(({ message }) => message.replace(/^The type /, ''))
      .join()
  assert.match(
    hintsFor('done '),
    /^"done " differs from "done" only by invisible characters: U\+0020 SPACE at position 5\./,
  )
  assert.match(
    hintsFor('done', 'other', 'done '),
    /^"done" differs from "done " .* no U\+0020 SPACE at position 5\. Events of that type/,
  )
  assert.match(hintsFor('done', 'done', '\u200bdone'), /^"done" differs from "\\u200bdone"/)
  assert.match(
    hintsFor(' activity_window_elapsed'),
    /"activity_window_elapsed" only .*: U\+0020 SPACE at position 1\. .*reserved/,
  )
  assert.match(hintsFor('Review_Window_Elapsed'), /only by letter case: .*reserved/)
  assert.match(
    hintsFor('Done', 'done'),
    /^"Done" differs from "done" only by letter case: U\+0044 “D” in place of U\+0064 “d” at position 1/,
  )
  assert.equal(hintsFor('Done', 'done', 'Done'), '')
  assert.equal(hintsFor('Done'), '')
  assert.match(hintsFor('\u200b '), /consists only of invisible characters/)
  for (const plain of ['done', 'ticket  resolved', 'caf\u00e9', '👩\u200d💻 \u2764\ufe0f', 'می\u200cخواهم'])
    assert.equal(hintsFor(plain), '', plain)
  const twice = hintsTo(any({ event: 'a ' }, { event: 'a ', gte: 1 }))
  assert.deepEqual(pathsOf(twice, 'event_type_lookalike'), ['fulfillment_condition.conditions[0]'])
})

test('a hint says that a claim whose clock is stopped never times out (§2.1a rule 17)', () => {
  const hints = (clock: Contract['clock']) => {
    const contract = contractWith({ fulfillment_condition: a, ...(clock && { clock }) })
    assert.deepEqual(validateContract(contract), [])
    return hintsOf(contract).map(({ code, path }) => `${code} ${path}`)
  }
  const calendar = { id: '0199f3a4-6f0e-7c3a-9d1e-2b7c5a1f0a42' }
  const resume_on = { event: 'answered' }
  assert.deepEqual(hints({ pause_on: { event: 'asked' }, resume_on }), ['clock_may_stop clock.pause_on'])
  assert.deepEqual(hints({ calendar }), [])
  const impossible = hints({ pause_on: { event: 'asked', gt: 2, lt: 1 }, resume_on })
  assert.ok(!impossible.some((hint) => hint.startsWith('clock_may_stop')))
})
