import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '../../src/errors.ts'
import { AnswerSeats, DeedSeats } from '../../src/http/answer-seats.ts'
import { Seats } from '../../src/http/seats.ts'

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

  for (const giveBack of taken) giveBack()
  const next = await Promise.all(waiting)
  for (const giveBack of [...next, ...others]) giveBack()
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
  a[0]?.()
  a[0]?.()
  const giveBack = await first
  assert.equal(await isSettled(second), false, 'a seat is given back once')
  a[1]?.()
  await second
  giveBack()
})

test('what was done is told without a seat of its own, and counts', async () => {
  const seats = new AnswerSeats()
  const anyway = Array.from({ length: 21 }, () => seats.takeAnyway('writer'))
  const reading = seats.take('writer')
  anyway[0]?.()
  assert.equal(await isSettled(reading), false)
  anyway[1]?.()
  ;(await reading)()
})

test('who needs many seats is not overtaken, but for accounts that have room for no more', async () => {
  const seats = new Seats({ ...SETTINGS, most: 10, mostOfOne: 6 })
  const full = await seats.take('a', 6)
  const some = await seats.take('b', 3)
  const ofFull = seats.take('a', 1)
  const many = seats.take('c', 4)
  const few = seats.take('d', 1)
  some()
  const giveBack = await many
  assert.equal(await isSettled(few), false)
  assert.equal(await isSettled(ofFull), false)
  full()
  for (const one of [giveBack, await few, await ofFull]) one()
  assert.equal(seats.taken, 0)
})

test('who has gone does not wait, nor does he hold up others', async () => {
  const seats = new Seats({ ...SETTINGS, most: 10, mostOfOne: 10 })
  const giveBack = await seats.take('a', 6)
  const gone = new AbortController()
  const left = seats.take('b', 5, gone.signal)
  const next = seats.take('c', 4)
  assert.equal(await isSettled(next), false)
  gone.abort()
  await assert.rejects(left)
  for (const one of [giveBack, await next]) one()
  assert.equal(seats.taken, 0)
})

test('accounts take turns, however many of one wait', async () => {
  const seats = new Seats({ ...SETTINGS, most: 4, mostOfOne: 4 })
  const giveBack = await seats.take('a', 4)
  const order: string[] = []
  const take = async (account: string) => {
    const done = await seats.take(account, 4)
    order.push(account)
    done()
  }
  const all = ['a', 'a', 'a', 'b', 'c'].map(take)
  giveBack()
  await Promise.all(all)
  assert.deepEqual(order, ['a', 'b', 'c', 'a', 'a'])
})

test('while twenty large answers to an account’s deeds are not read, its next one waits; others do not', async () => {
  const seats = new DeedSeats()
  const told = Array.from({ length: 25 }, () => seats.takeAnyway('greedy'))
  const next = seats.take('greedy')
  for (let n = 0; n < 100; n++) seats.takeAnyway(`another ${n}`)
  ;(await seats.take('modest'))()
  for (const giveBack of told.slice(0, 5)) giveBack()
  assert.equal(await isSettled(next), false)
  told[5]?.()
  ;(await next)()
})

test('where all places to wait are taken, an account with fewer gets one of those who have most', async () => {
  const seats = new Seats({ ...SETTINGS, most: 1, mostOfOne: 1 })
  const giveBack = await seats.take('a')
  const order: string[] = []
  const refused: string[] = []
  const wait = (account: string) =>
    seats.take(account).then(
      (done) => {
        order.push(account)
        done()
      },
      () => refused.push(account),
    )
  const waiting = [...Array(5).fill('greedy'), ...Array(5).fill('eager')].map(wait)
  waiting.push(wait('modest'), wait('modest'), wait('greedy'), wait('shy'))
  giveBack()
  await Promise.all(waiting)
  const count = (accounts: string[], account: string) => accounts.filter((one) => one === account).length
  assert.deepEqual([count(order, 'modest'), count(order, 'shy')], [2, 1])
  assert.equal(count(order, 'greedy') + count(order, 'eager'), 7)
  assert.equal(count(refused, 'greedy') + count(refused, 'eager'), 4)
  assert.equal(seats.taken, 0)
})

test('where each account waits with one, no other takes its place', async () => {
  const seats = new Seats({ ...SETTINGS, mostWaiting: 2, most: 1, mostOfOne: 1 })
  const giveBack = await seats.take('a')
  const waiting = [seats.take('b'), seats.take('c')]
  await assert.rejects(seats.take('d'))
  giveBack()
  for (const one of waiting) (await one)()
  assert.equal(seats.taken, 0)
})
