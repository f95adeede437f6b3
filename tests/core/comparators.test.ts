import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type Bounds,
  boundsInWords,
  COMPARATORS,
  distanceTo,
  predicateOf,
  rangeOf,
  satisfyingNumber,
} from '../../src/core/contracts/comparators.ts'

const number = fc.integer({ min: -8, max: 8 }).map((quarters) => quarters / 4)
const bounds: fc.Arbitrary<Bounds> = fc.record(
  Object.fromEntries(COMPARATORS.map((name) => [name, number])),
  { requiredKeys: [] },
)
const holds = ({ gt, gte, lt, lte, eq }: Bounds, n: number) =>
  (gt === undefined || n > gt) &&
  (gte === undefined || n >= gte) &&
  (lt === undefined || n < lt) &&
  (lte === undefined || n <= lte) &&
  (eq === undefined || n === eq)

test('a number is tested by all bounds of a leaf; without a bound there is nothing to test', () => {
  fc.assert(
    fc.property(bounds, number, (bounds, n) => {
      const test = predicateOf(bounds)
      assert.equal(test === null, Object.keys(bounds).length === 0)
      assert.equal(test?.(n) ?? true, holds(bounds, n))
    }),
  )
})

test('the gap is how far the number would have to move, and 0 where it satisfies all', () => {
  fc.assert(
    fc.property(bounds, number, number, (bounds, n, other) => {
      if (holds(bounds, other)) assert.ok(distanceTo(n, bounds) <= Math.abs(n - other))
      if (holds(bounds, n)) assert.equal(distanceTo(n, bounds), 0)
    }),
  )
  assert.deepEqual(
    [
      distanceTo(11.5, { gte: 2, lte: 8 }),
      distanceTo(1, { gt: 1 }),
      distanceTo(0, { lt: -2 }),
      distanceTo(7, { eq: 4 }),
    ],
    [3.5, 0, 2, 3],
  )
})

test('a number that satisfies all is found if there is one', () => {
  const candidates = Array.from({ length: 81 }, (_, i) => (i - 40) / 8)
  fc.assert(
    fc.property(bounds, (bounds) => {
      const isPossible = candidates.some((n) => holds(bounds, n))
      if (isPossible) assert.ok(holds(bounds, satisfyingNumber(bounds)), `${satisfyingNumber(bounds)}`)
    }),
  )
  assert.deepEqual([satisfyingNumber({ gte: 4 }), satisfyingNumber({ lt: 3 })], [4, 2])
})

test('it is found however large the bounds are, or how near', () => {
  const double = fc.double({ noNaN: true, noDefaultInfinity: true })
  fc.assert(
    fc.property(double, double, (low, high) => {
      if (low < high) {
        assert.ok(
          holds({ gt: low, lte: high }, satisfyingNumber({ gt: low, lte: high })),
          `${low} to ${high}`,
        )
        assert.ok(
          holds({ gte: low, lt: high }, satisfyingNumber({ gte: low, lt: high })),
          `${low} to ${high}`,
        )
      }
      const least = satisfyingNumber({ gt: low })
      assert.ok(least > low || low === Number.MAX_VALUE, `more than ${low}`)
      const most = satisfyingNumber({ lt: low })
      assert.ok(most < low || low === -Number.MAX_VALUE, `less than ${low}`)
    }),
  )
  assert.ok(satisfyingNumber({ gt: 1e308, lt: 1.7e308 }) > 1e308)
  // Beyond the largest there is none.
  assert.equal(satisfyingNumber({ gt: Number.MAX_VALUE }), 0)
  assert.equal(satisfyingNumber({ lt: -Number.MAX_VALUE }), 0)
  assert.ok(satisfyingNumber({ gt: 2 ** 53 }) > 2 ** 53)
})

test('what satisfies all bounds is what lies between the least and the greatest number that do', () => {
  fc.assert(
    fc.property(bounds, number, (bounds, n) => {
      const [least, greatest] = rangeOf(bounds)
      assert.equal(holds(bounds, n), least <= n && n <= greatest)
      if (least <= greatest) assert.ok(holds(bounds, least) && holds(bounds, greatest))
    }),
  )
  assert.deepEqual(rangeOf({}), [-Number.MAX_VALUE, Number.MAX_VALUE])
  assert.deepEqual(rangeOf({ gt: 0, lt: Number.MIN_VALUE * 2 }), [Number.MIN_VALUE, Number.MIN_VALUE])
  for (const none of [{ gt: 1, lte: 1 }, { gt: Number.MAX_VALUE }, { lt: -Number.MAX_VALUE }]) {
    const [least, greatest] = rangeOf(none)
    assert.ok(least > greatest)
  }
})

test('bounds are described in words', () => {
  assert.equal(boundsInWords({ lt: 8, gte: 2 }), 'at least 2 and less than 8')
  assert.equal(boundsInWords({}), '')
})
