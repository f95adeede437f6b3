import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pace } from '../support/source/service.ts'

/** With a clock of its own, on which `submissions` takes a second in which one is answered each millisecond. */
function paceOnClock() {
  let now = 0
  const pace = new Pace(() => now)
  const submissions = (ms: number, forMs = 1_000) => {
    for (const end = now + forMs; now < end; now++) pace.note(ms)
  }
  const pass = (ms: number) => {
    now += ms
  }
  /** How long the rest after so much work was, on the clock of the machine. */
  const rest = async (workMs: number) => {
    const since = performance.now()
    await pace.restAfter(workMs)
    return performance.now() - since
  }
  /** Whether there is no rest after so much work. */
  const goesOnAtOnce = async (workMs: number) => {
    let isOver = false
    const rest = pace.restAfter(workMs).then(() => {
      isOver = true
    })
    await new Promise(setImmediate)
    const wasOver = isOver
    await rest
    return wasOver
  }
  return { pace, submissions, pass, rest, goesOnAtOnce }
}

test('nobody submits: no rest', async () => {
  const { pace, goesOnAtOnce } = paceOnClock()
  assert.equal(pace.isSlow, false)
  assert.equal(await goesOnAtOnce(60_000), true)
})

test('submissions are quick: no rest', async () => {
  const { pace, submissions, goesOnAtOnce } = paceOnClock()
  submissions(8)
  assert.equal(pace.isSlow, false)
  assert.equal(await goesOnAtOnce(60_000), true)
})

test('submissions become slow: rests become longer, and shorter again once they are quick', async () => {
  const { pace, submissions, rest, goesOnAtOnce } = paceOnClock()
  submissions(5)
  submissions(40)
  assert.equal(pace.isSlow, true)
  assert.ok((await rest(20)) >= 9)
  assert.ok((await rest(20)) >= 19)
  submissions(5)
  assert.equal(pace.isSlow, false)
  for (let i = 0; i < 12; i++) await pace.restAfter(0)
  assert.equal(await goesOnAtOnce(60_000), true)
})

test('a rest is bounded, however slow it is', async () => {
  const { pace, submissions, rest } = paceOnClock()
  submissions(5)
  submissions(5_000)
  for (let i = 0; i < 30; i++) await pace.restAfter(0)
  const restMs = await rest(60_000)
  assert.ok(restMs >= 990 && restMs < 60_000, `${restMs}`)
})

test('where they always take long, that is not taken for slow', () => {
  const { pace, submissions } = paceOnClock()
  submissions(30)
  assert.equal(pace.isSlow, false)
  submissions(50)
  assert.equal(pace.isSlow, false)
  submissions(200)
  assert.equal(pace.isSlow, true)
})

test('what was slow a while ago holds nobody up', () => {
  const { pace, submissions, pass } = paceOnClock()
  submissions(5)
  submissions(100)
  assert.equal(pace.isSlow, true)
  pass(400)
  assert.equal(pace.isSlow, false)
})

test('a single slow one among quick ones is not taken for all', () => {
  const { pace, submissions } = paceOnClock()
  submissions(5)
  submissions(500, 1)
  submissions(5, 2)
  assert.equal(pace.isSlow, false)
})

test('a few quick ones do not make slow what always takes so long', () => {
  const { pace, submissions, pass } = paceOnClock()
  submissions(30, 5_000)
  submissions(2, 20)
  submissions(30, 2_000)
  assert.equal(pace.isSlow, false)
  pass(3_600_000)
  submissions(2, 20)
  submissions(30, 2_000)
  assert.equal(pace.isSlow, false)
})

test('each counts alike, however unevenly they are answered', () => {
  const { pace, submissions, pass } = paceOnClock()
  submissions(5)
  // A group of fifty each 50 ms, and a quick one after each.
  for (let group = 0; group < 20; group++) {
    for (let i = 0; i < 50; i++) pace.note(60)
    pass(49)
    pace.note(1)
    pass(1)
  }
  assert.equal(pace.isSlow, true)
})

test('work that fails is told at once', async () => {
  const { pace } = paceOnClock()
  await assert.rejects(
    pace.take(() => Promise.reject(new Error('away'))),
    { message: 'away' },
  )
})
