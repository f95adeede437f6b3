import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SendingSlots } from '../support/source/webhooks.ts'

/* Endpoints that are slow, however many of however many accounts, keep those of others waiting for some seconds at most. */

describe('the attempts that are on their way', () => {
  test('of one account are some, and never all (§4.14 rule 9)', () => {
    const slots = new SendingSlots(() => false)
    const taken = ['a', 'b', 'c', 'd', 'e'].map((account) => {
      let count = 0
      while (slots.take(account)) count++
      return count
    })
    assert.deepEqual(taken, [64, 64, 64, 4, 4])
    slots.giveBack('a')
    assert.equal(slots.take('a'), false)
    assert.ok(slots.take('f'))
  })

  test('are offered to another one first each time that one is free', () => {
    const slots = new SendingSlots(() => false)
    const first: string[] = []
    let called: string[] = []
    for (const name of ['a', 'b', 'c']) slots.onFree(() => called.push(name))
    for (let i = 0; i < 6; i++) {
      slots.take('account')
      called = []
      slots.giveBack('account')
      assert.equal(called.length, 3)
      first.push(called[0] as string)
    }
    assert.deepEqual(first, ['b', 'c', 'a', 'b', 'c', 'a'])
  })

  test('are begun seldom while submissions stand in line, and as ever a moment after (§4.14 rule 9)', () => {
    let [submissionsWait, now] = [true, 0]
    const slots = new SendingSlots(
      () => submissionsWait,
      () => now,
    )
    const takeAllAt = (ms: number, account: string) => {
      now = ms
      let count = 0
      while (slots.take(account)) count++
      return count
    }
    assert.deepEqual([takeAllAt(0, 'a'), takeAllAt(399, 'a'), takeAllAt(400, 'a')], [20, 0, 20])
    // Some are left for those who have hardly any.
    assert.deepEqual([takeAllAt(410, 'b'), takeAllAt(410, 'c'), takeAllAt(410, 'a')], [10, 2, 0])
    assert.deepEqual([takeAllAt(410, 'd'), takeAllAt(800, 'c')], [2, 20])
    submissionsWait = false
    assert.deepEqual([takeAllAt(900, 'c'), takeAllAt(901, 'c'), takeAllAt(901, 'a')], [0, 42, 24])
  })
})
