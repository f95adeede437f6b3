import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AdaptiveThrottle } from '../support/source/service.ts'

/** With its own clock. `submissions` advances the clock by a second, with one submission each millisecond. */
function throttleOnClock() {
  let now = 0
  const throttle = new AdaptiveThrottle(() => now)
  const submissions = (ms: number, forMs = 1_000) => {
    for (const end = now + forMs; now < end; now++) throttle.record(ms)
  }
  const pass = (ms: number) => {
    now += ms
  }
  /** Milliseconds that the pause after the work took, by the machine's clock. */
  const pause = async (workMs: number) => {
    const since = performance.now()
    await throttle.pauseAfter(workMs)
    return performance.now() - since
  }
  /** Whether there is no pause after the work. */
  const hasNoPause = async (workMs: number) => {
    let isOver = false
    const paused = throttle.pauseAfter(workMs).then(() => {
      isOver = true
    })
    await new Promise(setImmediate)
    const wasOver = isOver
    await paused
    return wasOver
  }
  return { throttle, submissions, pass, pause, hasNoPause }
}

test('without submissions there is no pause', async () => {
  const { throttle, hasNoPause } = throttleOnClock()
  assert.equal(throttle.isOverloaded, false)
  assert.equal(await hasNoPause(60_000), true)
})

test('low latency of submissions causes no pause', async () => {
  const { throttle, submissions, hasNoPause } = throttleOnClock()
  submissions(8)
  assert.equal(throttle.isOverloaded, false)
  assert.equal(await hasNoPause(60_000), true)
})

test('pauses become longer during overload and shorter after it', async () => {
  const { throttle, submissions, pause, hasNoPause } = throttleOnClock()
  submissions(5)
  submissions(40)
  assert.equal(throttle.isOverloaded, true)
  assert.ok((await pause(20)) >= 9)
  assert.ok((await pause(20)) >= 19)
  submissions(5)
  assert.equal(throttle.isOverloaded, false)
  for (let i = 0; i < 12; i++) await throttle.pauseAfter(0)
  assert.equal(await hasNoPause(60_000), true)
})

test('a pause is bounded, however long submissions take', async () => {
  const { throttle, submissions, pause } = throttleOnClock()
  submissions(5)
  submissions(5_000)
  for (let i = 0; i < 30; i++) await throttle.pauseAfter(0)
  const pauseMs = await pause(60_000)
  assert.ok(pauseMs >= 990 && pauseMs < 60_000, `${pauseMs}`)
})

test('a machine on which submissions always take long is not overloaded', () => {
  const { throttle, submissions } = throttleOnClock()
  submissions(30)
  assert.equal(throttle.isOverloaded, false)
  submissions(50)
  assert.equal(throttle.isOverloaded, false)
  submissions(200)
  assert.equal(throttle.isOverloaded, true)
})

test('latencies expire: an overload ends when submissions end', () => {
  const { throttle, submissions, pass } = throttleOnClock()
  submissions(5)
  submissions(100)
  assert.equal(throttle.isOverloaded, true)
  pass(400)
  assert.equal(throttle.isOverloaded, false)
})

test('a single slow submission is no overload', () => {
  const { throttle, submissions } = throttleOnClock()
  submissions(5)
  submissions(500, 1)
  submissions(5, 2)
  assert.equal(throttle.isOverloaded, false)
})

test('a few fast submissions do not change the usual latency of a slow machine', () => {
  const { throttle, submissions, pass } = throttleOnClock()
  submissions(30, 5_000)
  submissions(2, 20)
  submissions(30, 2_000)
  assert.equal(throttle.isOverloaded, false)
  pass(3_600_000)
  submissions(2, 20)
  submissions(30, 2_000)
  assert.equal(throttle.isOverloaded, false)
})

test('each submission counts alike, however unevenly they are answered', () => {
  const { throttle, submissions, pass } = throttleOnClock()
  submissions(5)
  // A group of fifty each 50 ms, and a quick one after each.
  for (let group = 0; group < 20; group++) {
    for (let i = 0; i < 50; i++) throttle.record(60)
    pass(49)
    throttle.record(1)
    pass(1)
  }
  assert.equal(throttle.isOverloaded, true)
})

test('work that fails rejects without a pause', async () => {
  const { throttle } = throttleOnClock()
  await assert.rejects(
    throttle.run(() => Promise.reject(new Error('away'))),
    { message: 'away' },
  )
})
