import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import * as arbitrary from '../support/arbitraries.ts'
import { all, any, contractWith, not } from '../support/contracts.ts'
import { type Condition, validateContract } from '../support/source/contracts.ts'

const paths = (value: unknown) => validateContract(value).map(({ path }) => path)
const pathsOfCondition = (condition: unknown) =>
  paths(contractWith({ fulfillment_condition: condition as Condition }))
const ROOT = 'contract.fulfillment_condition'

describe('a contract (§2.1)', () => {
  test('every generated contract is valid', () => {
    fc.assert(fc.property(arbitrary.contract, (contract) => assert.deepEqual(validateContract(contract), [])))
  })

  test('must be an object with all five fields and no others', () => {
    for (const value of [null, [], 'x', 1, true, undefined]) assert.deepEqual(paths(value), ['contract'])
    assert.deepEqual(paths({}), [
      'contract.price',
      'contract.activity_window',
      'contract.review_window',
      'contract.fulfillment_condition',
      'contract.timeout_outcome',
    ])
    assert.deepEqual(paths({ ...contractWith(), extra: 1 }), ['contract.extra'])
  })

  test('the limits of price and windows', () => {
    const century = 3_155_760_000
    for (const good of [
      { price: 0 },
      { price: 1e12 },
      { price: 0.005 },
      { activity_window: 0.001 },
      { activity_window: century },
      { review_window: 0 },
      { review_window: century },
    ]) {
      assert.deepEqual(paths(contractWith(good)), [], JSON.stringify(good))
    }
    for (const bad of [
      { price: -0.01 },
      { price: 1e12 + 1 },
      { price: '10' },
      { price: null },
      { activity_window: 0 },
      { activity_window: -1 },
      { activity_window: century + 1 },
      { review_window: -1 },
      { review_window: century + 1 },
      { timeout_outcome: 'CONFIRM' },
      { timeout_outcome: null },
    ]) {
      assert.deepEqual(
        paths({ ...contractWith(), ...bad }),
        [`contract.${Object.keys(bad)[0]}`],
        JSON.stringify(bad),
      )
    }
  })

  test('has at most 64 KiB as JSON', () => {
    const filler = (length: number) =>
      contractWith({ fulfillment_condition: { event: 'e', match: 'x'.repeat(length) } })
    const overhead = JSON.stringify(filler(0)).length
    assert.deepEqual(paths(filler(65_536 - overhead)), [])
    assert.deepEqual(paths(filler(65_537 - overhead)), ['contract'])
  })

  test('has at most 64 KiB as JSON also after its creation has added the version of its calendar (§2.1a rule 20)', () => {
    const filler = (bytes: number, calendar: object) => {
      const ofLength = (length: number) => ({
        ...contractWith({ fulfillment_condition: { event: 'e', match: 'x'.repeat(length) } }),
        clock: { calendar },
      })
      return ofLength(bytes - JSON.stringify(ofLength(0)).length)
    }
    const id = '0190a0a0-0000-7000-8000-000000000000'
    const added = ',"version":1000'.length
    assert.deepEqual(paths(filler(65_536 - added, { id })), [])
    assert.deepEqual(paths(filler(65_537 - added, { id })), ['contract'])
    assert.deepEqual(paths(filler(65_536, { id, version: 1_000 })), [])
    assert.deepEqual(paths(filler(65_537, { id, version: 1_000 })), ['contract'])
  })
})

describe('a fulfillment condition (§2.2) names the exact node that is wrong', () => {
  test('a node of no kind, of two kinds, or not an object', () => {
    assert.deepEqual(pathsOfCondition({}), [ROOT])
    assert.deepEqual(pathsOfCondition({ event: 'a', op: 'AND', conditions: [] }), [ROOT])
    for (const value of [null, [], 'a', 1]) assert.deepEqual(pathsOfCondition(value), [ROOT])
    assert.deepEqual(pathsOfCondition({ op: 'AND', conditions: [{ event: 'a' }, 7] }), [
      `${ROOT}.conditions[1]`,
    ])
  })

  test('an operator that is unknown or lacks its part', () => {
    assert.deepEqual(pathsOfCondition({ op: 'and', conditions: [] }), [`${ROOT}.op`])
    assert.deepEqual(pathsOfCondition({ op: 'XOR', conditions: [] }), [`${ROOT}.op`])
    assert.deepEqual(pathsOfCondition({ op: 'AND' }), [`${ROOT}.conditions`])
    assert.deepEqual(pathsOfCondition({ op: 'OR', conditions: {} }), [`${ROOT}.conditions`])
    assert.deepEqual(pathsOfCondition({ op: 'NOT' }), [`${ROOT}.condition`])
  })

  test('a field that its kind of node lacks', () => {
    assert.deepEqual(pathsOfCondition({ op: 'NOT', condition: { event: 'a' }, conditions: [] }), [
      `${ROOT}.conditions`,
    ])
    assert.deepEqual(pathsOfCondition({ op: 'AND', conditions: [], gt: 1 }), [`${ROOT}.gt`])
    assert.deepEqual(pathsOfCondition({ event: 'a', conditions: [] }), [`${ROOT}.conditions`])
  })

  test('a leaf with a wrong part, deep in the tree', () => {
    const wrongLeaf = (leaf: object) => pathsOfCondition(all({ event: 'a' }, not(leaf as Condition)))
    const at = `${ROOT}.conditions[1].condition`
    assert.deepEqual(wrongLeaf({ event: '' }), [`${at}.event`])
    assert.deepEqual(wrongLeaf({ event: 5 }), [`${at}.event`])
    assert.deepEqual(wrongLeaf({ event: 'x'.repeat(256) }), [`${at}.event`])
    assert.deepEqual(wrongLeaf({ event: 'a', match: null }), [`${at}.match`])
    assert.deepEqual(wrongLeaf({ event: 'a', match: [1] }), [`${at}.match`])
    assert.deepEqual(wrongLeaf({ event: 'a', gt: '1' }), [`${at}.gt`])
    assert.deepEqual(wrongLeaf({ event: 'a', field: 7, gt: 1 }), [`${at}.field`])
    assert.deepEqual(wrongLeaf({ event: '😀'.repeat(255) }), [])
  })

  test('field without a comparator', () => {
    assert.deepEqual(pathsOfCondition({ event: 'a', field: 'n' }), [`${ROOT}.field`])
    assert.deepEqual(pathsOfCondition({ event: 'a', field: 'n', eq: 0 }), [])
  })

  test('leaves on reserved types are legal (§2.2 rule 3)', () => {
    assert.deepEqual(pathsOfCondition(not({ event: 'activity_window_elapsed' })), [])
  })

  test('at most 32 levels deep', () => {
    const nested = (levels: number): Condition => (levels === 1 ? { event: 'a' } : not(nested(levels - 1)))
    assert.deepEqual(pathsOfCondition(nested(32)), [])
    assert.deepEqual(pathsOfCondition(nested(33)), [`${ROOT}${'.condition'.repeat(32)}`])
  })

  test('at most 512 nodes', () => {
    const wide = (nodes: number) => all(...Array.from({ length: nodes - 1 }, () => ({ event: 'a' })))
    assert.deepEqual(pathsOfCondition(wide(512)), [])
    assert.deepEqual(pathsOfCondition(wide(513)), [ROOT])
  })
})

/** What is wrong, as `path: message` without the path of the contract. */
const refusals = (terms: object): string[] =>
  validateContract({ ...contractWith(), ...terms }).map(({ path, message }) =>
    `${path}: ${message}`.replace('contract.', ''),
  )
const a = { event: 'a' }

describe('an extended contract (§2.1a)', () => {
  test('every generated one is valid', () => {
    fc.assert(
      fc.property(arbitrary.extendedContract, (contract) => assert.deepEqual(validateContract(contract), [])),
    )
  })

  test('strict_deadline is true or false', () => {
    for (const strict_deadline of [true, false]) assert.deepEqual(refusals({ strict_deadline }), [])
    for (const strict_deadline of [null, 0, 'true', {}])
      assert.deepEqual(refusals({ strict_deadline }), ['strict_deadline: must be true or false'])
  })

  test('review is an object of its own members, with at least one of the two conditions', () => {
    const isObject = 'review: must be an object {reversal_condition, restart_on, max_duration}'
    for (const review of [null, [], true, 'x', 1]) assert.deepEqual(refusals({ review }), [isObject])
    assert.deepEqual(refusals({ review: {} }), ['review: needs reversal_condition or restart_on'])
    assert.deepEqual(refusals({ review: { reversal_condition: a } }), [])
    assert.deepEqual(refusals({ review: { restart_on: a, max_duration: 600 } }), [])
    assert.deepEqual(refusals({ review: { reversal_condition: a, extra: null } }), [
      'review.extra: is not a field of a review (reversal_condition, restart_on, max_duration)',
    ])
  })

  test('a reversal condition is a condition, and does not hold over no event (§2.1a rule 12)', () => {
    const reversal = (reversal_condition: unknown) => refusals({ review: { reversal_condition } })
    const holds = 'review.reversal_condition: must not hold over no event: it would reverse every outcome'
    assert.deepEqual(reversal(null), [
      'review.reversal_condition: must be an object: a leaf {event, …}, {op: "AND" | "OR", conditions} or {op: "NOT", condition}',
    ])
    assert.deepEqual(reversal({ event: 'a', gte: '1' }), ['review.reversal_condition.gte: must be a number'])
    for (const condition of [not(a), all(), any(a, not(a)), { ...a, aggregate: 'sum', lte: 43 }])
      assert.deepEqual(reversal(condition), [holds])
    for (const condition of [a, all(a, not({ event: 'b' })), { ...a, aggregate: 'sum', gt: 43 }])
      assert.deepEqual(reversal(condition), [])
  })

  test('restart_on is a leaf or an OR of leaves, without aggregates', () => {
    const restart = (restart_on: unknown) => refusals({ review: { restart_on, max_duration: 600 } })
    const kind = 'review.restart_on: must be a leaf, or {op: "OR", conditions} of one leaf or more'
    const aggregate = 'is not allowed here: the condition is judged on one event'
    const counted = { ...a, aggregate: 'count', gte: 2 } as const
    for (const trigger of [a, { ...a, gte: 3 }, any(a, { event: 'b' })])
      assert.deepEqual(restart(trigger), [])
    for (const trigger of [not(a), all(a), any(), any(a, not(a)), any(any(a))])
      assert.deepEqual(restart(trigger), [kind])
    assert.deepEqual(restart(counted), [`review.restart_on.aggregate: ${aggregate}`])
    assert.deepEqual(restart(any(a, counted)), [`review.restart_on.conditions[1].aggregate: ${aggregate}`])
    assert.deepEqual(restart({ event: '' }), ['review.restart_on.event: must have 1 to 255 characters'])
    assert.deepEqual(restart(null).length, 1)
  })

  test('max_duration is there exactly with restart_on, and is at least the review window', () => {
    const duration = (max_duration: unknown) => refusals({ review: { restart_on: a, max_duration } })
    const limits = 'review.max_duration: must be a number of seconds from review_window to 3155760000'
    for (const good of [600, 600.5, 3_155_760_000]) assert.deepEqual(duration(good), [])
    for (const bad of [599.9, 3_155_760_001, null, '600']) assert.deepEqual(duration(bad), [limits])
    assert.deepEqual(refusals({ review: { restart_on: a } }), [
      'review.max_duration: is required with restart_on',
    ])
    assert.deepEqual(refusals({ review: { reversal_condition: a, max_duration: 600 } }), [
      'review.max_duration: is only allowed with restart_on',
    ])
  })

  test('an aggregate has a comparator, and a count has no field (§2.1a rule 13)', () => {
    const leaf = (fields: object) => refusals({ fulfillment_condition: { ...a, ...fields } })
    const at = 'fulfillment_condition'
    for (const good of [
      { aggregate: 'count', gte: 5 },
      { aggregate: 'sum', lte: -0.5 },
      { aggregate: 'distinct', field: 'by', gt: 1, lt: 3 },
    ])
      assert.deepEqual(leaf(good), [])
    for (const aggregate of [null, 'COUNT', 'avg', 1, ['sum']])
      assert.deepEqual(leaf({ aggregate, gte: 1 }), [
        `${at}.aggregate: must be one of "count", "sum", "distinct"`,
      ])
    assert.deepEqual(leaf({ aggregate: 'sum' }), [
      `${at}.aggregate: needs a comparator beside it: gt, gte, lt, lte, eq`,
    ])
    assert.deepEqual(leaf({ aggregate: 'count', field: 'n', gte: 1 }), [
      `${at}.field: is not allowed beside "count", which counts events`,
    ])
    assert.deepEqual(leaf({ aggregate: 'sum', gte: null }), [`${at}.gte: must be a number`])
    assert.deepEqual(leaf({ event: 'activity_window_elapsed', aggregate: 'count', gte: 1 }), [
      `${at}.event: is an event of the service: aggregates see the events of callers alone`,
    ])
    assert.deepEqual(refusals({ fulfillment_condition: { ...all(a), aggregate: 'count' } }), [
      `${at}.aggregate: is not a field of an AND node (op, conditions)`,
    ])
  })

  test('a clock has a calendar, or events that stop and continue it', () => {
    const id = '0198c0de-0000-7000-8000-000000000001'
    const [pause_on, resume_on] = [{ event: 'asked' }, { event: 'answered' }]
    const clock = (value: object, more: object = {}) => refusals({ clock: value, ...more })
    assert.deepEqual(clock({ pause_on, resume_on }), [])
    assert.deepEqual(clock({ calendar: { id, version: 3 }, applies_to: ['review', 'activity'] }), [])
    assert.deepEqual(clock({}), ['clock: needs a calendar, or pause_on and resume_on'])
    assert.deepEqual(clock({ pause_on }), ['clock.resume_on: is required with pause_on'])
    assert.deepEqual(clock({ resume_on }), ['clock.pause_on: is required with resume_on'])
    assert.deepEqual(clock({ pause_on, resume_on, applies_to: ['activity'] }), [
      'clock.applies_to: is only allowed with a calendar',
    ])
    for (const applies_to of [[], ['activity', 'activity'], ['open'], 'activity', null]) {
      assert.deepEqual(clock({ calendar: { id }, applies_to }), [
        'clock.applies_to: must be a list of "activity", "review" or both, each once',
      ])
    }
    for (const version of [0, 1.5, '1', null]) {
      assert.deepEqual(clock({ calendar: { id, version } }), [
        'clock.calendar.version: must be a whole number from 1 on',
      ])
    }
    assert.equal(clock({ calendar: { id: 'x' } }).length, 1)
    assert.deepEqual(clock({ calendar: { id } }, { activity_window: 31_536_001 }), [
      'activity_window: must be at most 31536000 seconds of working time',
    ])
    assert.deepEqual(clock({ calendar: { id }, applies_to: ['review'] }, { activity_window: 31_536_001 }), [])
    const counted = { event: 'asked', aggregate: 'count', gte: 2 }
    assert.deepEqual(clock({ pause_on: counted, resume_on }), [
      'clock.pause_on.aggregate: is not allowed here: the condition is judged on one event',
    ])
  })

  test('at most 16 leaves count distinct values', () => {
    const distinct = (count: number) => ({
      op: 'AND',
      conditions: Array.from({ length: count }, () => ({ event: 'a', aggregate: 'distinct', gte: 2 })),
    })
    assert.deepEqual(refusals({ fulfillment_condition: distinct(16) }), [])
    assert.deepEqual(
      refusals({ fulfillment_condition: distinct(9), review: { reversal_condition: distinct(8) } }),
      ['contract: has more than 16 leaves with the aggregate "distinct"'],
    )
  })

  test('null and unknown members are refused', () => {
    assert.deepEqual(refusals({ clocks: null }), [
      'clocks: is not a field of a contract (price, activity_window, review_window, fulfillment_condition, timeout_outcome, review, strict_deadline, clock)',
    ])
    for (const name of ['review', 'strict_deadline', 'clock'])
      assert.equal(refusals({ [name]: null }).length, 1)
  })
})
