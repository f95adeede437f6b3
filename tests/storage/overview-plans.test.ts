import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { getOverview, type Overview } from '../../src/app/overview/get-overview.ts'
import type { Connection } from '../../src/storage/database/connection.ts'
import type { Database } from '../../src/storage/database/database.ts'
import { IS_RESOLVED, IS_UNRESOLVED } from '../../src/storage/overview/overview-scope.ts'
import { backfillOfTotals } from '../support/backfill.ts'
import { type Effort, explaining } from '../support/explained.ts'
import { addManyClaims, clockOf, customerOf } from '../support/many-claims.ts'
import { newCustomer } from '../support/new-records.ts'
import { startTestService } from '../support/test-service.ts'

/* The overview of many claims reads totals, what is not resolved, and little else. */

const EACH = 60_000
const LIVE = 'test_clock_id IS NULL'
const service = await startTestService({ after })
const customer = await newCustomer(service.api)
const userId: string = (await service.api.get(`/v1/customers/${customer.id}`)).body.user_id
await addManyClaims(service, userId, EACH)
await service.sql(
  'INSERT INTO customers (user_id, id, external_id, created_at) SELECT $1, unnest($2::uuid[]), unnest($3::text[]), now()',
  [userId, [customerOf(0), customerOf(13)], ['many', 'few']],
)
await service.sql(
  "INSERT INTO test_clocks (user_id, id, frozen_time, created_at) VALUES ($1, $2, now() - interval '1 hour', now())",
  [userId, clockOf(0)],
)
await service.sql(await backfillOfTotals())

async function read(
  scope: { customerId?: string; testClockId?: string },
  days: number,
): Promise<{ overview: Overview; efforts: Effort[] }> {
  const efforts: Effort[] = []
  const reads = {
    for: (account: string) => ({
      transaction: <T>(work: (connection: Connection) => Promise<T>) =>
        service.app.db.reads.for(account).transaction((connection) => {
          const explained = explaining(connection)
          efforts.push(explained.effort)
          return work(explained.db)
        }),
    }),
  }
  const request = { userId, customerId: null, testClockId: null, ...scope, days, timeZone: 'Europe/Berlin' }
  return { overview: await getOverview({ reads } as unknown as Database, request), efforts }
}

const sumOver = async (where: string, values: unknown[]) =>
  (
    await service.sql(
      `SELECT count(*)::int AS count, trim_scale(sum(price))::text AS amount,
        percentile_cont(0.5) WITHIN GROUP (ORDER BY date_part('epoch', status_since - created_at)) AS median
      FROM claims WHERE ${where}`,
      values,
    )
  )[0] as { count: number; amount: string; median: number }

describe('of many claims', () => {
  test('the overview of the account reads what is not resolved, and a few rows', async () => {
    const { overview, efforts } = await read({}, 60)
    const [effort] = efforts as [Effort]
    const { count: unresolved } = await sumOver(`${LIVE} AND ${IS_UNRESOLVED}`, [])
    // Two statements look at each of them.
    assert.ok(effort.rows < unresolved * 2 + 200, JSON.stringify(effort))
    for (const status of ['OPEN', 'PENDING', 'CONFIRMED', 'FAILED'] as const) {
      const { count, amount } = await sumOver(`${LIVE} AND status = $1`, [status])
      assert.deepEqual(overview.statuses[status], { count, amount })
    }
  })

  test('the median of more than 100,000 is right to within 2 %', async () => {
    const { overview } = await read({}, 60)
    const { count, median } = await sumOver(`${LIVE} AND ${IS_RESOLVED}`, [])
    assert.ok(count > 100_000)
    assert.equal(overview.resolution.count, count)
    assert.ok(Math.abs((overview.resolution.medianSeconds ?? 0) / median - 1) < 0.02)
  })

  const scopes = [
    ['a customer with many', { customerId: customerOf(0) }, `${LIVE} AND customer_id = $1`],
    ['a customer with few', { customerId: customerOf(13) }, `${LIVE} AND customer_id = $1`],
    ['a test clock', { testClockId: clockOf(0) }, 'test_clock_id = $1'],
  ] as const
  for (const [name, scope, isOfScope] of scopes)
    test(`the overview of ${name} reads little but their rows`, async () => {
      const { overview, efforts } = await read(scope, 60)
      const [effort] = efforts as [Effort]
      const ofScope = (where: string) => sumOver(`${isOfScope} AND ${where}`, Object.values(scope))
      const all = await ofScope('true')
      // Six statements look at each of them.
      assert.ok(effort.rows < all.count * 6 + 200, JSON.stringify({ effort, all }))
      const { count, amount } = await ofScope("status = 'CONFIRMED'")
      assert.deepEqual(overview.statuses.CONFIRMED, { count, amount })
      assert.equal(overview.resolution.medianSeconds, (await ofScope(IS_RESOLVED)).median)
    })
})
