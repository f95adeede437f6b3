import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { batchesByWeight } from '../../src/kernel/batches-by-weight.ts'

const weightOf = (weight: number) => weight

describe('batchesByWeight', () => {
  test('fills each batch before the next; an item above the limit is a batch by itself', () => {
    assert.deepEqual(
      [...batchesByWeight([3, 3, 4, 1, 20, 1, 1], weightOf, { maxWeight: 10 })],
      [[3, 3, 4], [1], [20], [1, 1]],
    )
    assert.deepEqual([...batchesByWeight([1, 1, 1], weightOf, { maxWeight: 10, maxItems: 2 })], [[1, 1], [1]])
    assert.deepEqual([...batchesByWeight([], weightOf, { maxWeight: 10 })], [])
  })

  test('keeps the order, returns each item once and exceeds no limit', () => {
    const weights = fc.array(fc.nat(20), { maxLength: 50 })
    fc.assert(
      fc.property(weights, fc.nat(30), fc.integer({ min: 1, max: 9 }), (items, maxWeight, maxItems) => {
        const batches = [...batchesByWeight(items, weightOf, { maxWeight, maxItems })]
        assert.deepEqual(batches.flat(), items)
        for (const batch of batches) {
          assert.ok(batch.length > 0 && batch.length <= maxItems)
          const sum = batch.reduce((a, b) => a + b)
          assert.ok(sum <= maxWeight || batch.length === 1)
        }
      }),
    )
  })
})
