import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findMemoryGrowth, type Memory } from '../../simulate/fuzz/memory-growth.ts'
import { seeded } from '../../simulate/random.ts'

const random = seeded(1)

/** Samples with noise. `change` receives the position of a sample in the run, from 0 to 1. */
const samples = (change: (position: number) => Partial<Memory>, count = 100): Memory[] =>
  Array.from({ length: count }, (_, i) => {
    const noise = random.int(0, 10) / 10
    const steady = { heapMb: 70 + noise, externalMb: 8 + noise, residentMb: 200 + 10 * noise }
    return { ...steady, ...change(i / (count - 1)) }
  })

describe('growth of memory in a fuzzer run', () => {
  test('constant memory is no growth', () => {
    assert.deepEqual(findMemoryGrowth(samples(() => ({}))), [])
  })

  test('peaks are no growth, even if most are near the end', () => {
    const large = (position: number) =>
      position > 0.5 && random.chance(0.3) ? { heapMb: 110, externalMb: 60 } : {}
    assert.deepEqual(findMemoryGrowth(samples(large)), [])
  })

  for (const [kind, what, from, by] of [
    ['heapMb', 'heap', 70, 10],
    ['externalMb', 'memory outside the heap', 8, 10],
    ['residentMb', 'resident memory', 200, 80],
  ] as const) {
    test(`a leak is found: ${what}`, () => {
      const [problem, ...others] = findMemoryGrowth(samples((position) => ({ [kind]: from + by * position })))
      assert.match(problem ?? '', new RegExp(`^its ${what} grew from `))
      assert.deepEqual(others, [])
    })
  }

  test('a leak in the second half is found', () => {
    const problems = findMemoryGrowth(
      samples((position) => ({ heapMb: 70 + 20 * Math.max(0, position - 0.5) })),
    )
    assert.equal(problems.length, 1)
  })

  test('a few samples are not compared', () => {
    assert.deepEqual(findMemoryGrowth(samples((position) => ({ heapMb: 70 + 50 * position }), 8)), [])
  })
})
