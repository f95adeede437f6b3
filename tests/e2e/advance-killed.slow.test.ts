import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { clientOf } from '../support/client-of.ts'
import { contractWith } from '../support/contracts.ts'
import { COPY_CLAIM } from '../support/copy-claims.ts'
import { eventually } from '../support/eventually.ts'
import { startServeProcess } from '../support/serve-process.ts'
import { createTestDatabase } from '../support/test-database.ts'

const START = '2026-01-01T00:00:00.000Z'
const CLAIMS = 20_000

test('a server killed in the middle of an advance leaves the clock as it was; advancing again finishes it', async (t) => {
  const DATABASE_URL = await createTestDatabase(t)
  const first = await startServeProcess(t, { DATABASE_URL })
  const side = new pg.Client({ connectionString: DATABASE_URL })
  // The test's database is dropped under it.
  side.on('error', () => {})
  await side.connect()
  t.after(() => side.end())
  const api = await clientOf(first)

  const clock = (await api.post('/v1/test_clocks', { frozen_time: START })).body
  const contract = contractWith({ activity_window: 86_400, review_window: 86_400 })
  const customer_id = await api.customer('acme')
  const { id } = (await api.post('/v1/claims', { customer_id, contract, test_clock_id: clock.id })).body
  await side.query(COPY_CLAIM, [id, CLAIMS - 1])
  const standing = async () => {
    const { rows } = await side.query(
      'SELECT status, event_count, count(*)::int AS claims FROM claims GROUP BY 1, 2',
    )
    return rows
  }

  const before = (await api.get(`/v1/test_clocks/${clock.id}`)).body
  const lost = api
    .post(`/v1/test_clocks/${clock.id}/advance`, { frozen_time: '2036-01-01T00:00:00Z' })
    .catch(() => null)
  await eventually(async () => (await side.query(IN_THE_MIDDLE)).rowCount)
  await first.end('SIGKILL')
  assert.equal(await lost, null)
  await eventually(async () => (await side.query(IN_THE_MIDDLE)).rowCount === 0)

  const second = await startServeProcess(t, { DATABASE_URL })
  const again = await clientOf({ url: second.url, token: first.token })
  assert.deepEqual((await again.get(`/v1/test_clocks/${clock.id}`)).body, before)
  assert.deepEqual(await standing(), [{ status: 'OPEN', event_count: 0, claims: CLAIMS }])

  const answer = await again.post(`/v1/test_clocks/${clock.id}/advance`, {
    frozen_time: '2036-01-01T00:00:00Z',
  })
  assert.equal(answer.status, 200)
  assert.deepEqual(await standing(), [{ status: 'FAILED', event_count: 2, claims: CLAIMS }])
})

/** A backend of the service that has begun to move the claims. */
const IN_THE_MIDDLE = `SELECT 1 FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'claimkeeper' AND xact_start IS NOT NULL
    AND query ~ '^-- (apply_moves|move_in_shards)'`
