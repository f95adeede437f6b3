import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contractWith } from '../../support/contracts.ts'
import { holdBy } from '../../support/held-rows.ts'
import { uniqueName } from '../../support/new-records.ts'
import { readPage } from '../../support/read-pages.ts'
import { LISTS, newAccountOnBothServers, service, testPagesWhileAdding } from './pages-while-adding.ts'

testPagesWhileAdding(25)

test('a search with many results includes records that were uncommitted when it started', async (t) => {
  const { here, there, customer } = await newAccountOnBothServers()
  const userId: string = (await here.get(`/v1/customers/${customer.id}`)).body.user_id
  const prefix = uniqueName('mass')
  const insert = `INSERT INTO claims (id, user_id, customer_id, candidate_alias, customer_external_id, contract, decisive_event_types,
      price, status, status_since, due_at, created_at)
    SELECT gen_random_uuid(), $1, $2, $3 || lpad(n::text, 5, '0'), 'acme', $4, '{}', 10, 'OPEN', now(), now() + interval '1 hour', now()
    FROM generate_series($5::int, $6::int) AS n`
  const own = [userId, customer.id, prefix, JSON.stringify(contractWith())]
  const inside = "SELECT pg_advisory_xact_lock_shared(hashtext('claims'), hashtext($1))"
  const slow = await holdBy(t, service.databaseUrl, inside, [userId])
  await slow.run(insert, [...own, 0, 0])
  await service.sql(insert, [...own, 1, 10_000])
  const reading = readPage(there, '/v1/candidates', { search: prefix, limit: 2 })
  await slow.untilStatementsWait()
  await slow.release()
  assert.deepEqual(
    (await reading).body.data.map(LISTS['/v1/candidates'].idOf),
    ['00000', '00001'].map((number) => `${prefix}${number}`),
  )
  const { body } = await readPage(here, '/v1/candidates', { search: prefix, limit: 1, total: 'true' })
  assert.deepEqual(body.total, { count: 10_000, is_exact: false })
})
