import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { Poller } from '../../src/platform/concurrency/poller.ts'

/** A poller whose polls do nothing. */
function countingPoller(isNeeded: () => boolean) {
  const poll = mock.fn(async () => {})
  return { poller: new Poller({ intervalMs: 1, isNeeded, poll }), poll }
}

test('polls until no caller waits, one poll at a time', async () => {
  let left = 3
  let running = 0
  const done = Promise.withResolvers<void>()
  const poller = new Poller({
    intervalMs: 1,
    isNeeded: () => left > 0,
    poll: async () => {
      running++
      assert.equal(running, 1)
      await new Promise(setImmediate)
      running--
      if (--left === 0) done.resolve()
    },
  })
  poller.wake()
  poller.wake()
  await done.promise
  assert.equal(left, 0)
  await poller.stop()
})

test('does not poll for a caller that has left before the poll', async () => {
  const asked = Promise.withResolvers<void>()
  let isNeeded = true
  const { poller, poll } = countingPoller(() => {
    if (!isNeeded) asked.resolve()
    return isNeeded
  })
  poller.wake()
  isNeeded = false
  await asked.promise
  await poller.stop()
  assert.equal(poll.mock.callCount(), 0)
})

test('a stop before the poll prevents the poll', async () => {
  const { poller, poll } = countingPoller(() => true)
  poller.wake()
  await poller.stop()
  assert.equal(poll.mock.callCount(), 0)
})

test('a stop waits for the running poll, and no poll begins after it', async () => {
  const polled = Promise.withResolvers<void>()
  const blocked = Promise.withResolvers<void>()
  let polls = 0
  const poller = new Poller({
    intervalMs: 1,
    isNeeded: () => true,
    poll: async () => {
      polls++
      polled.resolve()
      await blocked.promise
    },
  })
  poller.wake()
  await polled.promise
  let hasStopped = false
  const stopped = poller.stop().then(() => {
    hasStopped = true
  })
  await new Promise(setImmediate)
  assert.equal(hasStopped, false)
  blocked.resolve()
  await stopped
  poller.wake()
  assert.equal(polls, 1)
  assert.equal(poller.isStopped, true)
})
