import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inSlices } from '../../src/app/in-slices.ts'

/** Busy for so long, in steps of a tenth of a millisecond; longer where the machine is busy too, but in as many steps. */
function* busy(ms: number, onStep = () => {}): Generator<void, number> {
  for (let left = Math.ceil(ms * 10); left > 0; left--) {
    const from = performance.now()
    while (performance.now() - from < 0.1);
    onStep()
    yield
  }
  return ms
}

test('work of one step is done at once', async () => {
  let isDone = false
  const result = inSlices(
    busy(0.05, () => {
      isDone = true
    }),
  )
  assert.equal(isDone, true)
  assert.equal(await result, 0.05)
})

test('long work leaves turns of the loop to others, however much of it there is', async () => {
  let turns = 0
  let isOver = false
  const count = () => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  await Promise.all(Array.from({ length: 20 }, () => inSlices(busy(10))))
  isOver = true
  // 200 ms of work, 5 ms a turn; a slow machine has more turns, not fewer.
  assert.ok(turns >= 20, `${turns} turns`)
})

test('short work does not wait for long work that has begun', async () => {
  const ended: string[] = []
  const long = Array.from({ length: 10 }, () => inSlices(busy(20)).then(() => ended.push('long')))
  await new Promise(setImmediate)
  await inSlices(busy(0.1)).then(() => ended.push('short'))
  await Promise.all(long)
  assert.equal(ended[0], 'short')
})

test('what fails fails alone, at its first step or later', async () => {
  function* failing(after: number): Generator<void, never> {
    for (let i = 0; i < after; i++) yield
    throw new Error(`after ${after}`)
  }
  const good = inSlices(busy(5))
  await assert.rejects(inSlices(failing(0)), /after 0/)
  await assert.rejects(inSlices(failing(50)), /after 50/)
  assert.equal(await good, 5)
})
