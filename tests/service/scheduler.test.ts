import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patternOf } from '../../src/platform/jobs/scheduler.ts'

test('jobs of one list with the same interval start at different seconds, and none at a whole minute', () => {
  for (const every of [3, 10, 15, 300, 3_600]) {
    const count = Math.min(every - 1, 9)
    const patterns = Array.from({ length: 10 }, (_, first) =>
      Array.from({ length: count }, (_, i) => patternOf({ every }, first + i)),
    )
    for (const some of patterns) assert.equal(new Set(some).size, count, `${every}: ${some}`)
    for (const pattern of patterns.flat()) assert.doesNotMatch(pattern, /^(?:0|\*)/, pattern)
  }
  assert.equal(patternOf({ every: 'whole minute' }, 4), '* * * * *')
})
