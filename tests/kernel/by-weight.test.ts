import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { byWeight } from '../../src/kernel/by-weight.ts'

const itself = (weight: number) => weight

describe('portions by weight', () => {
  test('are full, but for the last; what is too much by itself comes alone', () => {
    assert.deepEqual(
      [...byWeight([3, 3, 4, 1, 20, 1, 1], itself, { maxWeight: 10 })],
      [[3, 3, 4], [1], [20], [1, 1]],
    )
    assert.deepEqual([...byWeight([1, 1, 1], itself, { maxWeight: 10, maxItems: 2 })], [[1, 1], [1]])
    assert.deepEqual([...byWeight([], itself, { maxWeight: 10 })], [])
  })

  test('hold each item once, in its order, and never more than they may', () => {
    const weights = fc.array(fc.nat(20), { maxLength: 50 })
    fc.assert(
      fc.property(weights, fc.nat(30), fc.integer({ min: 1, max: 9 }), (items, maxWeight, maxItems) => {
        const portions = [...byWeight(items, itself, { maxWeight, maxItems })]
        assert.deepEqual(portions.flat(), items)
        for (const portion of portions) {
          assert.ok(portion.length > 0 && portion.length <= maxItems)
          const sum = portion.reduce((a, b) => a + b)
          assert.ok(sum <= maxWeight || portion.length === 1)
        }
      }),
    )
  })
})
