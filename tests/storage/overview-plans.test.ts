import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { getOverview, type Overview } from '../../src/app/overview/get-overview.ts'
import type { Connection } from '../../src/storage/database/connection.ts'
import type { Database } from '../../src/storage/database/database.ts'
import { backfillOfTotals } from '../support/backfill.ts'
import { type Effort, explaining } from '../support/explained.ts'
import { addManyClaims, customerOf } from '../support/many-claims.ts'
import { newCustomer } from '../support/new-records.ts'
import { startTestService } from '../support/test-service.ts'

/* The overview of many claims reads indexes and totals, and next to no rows. */

const EACH = 60_000
const service = await startTestService({ after })
const customer = await newCustomer(service.api)
const userId: string = (await service.api.get(`/v1/customers/${customer.id}`)).body.user_id
await addManyClaims(service, userId, EACH)
await service.sql(
  'INSERT INTO customers (user_id, id, external_id, created_at) SELECT $1, unnest($2::uuid[]), unnest($3::text[]), now()',
  [userId, [customerOf(0), customerOf(13)], ['many', 'few']],
)
await service.sql(await backfillOfTotals())

async function read(
  customerId: string | null,
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
  const request = { userId, customerId, testClockId: null, days, timeZone: 'Europe/Berlin' }
  return { overview: await getOverview({ reads } as unknown as Database, request), efforts }
}

const sumOver = async (where: string, values: unknown[]) =>
  (
    await service.sql(
      `SELECT count(*)::int AS count, trim_scale(sum(price))::text AS amount,
        percentile_cont(0.5) WITHIN GROUP (ORDER BY date_part('epoch', status_since - created_at)) AS median
      FROM claims WHERE test_clock_id IS NULL AND ${where}`,
      values,
    )
  )[0] as { count: number; amount: string; median: number }

describe('of many claims', () => {
  test('the overview of the account reads what is not resolved, from an index, and a few rows', async () => {
    const { overview, efforts } = await read(null, 60)
    const [effort] = efforts as [Effort]
    assert.ok(effort.rows < 200, JSON.stringify(effort))
    assert.ok(effort.entries < EACH / 2, JSON.stringify(effort))
    for (const status of ['OPEN', 'PENDING', 'CONFIRMED', 'FAILED'] as const) {
      const { count, amount } = await sumOver('status = $1', [status])
      assert.deepEqual(overview.statuses[status], { count, amount })
    }
  })

  test('the median of more than 100,000 is right to within 2 %', async () => {
    const { overview } = await read(null, 60)
    const { count, median } = await sumOver("status IN ('CONFIRMED', 'FAILED')", [])
    assert.ok(count > 100_000)
    assert.equal(overview.resolution.count, count)
    assert.ok(Math.abs((overview.resolution.medianSeconds ?? 0) / median - 1) < 0.02)
  })

  test('the overview of a customer with many reads an index, and a few rows', async () => {
    const { overview, efforts } = await read(customerOf(0), 30)
    const [effort] = efforts as [Effort]
    assert.ok(effort.rows < 200, JSON.stringify(effort))
    const { count, amount } = await sumOver("customer_id = $1 AND status = 'CONFIRMED'", [customerOf(0)])
    assert.deepEqual(overview.statuses.CONFIRMED, { count, amount })
  })

  test('the overview of a customer with few reads little but their rows', async () => {
    const { overview, efforts } = await read(customerOf(13), 60)
    const [effort] = efforts as [Effort]
    const { count, amount, median } = await sumOver("customer_id = $1 AND status = 'CONFIRMED'", [
      customerOf(13),
    ])
    // A few statements look at each of them.
    assert.ok(effort.rows < count * 10 && effort.entries < count * 10, JSON.stringify(effort))
    assert.deepEqual(overview.statuses.CONFIRMED, { count, amount })
    assert.equal(overview.resolution.medianSeconds, median)
  })
})
