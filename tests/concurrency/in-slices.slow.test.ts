import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inSlices, noteArrival } from '../../src/platform/concurrency/in-slices.ts'
import { TurnCounter } from '../support/turn-counter.ts'

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

/** Turns of the loop until the work is done; in each of them something happens. */
async function turnsOf(work: Promise<unknown>, eachTurn = () => {}): Promise<number> {
  const counter = new TurnCounter(eachTurn)
  await work
  counter.stop()
  return counter.turns
}

test('long work leaves turns of the loop to others, however much of it there is', async () => {
  const turns = await turnsOf(Promise.all(Array.from({ length: 20 }, () => inSlices(busy(10)))))
  // 200 ms of work, 5 ms a turn; a slow machine has more turns, not fewer.
  assert.ok(turns >= 20, `${turns} turns`)
})

test('what is done with the results counts too', async () => {
  const work = async () => {
    for (let i = 0; i < 300; i++) {
      await inSlices(busy(0.1))
      for (const _ of busy(0.5));
    }
  }
  const turns = await turnsOf(work())
  assert.ok(turns >= 20, `${turns} turns`)
})

test('while connections come, turns are shorter, and half of the time is without long work', async () => {
  let worked = 0
  let idle = 0
  const work = Promise.all(Array.from({ length: 20 }, () => inSlices(busy(10, () => worked++))))
  const turns = await turnsOf(work, () => {
    noteArrival()
    if (worked === 0) idle++
    worked = 0
  })
  assert.ok(turns >= 150, `${turns} turns`)
  assert.ok(idle >= 20, `${idle} turns without work`)
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
