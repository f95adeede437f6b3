import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { grownMemory, type Memory } from '../../simulate/fuzz/grown-memory.ts'
import { seeded } from '../../simulate/random.ts'

const random = seeded(1)

/** Marks of a run, a little uneven, of which `change` tells how far each is (0 to 1). */
const marks = (change: (far: number) => Partial<Memory>, count = 100): Memory[] =>
  Array.from({ length: count }, (_, i) => {
    const noise = random.int(0, 10) / 10
    const steady = { heapMb: 70 + noise, externalMb: 8 + noise, residentMb: 200 + 10 * noise }
    return { ...steady, ...change(i / (count - 1)) }
  })

describe('the memory of a fuzzed server', () => {
  test('that stays as it is has not grown', () => {
    assert.deepEqual(grownMemory(marks(() => ({}))), [])
  })

  test('that is larger for moments has not grown, however often at the end', () => {
    const large = (far: number) => (far > 0.5 && random.chance(0.3) ? { heapMb: 110, externalMb: 60 } : {})
    assert.deepEqual(grownMemory(marks(large)), [])
  })

  for (const [kind, what, from, by] of [
    ['heapMb', 'heap', 70, 10],
    ['externalMb', 'memory beside the heap', 8, 10],
    ['residentMb', 'resident memory', 200, 80],
  ] as const) {
    test(`that leaks from start to end is found: ${what}`, () => {
      const [flaw, ...others] = grownMemory(marks((far) => ({ [kind]: from + by * far })))
      assert.match(flaw ?? '', new RegExp(`^its ${what} grew from `))
      assert.deepEqual(others, [])
    })
  }

  test('that leaks in the second half only is found', () => {
    const flaws = grownMemory(marks((far) => ({ heapMb: 70 + 20 * Math.max(0, far - 0.5) })))
    assert.equal(flaws.length, 1)
  })

  test('that was looked at a few times only is not judged', () => {
    assert.deepEqual(grownMemory(marks((far) => ({ heapMb: 70 + 50 * far }), 8)), [])
  })
})
