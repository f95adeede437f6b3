import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { AttemptLimit } from '../support/source/webhooks.ts'

/* Endpoints that are slow, however many of however many accounts, keep those of others waiting for some seconds at most. */

const { signal } = new AbortController()

function start(t: TestContext, submissionsWait = () => false) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let now = 0
  t.mock.method(performance, 'now', () => now)
  const limit = new AttemptLimit(submissionsWait)
  /** Attempts of the account that begin now. The others wait. */
  const begin = async (account: string, wanted: number) => {
    let begun = 0
    for (let n = 0; n < wanted; n++) void limit.acquire(account, signal).then(() => begun++)
    await new Promise(setImmediate)
    return () => begun
  }
  const pass = async (ms: number) => {
    now += ms
    t.mock.timers.tick(ms)
    await new Promise(setImmediate)
  }
  return { begin, pass }
}

describe('the attempts in flight', () => {
  test('deliveries of one account have a limit, and accounts together never use all connections (§4.14 rule 9)', async (t) => {
    const { begin } = start(t)
    const begun = []
    for (const account of ['a', 'b', 'c', 'd', 'e']) begun.push(await begin(account, 100))
    assert.deepEqual(
      begun.map((count) => count()),
      [64, 64, 64, 32, 16],
    )
    assert.equal((await begin('f', 1))(), 1)
  })

  test('attempts begin rarely while submissions wait, and at the normal rate soon after (§4.14 rule 9)', async (t) => {
    let submissionsWait = true
    const { begin, pass } = start(t, () => submissionsWait)
    const a = await begin('a', 45)
    const b = await begin('b', 15)
    assert.deepEqual([a(), b()], [20, 10])
    await pass(399)
    assert.deepEqual([a(), b()], [20, 10])
    await pass(1)
    assert.deepEqual([a(), b()], [37, 15])
    assert.equal((await begin('c', 1))(), 1)
    submissionsWait = false
    await pass(100)
    assert.equal((await begin('c', 45))(), 8, 'a wave has just passed')
    await pass(1)
    assert.equal((await begin('d', 40))(), 40)
  })
})
