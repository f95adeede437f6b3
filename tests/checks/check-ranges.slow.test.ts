import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { inAMinute } from '../support/check-time.ts'
import { isOnCitus } from '../support/database-nodes.ts'
import { eventually } from '../support/eventually.ts'
import { runScheduledCheck } from '../support/source/decisions.ts'
import { startTestService } from '../support/test-service.ts'
import { dueClaims } from './due-claims.ts'

/* A check lists what is due a stretch at a time, and looks at the stretches again. */

const service = await startTestService({ after })
const { app, api, sql } = service
const customer = await api.customer('acme')
const sizes = { list: 300, read: 1_000, pass: 10_000, listingMs: 60_000 }

const skip = isOnCitus() && 'of one table'
test('a long check leaves no dead entries in the index of due times', { skip }, async () => {
  // Entries stay while anything in the database could still see them, as an analysis of a table that begins just then.
  await eventually(async () => {
    await sql('TRUNCATE claims, claim_events CASCADE')
    await dueClaims(service, customer, 2_000)
    assert.equal(await runScheduledCheck(app, inAMinute(), () => false, sizes), 2_000)
    return (await pagesReadToFindNothing()) < 60
  })
})

async function pagesReadToFindNothing(): Promise<number> {
  const plan = await sql(
    `EXPLAIN (ANALYZE, BUFFERS) SELECT id FROM claims WHERE due_at <= now() AND test_clock_id IS NULL ORDER BY due_at, id`,
  )
  const [, hit, read] = /Buffers: shared hit=(\d+)(?: read=(\d+))?/.exec(JSON.stringify(plan)) ?? []
  return Number(hit) + Number(read ?? 0)
}
