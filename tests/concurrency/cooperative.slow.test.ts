import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCooperatively } from '../../src/platform/concurrency/cooperative.ts'
import { TickCounter } from '../support/tick-counter.ts'

/** Uses the processor for `ms`, in steps of 0.1 ms. A busy machine takes longer, with the same number of steps. */
function* busy(ms: number, onStep = () => {}): Generator<void, number> {
  for (let left = Math.ceil(ms * 10); left > 0; left--) {
    const from = performance.now()
    while (performance.now() - from < 0.1);
    onStep()
    yield
  }
  return ms
}

test('a task of one step ends before the call returns', async () => {
  let isDone = false
  const result = runCooperatively(
    busy(0.05, () => {
      isDone = true
    }),
  )
  assert.equal(isDone, true)
  assert.equal(await result, 0.05)
})

/** Event loop ticks until the work is done. */
async function ticksOf(work: Promise<unknown>): Promise<number> {
  const counter = new TickCounter()
  await work
  counter.stop()
  return counter.ticks
}

test('long tasks leave event loop ticks to other work, however many tasks there are', async () => {
  const ticks = await ticksOf(Promise.all(Array.from({ length: 20 }, () => runCooperatively(busy(10)))))
  // 200 ms of work, 5 ms a tick. A slow machine has more ticks, not fewer.
  assert.ok(ticks >= 20, `${ticks} ticks`)
})

test('work of callers with their results counts for the budget of a tick', async () => {
  const work = async () => {
    for (let i = 0; i < 300; i++) {
      await runCooperatively(busy(0.1))
      for (const _ of busy(0.5));
    }
  }
  const ticks = await ticksOf(work())
  assert.ok(ticks >= 20, `${ticks} ticks`)
})

test('a short task does not wait for long tasks that have started', async () => {
  const ended: string[] = []
  const long = Array.from({ length: 10 }, () => runCooperatively(busy(20)).then(() => ended.push('long')))
  await new Promise(setImmediate)
  await runCooperatively(busy(0.1)).then(() => ended.push('short'))
  await Promise.all(long)
  assert.equal(ended[0], 'short')
})

test('a task that fails at any step fails alone', async () => {
  function* failing(after: number): Generator<void, never> {
    for (let i = 0; i < after; i++) yield
    throw new Error(`after ${after}`)
  }
  const good = runCooperatively(busy(5))
  await assert.rejects(runCooperatively(failing(0)), /after 0/)
  await assert.rejects(runCooperatively(failing(50)), /after 50/)
  assert.equal(await good, 5)
})
