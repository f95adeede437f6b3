import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { Seats, type SeatsSettings } from '../../../src/platform/concurrency/seats.ts'
import { AnswerSeats, DeedSeats } from '../../../src/platform/http/limits/answer-seats.ts'
import { ServiceError } from '../../support/source/errors.ts'

const SETTINGS = { mostWaiting: 10, mostWaitingOfOne: 10, patienceMs: 60_000, refusal: 'No.' }

/* How many large answers are sent at once: 64, and 20 of an account. */

const isSettled = async (promise: Promise<unknown>) =>
  (await Promise.race([promise.then(() => true), Promise.resolve(false)])) === true

test('an account has 20 seats, and 20 of its requests wait; others have theirs', async () => {
  const seats = new AnswerSeats()
  const taken = await Promise.all(Array.from({ length: 20 }, () => seats.take('greedy')))
  const waiting = Array.from({ length: 20 }, () => seats.take('greedy'))
  await assert.rejects(
    seats.take('greedy'),
    (error) => error instanceof ServiceError && error.code === 'UNAVAILABLE',
  )
  const others = await Promise.all(Array.from({ length: 20 }, () => seats.take('modest')))

  for (const seat of taken) seat.giveBack()
  const next = await Promise.all(waiting)
  for (const seat of [...next, ...others]) seat.giveBack()
})

test('a seat that is given back goes to who has waited longest among those who may have it', async () => {
  const seats = new AnswerSeats()
  const take = (account: string, count: number) =>
    Promise.all(Array.from({ length: count }, () => seats.take(account)))
  const [a] = [await take('a', 20), await take('b', 20), await take('c', 20)]
  await take('d', 4)
  const first = seats.take('a')
  const second = seats.take('d')
  assert.equal(await isSettled(first), false)
  // All seats are taken; the account whose seat comes free has room for one again.
  a[0]?.giveBack()
  a[0]?.giveBack()
  const next = await first
  assert.equal(await isSettled(second), false, 'a seat is given back once')
  a[1]?.giveBack()
  await second
  next.giveBack()
})

test('the response to a completed change needs no free seat, but takes one', async () => {
  const seats = new AnswerSeats()
  const anyway = Array.from({ length: 21 }, () => seats.takeAnyway('writer'))
  const reading = seats.take('writer')
  anyway[0]?.giveBack()
  assert.equal(await isSettled(reading), false)
  anyway[1]?.giveBack()
  ;(await reading).giveBack()
})

test('who needs many seats is not overtaken, but for accounts that have room for no more', async () => {
  const seats = new Seats({ ...SETTINGS, most: 10, mostOfOne: 6 })
  const full = await seats.take('a', 6)
  const some = await seats.take('b', 3)
  const ofFull = seats.take('a', 1)
  const many = seats.take('c', 4)
  const few = seats.take('d', 1)
  some.giveBack()
  const next = await many
  assert.equal(await isSettled(few), false)
  assert.equal(await isSettled(ofFull), false)
  full.giveBack()
  for (const seat of [next, await few, await ofFull]) seat.giveBack()
  assert.equal(seats.taken, 0)
})

test('who has gone does not wait, nor does he hold up others', async () => {
  const seats = new Seats({ ...SETTINGS, most: 10, mostOfOne: 10 })
  const seat = await seats.take('a', 6)
  const gone = new AbortController()
  const left = seats.take('b', 5, gone.signal)
  const next = seats.take('c', 4)
  assert.equal(await isSettled(next), false)
  gone.abort()
  await assert.rejects(left)
  for (const one of [seat, await next]) one.giveBack()
  assert.equal(seats.taken, 0)
})

test('accounts take turns, however many of one wait', async () => {
  const seats = new Seats({ ...SETTINGS, most: 4, mostOfOne: 4 })
  const seat = await seats.take('a', 4)
  const order: string[] = []
  const take = async (account: string) => {
    const done = await seats.take(account, 4)
    order.push(account)
    done.giveBack()
  }
  const all = ['a', 'a', 'a', 'b', 'c'].map(take)
  seat.giveBack()
  await Promise.all(all)
  assert.deepEqual(order, ['a', 'b', 'c', 'a', 'a'])
})

test('while 64 large answers to an account’s deeds are not read, its next one waits; others do not', async () => {
  const seats = new DeedSeats()
  const told = Array.from({ length: 69 }, () => seats.takeAnyway('greedy'))
  const next = seats.take('greedy')
  for (let n = 0; n < 100; n++) seats.takeAnyway(`another ${n}`)
  ;(await seats.take('modest')).giveBack()
  for (const seat of told.slice(0, 5)) seat.giveBack()
  assert.equal(await isSettled(next), false)
  told[5]?.giveBack()
  ;(await next).giveBack()
})

test('where all places to wait are taken, an account with fewer gets one of those who have most', async () => {
  const seats = new Seats({ ...SETTINGS, most: 1, mostOfOne: 1 })
  const seat = await seats.take('a')
  const order: string[] = []
  const refused: string[] = []
  const wait = (account: string) =>
    seats.take(account).then(
      (done) => {
        order.push(account)
        done.giveBack()
      },
      () => refused.push(account),
    )
  const waiting = [...Array(5).fill('greedy'), ...Array(5).fill('eager')].map(wait)
  waiting.push(wait('modest'), wait('modest'), wait('greedy'), wait('shy'))
  seat.giveBack()
  await Promise.all(waiting)
  const count = (accounts: string[], account: string) => accounts.filter((one) => one === account).length
  assert.deepEqual([count(order, 'modest'), count(order, 'shy')], [2, 1])
  assert.equal(count(order, 'greedy') + count(order, 'eager'), 7)
  assert.equal(count(refused, 'greedy') + count(refused, 'eager'), 4)
  assert.equal(seats.taken, 0)
})

test('where each account waits with one, no other takes its place', async () => {
  const seats = new Seats({ ...SETTINGS, mostWaiting: 2, most: 1, mostOfOne: 1 })
  const seat = await seats.take('a')
  const waiting = [seats.take('b'), seats.take('c')]
  await assert.rejects(seats.take('d'))
  seat.giveBack()
  for (const one of waiting) (await one).giveBack()
  assert.equal(seats.taken, 0)
})

describe('those who stay for slow callers', () => {
  const STAYS = { ...SETTINGS, most: 4, mostOfOne: 2 }
  const staying = async (t: TestContext, settings: Partial<SeatsSettings> = {}) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    let now = 1_000
    t.mock.method(performance, 'now', () => now)
    const left: string[] = []
    const seats = new Seats({ ...STAYS, ...settings })
    const sit = async (account: string, count = 1) => {
      const seat = await seats.take(account, count)
      seat.stay(() => {
        left.push(account)
        seat.giveBack()
      })
      return seat
    }
    const pass = (ms: number) => {
      for (let end = now + ms; now < end; now += 50) t.mock.timers.tick(50)
    }
    return { seats, sit, pass, left }
  }

  test('are left alone while nobody waits', async (t) => {
    const { sit, pass, left } = await staying(t)
    await sit('a', 2)
    await sit('b', 2)
    pass(20_000)
    assert.deepEqual(left, [])
  })

  test('leave when others wait and they have stayed for 3 s: of who has most, who came first, as many as it takes', async (t) => {
    const { seats, sit, pass, left } = await staying(t)
    await sit('b')
    await sit('a')
    await sit('a')
    await sit('c')
    const next = seats.take('d')
    pass(2_900)
    assert.deepEqual(left, [])
    assert.equal(await isSettled(next), false)
    pass(500)
    assert.deepEqual(left, ['a'])
    ;(await next).giveBack()
    pass(20_000)
    assert.deepEqual(left, ['a'])
  })

  test('stay where who waits has had his part, and where they are still at work', async (t) => {
    const { seats, sit, pass, left } = await staying(t)
    await sit('a', 2)
    await seats.take('b', 2)
    const own = seats.take('a')
    pass(9_000)
    assert.deepEqual(left, [])
    assert.equal(await isSettled(own), false)
  })

  test('stay where who waits would have no less than they have', async (t) => {
    const { seats, sit, pass, left } = await staying(t)
    await sit('a', 2)
    await sit('b', 2)
    const next = seats.take('c', 2)
    pass(9_000)
    assert.deepEqual(left, [])
    assert.equal(await isSettled(next), false)
  })

  test('stay where they have no more than their part, though others who came just now have', async (t) => {
    const { sit, pass, left } = await staying(t, { most: 100, mostOfOne: 100, mostStaying: 4 })
    await sit('modest')
    pass(4_000)
    for (let n = 0; n < 8; n++) await sit('greedy')
    pass(2_000)
    assert.deepEqual(left, [])
    pass(2_000)
    assert.deepEqual(left, Array(5).fill('greedy'))
  })

  test('leave where more stay than may, though nobody waits', async (t) => {
    const { sit, pass, left } = await staying(t, { most: Number.POSITIVE_INFINITY, mostStaying: 2 })
    for (const account of ['a', 'a', 'b']) await sit(account)
    pass(3_500)
    assert.deepEqual(left, ['a'])
  })
})

test('who waits in vain does not hold up the others of the next ten seconds', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const seats = new Seats({ ...SETTINGS, most: 10, mostOfOne: 10 })
  await seats.take('a', 6)
  const heavy = [seats.take('b', 8), seats.take('b', 8)]
  const light = seats.take('c', 2)
  t.mock.timers.tick(59_000)
  heavy.push(seats.take('b', 8))
  t.mock.timers.tick(1_000)
  await Promise.all(heavy.slice(0, 2).map((one) => assert.rejects(one)))
  ;(await light).giveBack()
})
