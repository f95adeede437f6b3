import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { getOverview } from '../../src/overview/get-overview.ts'
import { IS_RESOLVED, IS_UNRESOLVED } from '../../src/overview/overview-store.ts'
import { totalsBackfillSql } from '../support/backfill.ts'
import { type Effort, explaining } from '../support/explained.ts'
import { addManyClaims, clockOf, customerOf } from '../support/many-claims.ts'
import { newCustomer } from '../support/new-records.ts'
import type { Connection, Database } from '../support/source/database.ts'
import { startTestService } from '../support/test-service.ts'

/* The overview of many claims reads totals, what is not resolved, and little else. */

const LIVE = 'test_clock_id IS NULL'

/** An account with `each` claims and as many candidates, in a database of its own. */
async function stage(each: number, isAnalysed: boolean) {
  const service = await startTestService({ after })
  const customer = await newCustomer(service.api)
  const userId: string = (await service.api.get(`/v1/customers/${customer.id}`)).body.user_id
  await addManyClaims(service, userId, each, { isAnalysed })
  await service.sql(
    'INSERT INTO customers (user_id, id, external_id, created_at) SELECT $1, unnest($2::uuid[]), unnest($3::text[]), now()',
    [userId, [customerOf(0), customerOf(13)], ['many', 'few']],
  )
  await service.sql(
    "INSERT INTO test_clocks (user_id, id, frozen_time, created_at) VALUES ($1, $2, now() - interval '1 hour', now())",
    [userId, clockOf(0)],
  )
  await service.sql(await totalsBackfillSql())
  return {
    read: async (scope: { customerId?: string; testClockId?: string }) => {
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
      const all = { userId, customerId: null, testClockId: null, days: 60, timeZone: 'Europe/Berlin' }
      const overview = await getOverview({ reads } as unknown as Database, { ...all, ...scope })
      return { overview, effort: efforts[0] as Effort }
    },
    sumOver: async (where: string, values: unknown[]) =>
      (
        await service.sql(
          `SELECT count(*)::int AS count, trim_scale(sum(price))::text AS amount,
            percentile_cont(0.5) WITHIN GROUP (ORDER BY date_part('epoch', status_since - created_at)) AS median
          FROM claims WHERE ${where}`,
          values,
        )
      )[0] as { count: number; amount: string; median: number },
  }
}

const { read, sumOver } = await stage(60_000, true)
const unknown = await stage(20_000, false)

describe('of many claims', () => {
  test('the overview of the account reads what is not resolved, and a few rows', async () => {
    const { overview, effort } = await read({})
    const { count: unresolved } = await sumOver(`${LIVE} AND ${IS_UNRESOLVED}`, [])
    // Two statements look at each of them.
    assert.ok(effort.rows < unresolved * 2 + 200, JSON.stringify(effort))
    for (const status of ['OPEN', 'PENDING', 'CONFIRMED', 'FAILED'] as const) {
      const { count, amount } = await sumOver(`${LIVE} AND status = $1`, [status])
      assert.deepEqual(overview.statuses[status], { count, amount })
    }
  })

  test('the median of more than 100,000 is right to within 2 %', async () => {
    const { overview } = await read({})
    const { count, median } = await sumOver(`${LIVE} AND ${IS_RESOLVED}`, [])
    assert.ok(count > 100_000)
    assert.equal(overview.resolution.count, count)
    assert.ok(Math.abs((overview.resolution.medianSeconds ?? 0) / median - 1) < 0.02)
  })
})

const SCOPES = [
  ['a customer with many', { customerId: customerOf(0) }, `${LIVE} AND customer_id = $1`],
  ['a customer with few', { customerId: customerOf(13) }, `${LIVE} AND customer_id = $1`],
  ['a test clock', { testClockId: clockOf(0) }, 'test_clock_id = $1'],
] as const
const STAGES = [
  ['of many claims', { read, sumOver }],
  ['of claims of which the database has no statistics', unknown],
] as const

for (const [state, { read, sumOver }] of STAGES)
  for (const [name, scope, isOfScope] of SCOPES)
    test(`${state}: the overview of ${name} reads little but their rows`, async () => {
      const { overview, effort } = await read(scope)
      const ofScope = (where: string) => sumOver(`${isOfScope} AND ${where}`, Object.values(scope))
      const all = await ofScope('true')
      // Six statements look at some of them each, before PostgreSQL 17 at all.
      assert.ok(effort.rows < all.count * 8 + 200, JSON.stringify({ effort, all }))
      const { count, amount } = await ofScope("status = 'CONFIRMED'")
      assert.deepEqual(overview.statuses.CONFIRMED, { count, amount })
      assert.equal(overview.resolution.medianSeconds, (await ofScope(IS_RESOLVED)).median)
    })
