import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { AttemptLimit } from '../support/source/webhooks.ts'

/* Slow endpoints delay the endpoints of other accounts by at most a few seconds, whatever their number. */

const { signal } = new AbortController()

function start(t: TestContext, submissionsWait = () => false) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let now = 0
  t.mock.method(performance, 'now', () => now)
  const limit = new AttemptLimit(submissionsWait)
  /** Requests permits for attempts of the account. Returns a function that counts the granted permits. */
  const acquire = async (account: string, wanted: number) => {
    let begun = 0
    for (let n = 0; n < wanted; n++) void limit.acquire(account, signal).then(() => begun++)
    await new Promise(setImmediate)
    return () => begun
  }
  const advance = async (ms: number) => {
    now += ms
    t.mock.timers.tick(ms)
    await new Promise(setImmediate)
  }
  return { acquire, advance }
}

describe('the attempts in flight', () => {
  test('deliveries of one account have a limit, and accounts together never use all connections (§4.14 rule 9)', async (t) => {
    const { acquire } = start(t)
    const begun = []
    for (const account of ['a', 'b', 'c', 'd', 'e']) begun.push(await acquire(account, 100))
    assert.deepEqual(
      begun.map((count) => count()),
      // MAX_ATTEMPTS_PER_ACCOUNT, then half of the free permits.
      [64, 64, 64, 32, 16],
    )
    assert.equal((await acquire('f', 1))(), 1)
  })

  test('attempts begin rarely while submissions wait, and at the normal rate soon after (§4.14 rule 9)', async (t) => {
    let submissionsWait = true
    const { acquire, advance } = start(t, () => submissionsWait)
    const a = await acquire('a', 45)
    const b = await acquire('b', 15)
    assert.deepEqual([a(), b()], [20, 10])
    await advance(399)
    assert.deepEqual([a(), b()], [20, 10])
    await advance(1)
    assert.deepEqual([a(), b()], [37, 15])
    assert.equal((await acquire('c', 1))(), 1)
    submissionsWait = false
    await advance(100)
    assert.equal((await acquire('c', 45))(), 8, 'submissions waited within SUBMISSION_WAVE_MS')
    await advance(1)
    assert.equal((await acquire('d', 40))(), 40)
  })
})
