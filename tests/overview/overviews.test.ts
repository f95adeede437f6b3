import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdBy, holdReads } from '../support/held-rows.ts'
import { newClaim, newCustomer } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'
import { OverviewCache } from '../support/source/service.ts'

const service = await sharedService()
const { api } = service
const customer = await newCustomer(api)
const userId: string = (await api.get(`/v1/customers/${customer.id}`)).body.user_id
const REQUEST = { userId, customerId: null, testClockId: null, days: 30, timeZone: 'UTC' }
/** An overview that takes 250 ms is costly. */
const COSTLY = 'SELECT pg_sleep(0.3)'

test('concurrent requests for the same overview share one read', async () => {
  const overviews = new OverviewCache(service.app.db)
  const [first, second, other] = await Promise.all([
    overviews.get(REQUEST),
    overviews.get({ ...REQUEST }),
    overviews.get({ ...REQUEST, days: 31 }),
  ])
  assert.equal(first, second)
  assert.notEqual(first, other)
  assert.equal(other.days.length, 31)
})

test('a failed overview is not reused', async () => {
  const overviews = new OverviewCache(service.app.db)
  const request = { ...REQUEST, timeZone: 'Nowhere/Else' }
  for (let n = 0; n < 2; n++)
    await assert.rejects(async () => overviews.get(request), { code: 'VALIDATION_ERROR' })
  const missing = { ...REQUEST, customerId: userId }
  for (let n = 0; n < 2; n++) await assert.rejects(overviews.get(missing), { code: 'CUSTOMER_NOT_FOUND' })
})

test('a cheap overview is read again, and an expensive one is reused', async (t) => {
  // On a slow machine too.
  const cheaply = new OverviewCache(service.app.db, Number.POSITIVE_INFINITY)
  const before = await cheaply.get(REQUEST)
  await newClaim(api)
  const cheap = await cheaply.get(REQUEST)
  assert.equal(cheap.statuses.OPEN.count, before.statuses.OPEN.count + 1)

  const overviews = new OverviewCache(service.app.db)

  // A lock on the table makes the next one as slow as many claims would.
  const held = await holdReads(t, service.databaseUrl)
  const request = { ...REQUEST, days: 7 }
  const costly = overviews.get(request)
  await held.untilStatementsWait()
  await held.run(COSTLY, [])
  await held.release()
  const created = await costly
  assert.equal(await overviews.get(request), created)
  t.diagnostic(`as of ${created.asOf.toISOString()}`)
})

test('after an advance of its test clock, neither a finished nor a running overview is reused', async (t) => {
  const overviews = new OverviewCache(service.app.db)
  const clock = (await api.post('/v1/test_clocks', { frozen_time: '2026-01-01T00:00:00.000Z' })).body
  const request = { ...REQUEST, customerId: customer.id, testClockId: clock.id }
  const asOf = async () => (await overviews.get(request)).asOf.toISOString()
  const advanceTo = (time: string) =>
    service.sql('UPDATE test_clocks SET frozen_time = $2 WHERE id = $1', [clock.id, time])

  // Only the overview looks for the customer, when the moment that it is of has been chosen.
  const held = await holdBy(t, service.databaseUrl, 'LOCK TABLE customers', [])
  const costly = overviews.get(request)
  await held.untilStatementsWait()
  await advanceTo('2026-01-02T00:00:00.000Z')
  const later = asOf()
  await held.untilStatementsWait(2)
  await held.run(COSTLY, [])
  await held.release()
  assert.equal((await costly).asOf.toISOString(), '2026-01-01T00:00:00.000Z')
  assert.equal(await later, '2026-01-02T00:00:00.000Z')
  await advanceTo('2026-01-03T00:00:00.000Z')
  assert.equal(await asOf(), '2026-01-03T00:00:00.000Z')
})
