import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Overviews } from '../../src/app/overview/overviews.ts'
import { newClaim, newCustomer } from '../support/new-records.ts'
import { startTestService } from '../support/test-service.ts'

const service = await startTestService({ after })
const { api } = service
const customer = await newCustomer(api)
const userId: string = (await api.get(`/v1/customers/${customer.id}`)).body.user_id
const REQUEST = { userId, customerId: null, testClockId: null, days: 30, timeZone: 'UTC' }

test('who asks for the same overview at the same time is given the same one', async () => {
  const overviews = new Overviews(service.app.db)
  const [first, second, other] = await Promise.all([
    overviews.get(REQUEST),
    overviews.get({ ...REQUEST }),
    overviews.get({ ...REQUEST, days: 31 }),
  ])
  assert.equal(first, second)
  assert.notEqual(first, other)
  assert.equal(other.days.length, 31)
})

test('an overview that failed is not kept', async () => {
  const overviews = new Overviews(service.app.db)
  const request = { ...REQUEST, timeZone: 'Nowhere/Else' }
  for (let n = 0; n < 2; n++)
    await assert.rejects(async () => overviews.get(request), { code: 'VALIDATION_ERROR' })
  const missing = { ...REQUEST, customerId: userId }
  for (let n = 0; n < 2; n++) await assert.rejects(overviews.get(missing), { code: 'CUSTOMER_NOT_FOUND' })
})

test('an overview that costs little is made anew for who asks later, and a costly one is given again', async (t) => {
  const overviews = new Overviews(service.app.db)
  const before = await overviews.get(REQUEST)
  await newClaim(api)
  const cheap = await overviews.get(REQUEST)
  assert.equal(cheap.statuses.OPEN.count, before.statuses.OPEN.count + 1)

  // A lock on the table makes the next one as slow as many claims would, also if it takes a while to see the lock.
  const release = await lockFor(1_000)
  const request = { ...REQUEST, days: 7 }
  const costly = overviews.get(request)
  await release()
  assert.equal(await overviews.get(request), await costly)
  t.diagnostic(`as of ${(await costly).asOf.toISOString()}`)
})

/** Holds the table of claims for so long, in the database's own time. */
async function lockFor(milliseconds: number): Promise<() => Promise<unknown>> {
  const text = `BEGIN; LOCK TABLE claims; SELECT pg_sleep(${milliseconds / 1000}); COMMIT`
  const done = service.sql(text)
  while (
    (await service.sql("SELECT 1 FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted")).length === 0
  );
  return () => done
}
