import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { connectionOf } from '../support/connection-of.ts'
import { type Connection, POOL_SETTINGS } from '../support/source/database.ts'
import { readDueDeliveries, recordAttempts, redeliverBatch } from '../support/source/webhooks.ts'
import { createTestDatabase, type Scope } from '../support/test-database.ts'

/*
 * PostgreSQL keeps the plan of a statement with a name until the table is analysed. What it made when an endpoint had no
 * deliveries serves as well when it has many.
 */

const ENDPOINT = '01934f6e-7d3a-7c1e-9f52-3b8e6d1f0a42'
const SENT = 5_000
const WAITING = 100
const MAX_ROWS_READ = 3 * WAITING

/** @param work runs first on empty tables, then on full ones. Returns how many rows it read of these. */
async function rowsReadByOldPlan(t: Scope, work: (db: Connection) => Promise<unknown>): Promise<number> {
  const client = new pg.Client({ connectionString: await createTestDatabase(t) })
  client.on('error', () => {})
  await client.connect()
  t.after(() => client.end())
  await client.query(`${POOL_SETTINGS}; SET plan_cache_mode = force_generic_plan`)
  await client.query('ALTER TABLE webhook_deliveries SET (autovacuum_enabled = false)')
  const db = connectionOf(async <Row>({ name, text, values = [] }: Parameters<Connection['query']>[0]) => {
    const { rows } = await client.query({ name: name as string, text, values: values as unknown[] })
    return rows as Row[]
  })
  await work(db)
  await client.query(
    `INSERT INTO webhook_deliveries (endpoint_id, number, notification_id, subject_id, type, created_at, body, bytes, hash,
       previous_hash, status, next_attempt_at)
     SELECT $1, n, gen_random_uuid(), gen_random_uuid(), 'claim.created', '2026-01-01', '{}', 2, 'a', 'b',
       CASE WHEN n > $2 THEN 'waiting' ELSE 'succeeded' END, CASE WHEN n > $2 THEN '2026-01-01'::timestamptz END
     FROM generate_series(1, $2 + $3::int) n`,
    [ENDPOINT, SENT, WAITING],
  )
  await client.query('BEGIN')
  await work(db)
  const { rows } = await client.query(
    "SELECT idx_tup_fetch + seq_tup_read AS read FROM pg_stat_xact_user_tables WHERE relname = 'webhook_deliveries'",
  )
  await client.query('ROLLBACK')
  return Number(rows[0].read)
}

const numbers = Array.from({ length: WAITING }, (_, i) => SENT + 1 + i)

test('due deliveries are read without reading sent ones', async (t) => {
  let due: unknown[] = []
  const read = await rowsReadByOldPlan(t, async (db) => {
    due = await readDueDeliveries(db, ENDPOINT, [])
  })
  assert.equal(due.length, WAITING)
  assert.ok(read <= MAX_ROWS_READ, `${read} rows were read`)
})

test('attempts are recorded without reading earlier deliveries', async (t) => {
  const created = numbers.map((number) => ({
    ...{
      due: { number, attempts: 0, redeliveryRequests: 0 },
      agoMs: 1,
      durationMs: 1,
      nextStatus: 'succeeded' as const,
    },
    ...{ waitMs: null, status: 204, answer: '', error: null },
  }))
  const read = await rowsReadByOldPlan(t, (db) => recordAttempts(db, ENDPOINT, created))
  assert.ok(read <= MAX_ROWS_READ, `${read} rows were read`)
})

test('redelivery of a range reads only its deliveries', async (t) => {
  const [from, to] = [new Date('2025-01-01'), new Date('2027-01-01')]
  const read = await rowsReadByOldPlan(t, (db) =>
    redeliverBatch(db, ENDPOINT, { from, to, status: null, after: SENT }),
  )
  assert.ok(read <= MAX_ROWS_READ, `${read} rows were read`)
})
