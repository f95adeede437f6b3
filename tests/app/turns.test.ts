import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Turns } from '../../src/app/turns.ts'

test('who waits too long for his turn is refused at once, and his work is never begun', async () => {
  const turns = new Turns()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const first = turns.takeWithin('clock', 1, new Error('late'), () => released)
  let begun = 0
  const second = turns.takeWithin('clock', 1, new Error('late'), async () => begun++)
  const third = turns.take('clock', async () => 'third')
  await assert.rejects(second, { message: 'late' })
  release()
  // Whoever has begun is not refused.
  await first
  assert.equal(await third, 'third')
  assert.equal(begun, 0)
})
