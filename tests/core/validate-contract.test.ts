import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import * as arbitrary from '../support/arbitraries.ts'
import { all, contractWith, not } from '../support/contracts.ts'
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
