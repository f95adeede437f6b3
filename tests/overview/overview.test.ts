import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { assertError } from '../support/assert-error.ts'
import { contractWith } from '../support/contracts.ts'
import { eventually } from '../support/eventually.ts'
import { newCandidate, newClaim, newCustomer } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'

const service = await sharedService()
const { api } = service
const NOTHING = { count: 0, amount: '0' }

describe('the overview', () => {
  test('of an account without records is zero on every day of the period', async () => {
    const { body } = await (await service.newAccount()).get('/v1/overview')
    const { as_of, resolutions_by_day, ...rest } = body
    assert.ok(Math.abs(Date.parse(as_of) - Date.now()) < 60_000)
    assert.equal(resolutions_by_day.length, 30)
    assert.equal(resolutions_by_day.at(-1).day, as_of.slice(0, 10))
    for (const day of resolutions_by_day) assert.deepEqual([day.confirmed, day.failed], [NOTHING, NOTHING])
    assert.deepEqual(rest, {
      time_zone: 'UTC',
      statuses: { OPEN: NOTHING, PENDING: NOTHING, CONFIRMED: NOTHING, FAILED: NOTHING },
      pending_outcomes: { CONFIRMED: NOTHING, FAILED: NOTHING },
      resolution_seconds: { median: null, count: 0 },
      due_next: [],
      overdue: { count: 0, oldest_due_at: null },
      recent: [],
    })
  })

  test('sums prices as decimals, without a binary fraction’s error', async () => {
    const account = await service.newAccount()
    for (const price of [0.1, 0.2, 1e12, 1e-7, 0]) await newClaim(account, { price })
    const { body } = await account.get('/v1/overview')
    assert.deepEqual(body.statuses.OPEN, { count: 5, amount: '1000000000000.3000001' })
  })

  test('shows claims and candidates in the form of their lists', async () => {
    const account = await service.newAccount()
    const claim = await newClaim(account, { activity_window: 60 })
    const candidate = await newCandidate(account, { terms: { activity_window: 30 } })
    const { body } = await account.get('/v1/overview')
    for (const record of [claim, candidate]) delete record.events
    assert.deepEqual(body.due_next, [candidate, claim])
    assert.deepEqual(body.recent, [candidate, claim])
  })

  test('excludes records with a test clock, unless the request names one', async () => {
    const account = await service.newAccount()
    const { id } = await newCustomer(account)
    const clock = (await account.post('/v1/test_clocks', { frozen_time: '2026-01-01T00:00:00Z' })).body
    const contract = contractWith({
      price: 7,
      activity_window: 60,
      review_window: 0,
      timeout_outcome: 'confirm',
    })
    await account.post('/v1/claims', { customer_id: id, contract, test_clock_id: clock.id })
    const live = await account.claim(id, contractWith({ price: 3 }))
    await account.post(`/v1/test_clocks/${clock.id}/advance`, { frozen_time: '2026-01-02T12:00:00Z' })

    const { body: ofLive } = await account.get(`/v1/overview?customer_id=${id}`)
    assert.deepEqual(ofLive.statuses, {
      OPEN: { count: 1, amount: '3' },
      PENDING: NOTHING,
      CONFIRMED: NOTHING,
      FAILED: NOTHING,
    })
    assert.deepEqual([ofLive.due_next[0].id, ofLive.due_next.length], [live.id, 1])
    const { body } = await account.get(`/v1/overview?test_clock_id=${clock.id}&days=2`)
    assert.equal(body.as_of, '2026-01-02T12:00:00.000Z')
    assert.deepEqual(body.resolutions_by_day, [
      {
        day: '2026-01-01',
        begins_at: '2026-01-01T00:00:00.000Z',
        confirmed: { count: 1, amount: '7' },
        failed: NOTHING,
      },
      { day: '2026-01-02', begins_at: '2026-01-02T00:00:00.000Z', confirmed: NOTHING, failed: NOTHING },
    ])
    assert.deepEqual(body.statuses.OPEN, NOTHING)
    assert.deepEqual(body.resolution_seconds, { median: 120, count: 1 })
    assert.equal((await account.delete(`/v1/test_clocks/${clock.id}`)).status, 204)
  })

  test('counts records as overdue that a check of more than a minute ago should have moved', async () => {
    const account = await service.newAccount()
    const [late, soon, open] = [await newClaim(account), await newClaim(account), await newClaim(account)]
    const set = (id: string, due: string, since: string) =>
      service.sql(
        `UPDATE claims SET status_since = date_trunc('minute', now()) - $3::interval,
          due_at = date_trunc('minute', now()) - $2::interval WHERE id = $1`,
        [id, due, since],
      )
    const minute = async () => (await service.sql("SELECT date_trunc('minute', now()) AS minute"))[0]?.minute
    const body = await eventually(async () => {
      const before = (await minute()) as Date
      await set(late.id, '5 minutes', '1 hour')
      // Its check is the one of this minute, or of the next where it only now entered its status.
      await set(soon.id, '-1 second', '1 hour')
      await set(open.id, '2 minutes', '1 minute')
      const answer = await account.get('/v1/overview')
      // Else another check is over by now.
      return Date.parse(answer.body.as_of) < before.getTime() + 60_000 && answer.body
    })
    assert.deepEqual(body.overdue, { count: 1, oldest_due_at: (await account.readClaim(late.id)).due_at })
    assert.equal(body.due_next[0].id, late.id)
  })

  const AT_NIGHT: Record<string, { zone: string; day: string; begins: string; ends: string }> = {
    'skip their first hour': {
      zone: 'Africa/Cairo',
      day: '2026-04-24',
      begins: '2026-04-23T22:00:00Z',
      ends: '2026-04-24T21:00:00Z',
    },
    'repeat their first hour': {
      zone: 'America/Havana',
      day: '2025-11-02',
      begins: '2025-11-02T04:00:00Z',
      ends: '2025-11-03T05:00:00Z',
    },
    'have 23 hours': {
      zone: 'Europe/Berlin',
      day: '2026-03-29',
      begins: '2026-03-28T23:00:00Z',
      ends: '2026-03-29T22:00:00Z',
    },
    'have 25 hours': {
      zone: 'Europe/Berlin',
      day: '2026-10-25',
      begins: '2026-10-24T22:00:00Z',
      ends: '2026-10-25T23:00:00Z',
    },
    'repeat their first minute': {
      zone: 'America/St_Johns',
      day: '2010-11-07',
      begins: '2010-11-07T02:30:00Z',
      ends: '2010-11-08T03:30:00Z',
    },
    'repeat three hours over midnight': {
      zone: 'Antarctica/Casey',
      day: '2010-03-05',
      begins: '2010-03-04T13:00:00Z',
      ends: '2010-03-05T16:00:00Z',
    },
    'have 24 and a half hours': {
      zone: 'Australia/Lord_Howe',
      day: '2026-04-05',
      begins: '2026-04-04T13:00:00Z',
      ends: '2026-04-05T13:30:00Z',
    },
    'begin at a quarter': {
      zone: 'Asia/Kathmandu',
      day: '2026-01-02',
      begins: '2026-01-01T18:15:00Z',
      ends: '2026-01-02T18:15:00Z',
    },
  }
  for (const [how, { zone, day, begins, ends }] of Object.entries(AT_NIGHT)) {
    test(`counts days that ${how} from their first to their last moment (${zone})`, async () => {
      const account = await service.newAccount()
      await account.patch('/v1/me', { time_zone: zone })
      const { id } = await newCustomer(account)
      const contract = contractWith({ price: 1, activity_window: 1, review_window: 0 })
      const at = (time: string, minutes: number) =>
        new Date(Date.parse(time) + minutes * 60_000).toISOString()
      const clock = (await account.post('/v1/test_clocks', { frozen_time: at(begins, -10) })).body
      // A claim resolves at the second whole minute after its creation.
      for (const resolved of [at(begins, -1), begins, at(ends, -1), ends]) {
        await account.post(`/v1/test_clocks/${clock.id}/advance`, { frozen_time: at(resolved, -2) })
        await account.post('/v1/claims', { customer_id: id, contract, test_clock_id: clock.id })
      }
      await account.post(`/v1/test_clocks/${clock.id}/advance`, { frozen_time: ends })
      const { body } = await account.get(`/v1/overview?test_clock_id=${clock.id}&days=3`)
      const counts = body.resolutions_by_day.map((of: { day: string; failed: { count: number } }) => [
        of.day === day,
        of.failed.count,
      ])
      assert.deepEqual(counts, [
        [false, 1],
        [true, 2],
        [false, 1],
      ])
    })
  }
})

describe('400 and 404', () => {
  for (const [query, path] of [
    ['days=0', 'days'],
    ['days=367', 'days'],
    ['days=1.5', 'days'],
    ['time_zone=', 'time_zone'],
    ['time_zone=Nowhere', 'time_zone'],
    ['time_zone=%2B02:00', 'time_zone'],
    ['time_zone=XYZ-3', 'time_zone'],
    ['time_zone=PST', 'time_zone'],
    ['time_zone=SystemV/EST5EDT', 'time_zone'],
    ["time_zone=UTC';--", 'time_zone'],
    ['customer_id=x', 'customer_id'],
    ['test_clock_id=', 'test_clock_id'],
    ['status=OPEN', 'status'],
  ]) {
    test(`?${query} answers 400 at ${path}`, async () => {
      assertError(await api.get(`/v1/overview?${query}`), 400, 'VALIDATION_ERROR', path)
    })
  }

  test('an unknown customer or test clock answers 404', async () => {
    const stranger = await service.newAccount()
    const { id } = await newCustomer(stranger)
    const clock = (await stranger.post('/v1/test_clocks', { frozen_time: '2026-01-01T00:00:00Z' })).body
    for (const name of [randomUUID(), id]) {
      assertError(await api.get(`/v1/overview?customer_id=${name}`), 404, 'CUSTOMER_NOT_FOUND')
    }
    for (const name of [randomUUID(), clock.id]) {
      assertError(await api.get(`/v1/overview?test_clock_id=${name}`), 404, 'TEST_CLOCK_NOT_FOUND')
    }
  })
})
