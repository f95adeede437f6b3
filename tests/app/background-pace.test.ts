import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BackgroundPace } from '../../src/app/background-pace.ts'

/** Does portions, 100 ms apart, while each submission takes so long. */
function startWork() {
  let now = 0
  const pace = new BackgroundPace(() => now)
  return {
    pace,
    pass(ms: number) {
      now += ms
    },
    work(portions: number, submissionMs: number | null) {
      let restMs = 0
      for (let i = 0; i < portions; i++) {
        now += 100
        if (submissionMs !== null) pace.note(submissionMs)
        restMs = pace.afterPortion()
      }
      return restMs
    },
  }
}

describe('what is done beside submissions', () => {
  test('is all that can be, without a rest, if they are quick or there are none', () => {
    const { pace, work } = startWork()
    assert.equal(work(10, 5), 0)
    assert.equal(work(10, null), 0)
    assert.equal(pace.portionOf(1_000), 1_000)
  })

  test('is halved each time that one was slow, but never nothing', () => {
    const { pace, work } = startWork()
    work(1, 5)
    assert.equal(work(1, 200), 10)
    assert.equal(pace.portionOf(1_000), 500)
    assert.equal(work(1, 200), 30)
    assert.equal(work(20, 200), 70)
    assert.equal(pace.portionOf(1_000), 125)
    assert.equal(pace.portionOf(1), 1)
  })

  test('grows by a step each time that none was slow', () => {
    const { pace, work } = startWork()
    work(21, 200)
    work(1, 5)
    assert.equal(pace.portionOf(1_000), 250)
    work(6, 5)
    assert.equal(pace.portionOf(1_000), 1_000)
  })

  test('is not less because of what was slow before it began', () => {
    const { pace, work, pass } = startWork()
    pace.note(5_000)
    assert.equal(work(1, null), 0)
    pass(10_000)
    pace.note(5_000)
    assert.equal(work(2, 5), 0)
    assert.equal(pace.portionOf(1_000), 1_000)
  })

  test('is not less on a machine on which they always take as long', () => {
    const { pace, work } = startWork()
    for (let i = 0; i < 1_000; i++) pace.note(60)
    assert.equal(work(10, 200), 0)
    assert.equal(work(1, 300), 10)
    assert.equal(pace.portionOf(1_000), 500)
  })

  test('is changed seldom: what a change brings is to be seen first', () => {
    const { pace, work } = startWork()
    work(1, 5)
    work(1, 200)
    for (let i = 0; i < 10; i++) {
      pace.note(200)
      pace.afterPortion()
    }
    assert.equal(pace.portionOf(1_000), 500)
  })
})
