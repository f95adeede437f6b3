import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import type { Answer, ApiClient } from '../support/api-client.ts'
import { contractWith } from '../support/contracts.ts'
import { COPY_CLAIM } from '../support/copy-claims.ts'
import { eventually } from '../support/eventually.ts'
import { sharedService } from '../support/shared.ts'

const service = await sharedService()
const { api } = service

type Row = Answer['body']

/** Somebody who adds a record, and is not through: who reads the list waits for him. */
async function enterInsertBarrier(t: TestContext, list: string, userId: string): Promise<pg.Client> {
  const slow = new pg.Client({ connectionString: service.databaseUrl })
  await slow.connect()
  t.after(() => slow.end())
  await slow.query('BEGIN')
  await slow.query('SELECT pg_advisory_xact_lock_shared(hashtext($1), hashtext($2))', [list, userId])
  return slow
}

const somebodyWaits = () =>
  eventually(
    async () =>
      (
        await service.sql(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`,
        )
      ).length,
  )

test('a page waits for a record that took its number earlier but is committed later, so that none is skipped', async (t) => {
  const customer = await api.customer('acme')
  const first = await api.claim(customer, contractWith())

  // A claim on its way: it has its place in the list, but is not committed.
  const slow = await enterInsertBarrier(t, 'claims', first.user_id)
  const copied = await slow.query(COPY_CLAIM, [first.id, 1])
  const third = await api.claim(customer, contractWith())

  const page = api.get('/v1/claims')
  await somebodyWaits()
  await slow.query('COMMIT')
  const ids = (await page).body.data.map(({ id }: Row) => id)
  assert.deepEqual(ids, [first.id, copied.rows[0].id, third.id])
})

test('uncommitted records of another account do not delay a page', async (t) => {
  const other = await service.newAccount()
  const { user_id } = await other.claim(await other.customer('acme'), contractWith())
  const slow = await enterInsertBarrier(t, 'claims', user_id)
  assert.equal((await api.get('/v1/claims')).status, 200)
  await slow.query('ROLLBACK')
})

const clock = async (account: ApiClient) =>
  (await account.post('/v1/test_clocks', { frozen_time: '2026-01-01T00:00:00.000Z' })).body

for (const order of ['asc', 'desc']) {
  test(`a page goes on where its records are deleted while it is read (${order})`, async (t) => {
    const account = await service.newAccount()
    const clocks = [await clock(account), await clock(account), await clock(account)]
    const [first, second, third] = order === 'asc' ? clocks : clocks.toReversed()
    const slow = await enterInsertBarrier(t, 'test_clocks', first.user_id)
    const page = account.get(`/v1/test_clocks?limit=1&order=${order}`)
    await somebodyWaits()
    await service.sql('DELETE FROM test_clocks WHERE id = $1', [first.id])
    await slow.query('COMMIT')
    assert.deepEqual((await page).body, { data: [second], next_cursor: second.id })
    const rest = await account.get(`/v1/test_clocks?limit=1&order=${order}&after=${second.id}`)
    assert.deepEqual(rest.body, { data: [third], next_cursor: null })
  })
}

test('a page of one status is full, though one of its claims moves on while it is read', async (t) => {
  const account = await service.newAccount()
  const customer = await account.customer('acme')
  const claims: Row[] = []
  while (claims.length < 4) claims.push(await account.claim(customer, contractWith()))
  const [first, second, third] = claims as [Row, Row, Row]
  const slow = await enterInsertBarrier(t, 'claims', first.user_id)
  const page = account.get('/v1/claims?status=OPEN&limit=2')
  await somebodyWaits()
  const done = { claim_id: second.id, type: 'done' }
  assert.equal((await account.post('/v1/events', done)).body.claim.status, 'PENDING')
  await slow.query('COMMIT')
  const { body } = await page
  const ids = body.data.map(({ id }: Row) => id)
  assert.deepEqual(
    { ids, next_cursor: body.next_cursor },
    { ids: [first.id, third.id], next_cursor: third.id },
  )
})

/** More records than a page scans. */
const MANY = 10_050

test('a page that ends early waits for uncommitted inserts up to its end', async (t) => {
  const account = await service.newAccount()
  const first = await account.claim(await account.customer('acme'), contractWith())
  const slow = await enterInsertBarrier(t, 'claims', first.user_id)
  const { rows } = await slow.query(COPY_CLAIM, [first.id, 1])
  await slow.query('UPDATE claims SET price = 888 WHERE id = $1', [rows[0].id])
  await service.sql(COPY_CLAIM, [first.id, MANY])
  const page = account.get('/v1/claims?price_from=700')
  await somebodyWaits()
  await slow.query('COMMIT')
  const { data, next_cursor } = (await page).body
  assert.notEqual(next_cursor, null)
  assert.deepEqual(
    data.map(({ id }: Row) => id),
    [rows[0].id],
  )
})

test('so does a page of customers', async (t) => {
  const account = await service.newAccount()
  const { user_id } = (await account.post('/v1/customers', { external_id: 'x-0' })).body
  const slow = await enterInsertBarrier(t, 'customers', user_id)
  const insert = `INSERT INTO customers (user_id, id, external_id, created_at)
    SELECT $1, gen_random_uuid(), $2 || n, now() FROM generate_series(1, $3::int) AS n`
  await slow.query(insert, [user_id, 'found-late-', 1])
  await service.sql(insert, [user_id, 'other-', MANY])
  await service.sql(insert, [user_id, 'found-', MANY])
  const page = account.get('/v1/customers?search=found&limit=1')
  await somebodyWaits()
  await slow.query('COMMIT')
  assert.equal((await page).body.data[0].external_id, 'found-late-1')
})

test('a page by the time of the creation waits for one that has an earlier time and a later number', async (t) => {
  const account = await service.newAccount()
  const customer = await account.customer('acme')
  const first = await account.claim(customer, contractWith())
  const slow = await enterInsertBarrier(t, 'claims', first.user_id)
  const [now] = (await slow.query("SELECT date_trunc('milliseconds', clock_timestamp()) AS now")).rows
  const later = (at: Date) => at.getTime() > now.now.getTime()
  const second = await eventually(async () => {
    const claim = await account.claim(customer, contractWith())
    return later(new Date(claim.created_at)) && claim
  })
  await account.claim(customer, contractWith())
  const page = account.get(`/v1/claims?created_from=${now.now.toISOString()}&limit=2`)
  await somebodyWaits()
  const { rows } = await slow.query(COPY_CLAIM, [first.id, 1])
  await slow.query('UPDATE claims SET created_at = $2, status_since = $2 WHERE id = $1', [
    rows[0].id,
    now.now,
  ])
  await slow.query('COMMIT')
  const [one, other] = (await page).body.data
  assert.equal(one.id, rows[0].id)
  assert.ok(other.created_at <= second.created_at)
})
