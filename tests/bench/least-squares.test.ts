import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { leastSquares } from '../../bench/model/least-squares.ts'

const near = (found: readonly number[], wanted: readonly number[]) => {
  assert.equal(found.length, wanted.length)
  for (const [i, value] of found.entries()) {
    assert.ok(Math.abs(value - (wanted[i] as number)) < 1e-6, `${found} is not ${wanted}`)
  }
}

test('a fixed cost and a cost per event are recovered', () => {
  const rows = [
    [1, 1],
    [1, 10],
    [1, 100],
  ]
  near(
    leastSquares(
      rows,
      rows.map(([a, b]) => 3 * Number(a) + 0.5 * Number(b)),
    ),
    [3, 0.5],
  )
})

test('rows have the same weight, whatever their size', () => {
  // The minimum of (1 - x)² + (1 - x / 2)².
  near(leastSquares([[1], [1000]], [1, 2000]), [1.2])
})

test('no coefficient is below zero', () => {
  const [fixed, each] = leastSquares(
    [
      [1, 1],
      [1, 2],
    ],
    [1, 3],
  ) as [number, number]
  assert.equal(fixed, 0)
  assert.ok(each > 1 && each < 1.5)
})

test('linearly dependent columns are accepted', () => {
  const found = leastSquares(
    [
      [1, 2],
      [2, 4],
    ],
    [10, 20],
  ) as [number, number]
  assert.ok(Math.abs(found[0] + 2 * found[1] - 10) < 1e-6)
})

test('a target of zero gives coefficients of zero', () => {
  near(leastSquares([[1, 1]], [0]), [0, 0])
})

test('three costs of different size are recovered', () => {
  const cost = fc.double({ min: 0.01, max: 100, noNaN: true })
  fc.assert(
    fc.property(cost, cost, cost, (a, b, c) => {
      const rows = [
        [1, 0.5, 1],
        [1, 0.1, 1],
        [0.1, 0.05, 1],
        [0.01, 0.02, 1],
      ]
      const found = leastSquares(
        rows,
        rows.map(([x, y, z]) => a * Number(x) + b * Number(y) + c * Number(z)),
      )
      for (const [i, wanted] of [a, b, c].entries()) {
        assert.ok(Math.abs((found[i] as number) - wanted) < 1e-3 * Math.max(1, wanted))
      }
    }),
  )
})
