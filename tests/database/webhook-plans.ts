import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { listDeliveries } from '../../src/webhooks/delivery-store.ts'
import { readEndpoints } from '../../src/webhooks/endpoint-store.ts'
import { assertBounded, type Plan, readPlans } from '../support/query-plan.ts'
import { type Connection, readLags } from '../support/source/database.ts'
import {
  findFreeEndpoints,
  findNews,
  findNumberBefore,
  readDueDeliveries,
  redeliverBatch,
  removeDeliveries,
} from '../support/source/webhooks.ts'
import { startTestService } from '../support/test-service.ts'

/* However many deliveries an endpoint has, and whatever they wait for, what is done often reads few of them. */

const MANY = 30_000
const service = await startTestService({ after })
const userId = randomUUID()
const id = randomUUID()
const subjectId = randomUUID()
const ZEROS = '0'.repeat(64)

await service.sql(
  `INSERT INTO webhook_endpoints (id, user_id, created_at, url, secret, told_up_to, last_number, last_hash)
   VALUES ($1, $2, now(), 'https://example.com/', '', 0, $4, $3), (gen_random_uuid(), $2, now(), 'https://example.com/', '', 0, 0, $3)`,
  [id, userId, ZEROS, 3 * MANY],
)
// All of one subject, as the tests of an endpoint are: a third wait for tomorrow, the others are done with.
await service.sql(
  `INSERT INTO webhook_deliveries (endpoint_id, number, notification_id, subject_id, type, created_at, body, bytes, hash,
     previous_hash, status, attempts, next_attempt_at)
   SELECT $1, n, gen_random_uuid(), $2, 'webhook_endpoint.test', now() - (${3 * MANY} - n) * interval '1 second', '{}', 2, $3, $3,
     (ARRAY['waiting', 'succeeded', 'failed'])[1 + n % 3], 1, CASE n % 3 WHEN 0 THEN now() + interval '1 day' END
   FROM generate_series(1, ${3 * MANY}) AS n`,
  [id, subjectId, ZEROS],
)
await service.sql(
  `INSERT INTO webhook_attempts (endpoint_id, number, attempt, started_at, duration_ms)
   SELECT $1, n, 1, now() - (${3 * MANY} - n) * interval '1 second', 5 FROM generate_series(1, ${3 * MANY}) AS n`,
  [id],
)
await service.sql(
  `INSERT INTO notifications (number, user_id, subject_id, kind, sequence, status_since, created_at)
   SELECT n, $1, gen_random_uuid(), 'created', 0, now(), now() FROM generate_series(1, ${MANY}) AS n`,
  [userId],
)
await service.sql('ANALYZE webhook_endpoints, webhook_deliveries, webhook_attempts, notifications')

const from = new Date(Date.now() - 30_000)
const span = { userId, of: { subjectId }, after: null, order: 'desc' as const, count: 101, status: null }
const far = { endpointId: id, number: 2 * MANY }

/** What may be read: rows in one look. */
const STATEMENTS: [name: string, rows: number, call: (db: Connection) => Promise<unknown>][] = [
  ['looking for endpoints that have something due', 20, (db) => findFreeEndpoints(db, randomUUID())],
  [
    'looking for accounts that have news',
    20,
    (db) => findNews(db, [{ userId, parts: ['changes'], after: 0n }]),
  ],
  [
    'looking for single events where there are none among much else',
    20,
    (db) => findNews(db, [{ userId, parts: ['events'], after: 0n }]),
  ],
  ['reading what is due', 20, (db) => readDueDeliveries(db, id, [1, 2, 3])],
  ['reading the endpoints with their health', 3_000, (db) => readEndpoints(db, userId, null)],
  ['a page of a subject', 1_000, (db) => listDeliveries(db, span)],
  ['a later page of a subject', 1_000, (db) => listDeliveries(db, { ...span, after: far })],
  ['a page of an endpoint', 1_000, (db) => listDeliveries(db, { ...span, of: { endpointId: id } })],
  [
    'a later page of what failed of an endpoint',
    1_000,
    (db) => listDeliveries(db, { ...span, of: { endpointId: id }, status: 'failed', after: far }),
  ],
  ['finding where a range of time begins', 100, (db) => findNumberBefore(db, id, from)],
  [
    'asking for a thousand deliveries again',
    5_000,
    (db) => redeliverBatch(db, id, { from, to: new Date(), status: null, after: MANY }),
  ],
  ['looking how long what is due has waited', 20, (db) => readLags(db)],
  ['removing a thousand', 5_000, (db) => removeDeliveries(db, id, new Date())],
]

test('where a range of time begins is found, an hour before it, wherever it is', async () => {
  const at = (number: number) => new Date(Date.now() + 3_600_000 - (3 * MANY - number + 0.5) * 1_000)
  for (const number of [1, 2, 777, MANY, 3 * MANY - 1, 3 * MANY]) {
    const found = await findNumberBefore(service.app.db, id, at(number))
    // The rows were made some seconds ago.
    assert.ok(found >= number - 2 && found <= number + 120, `${found} for ${number}`)
  }
  assert.equal(await findNumberBefore(service.app.db, id, new Date(0)), 0)
  assert.equal(await findNumberBefore(service.app.db, randomUUID(), new Date(0)), 0)
})

for (const mode of ['custom', 'generic'] as const) {
  describe(`with a ${mode} plan`, async () => {
    for (const [name, rows, call] of STATEMENTS) {
      test(`${name} reads few rows`, async (t) => {
        const reader = await readPlans(t, service.databaseUrl, mode)
        await call(reader.connection)
        const plans = reader.take()
        assert.ok(plans.length > 0)
        for (const plan of plans) assertReadsFew(plan, rows)
      })
    }
  })
}

/** All endpoints are looked at: there are few, and what each says of itself has no order. */
function assertReadsFew(plan: Plan, rowsRead: number): void {
  const scannedWhole = plan.scannedWhole.filter((table) => table !== 'webhook_endpoints')
  assertBounded({ ...plan, scannedWhole }, { rowsRead, rowsSorted: 1_000 })
}
