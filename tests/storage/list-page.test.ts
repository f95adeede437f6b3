import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { contractWith } from '../support/contracts.ts'
import { COPY_CLAIM } from '../support/copy-claims.ts'
import { eventually } from '../support/eventually.ts'
import { startTestService } from '../support/test-service.ts'

const service = await startTestService({ after })
const { api } = service

test('a page waits for a record that took its number earlier but is committed later, so that none is skipped', async (t) => {
  const customer = await api.customer('acme')
  const first = await api.claim(customer, contractWith())

  // A claim on its way: it has its place in the list, but is not committed.
  const slow = new pg.Client({ connectionString: service.databaseUrl })
  await slow.connect()
  t.after(() => slow.end())
  await slow.query('BEGIN')
  await slow.query('SELECT pg_advisory_xact_lock_shared(hashtext($1), hashtext($2))', [
    'claims',
    first.user_id,
  ])
  const copied = await slow.query(COPY_CLAIM, [first.id, 1])
  const third = await api.claim(customer, contractWith())

  const page = api.get('/v1/claims')
  await eventually(
    async () =>
      (await service.sql("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")).length,
  )
  await slow.query('COMMIT')
  const ids = (await page).body.data.map(({ id }: { id: string }) => id)
  assert.deepEqual(ids, [first.id, copied.rows[0].id, third.id])
})

test('another account’s records on their way keep nobody waiting', async (t) => {
  const other = await service.newAccount()
  const { user_id } = await other.claim(await other.customer('acme'), contractWith())
  const slow = new pg.Client({ connectionString: service.databaseUrl })
  await slow.connect()
  t.after(() => slow.end())
  await slow.query('BEGIN')
  await slow.query('SELECT pg_advisory_xact_lock_shared(hashtext($1), hashtext($2))', ['claims', user_id])
  assert.equal((await api.get('/v1/claims')).status, 200)
  await slow.query('ROLLBACK')
})
