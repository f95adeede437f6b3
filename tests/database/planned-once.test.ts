import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isOnCitus } from '../support/database-nodes.ts'
import { newClaim } from '../support/new-records.ts'
import { SERVICE_ACCOUNT } from '../support/source/database.ts'
import { startTestService } from '../support/test-service.ts'

/** As long as PostgreSQL may plan for values, it does at least so often. */
const TRIES = 5

const { api, app } = await startTestService({ after })

test('what creations and submissions ask the coordinator alone is planned once for a connection', async () => {
  const { id, customer_id, contract } = await newClaim(api)
  for (let n = 0; n < 3 * TRIES; n++) {
    await api.claim(customer_id, contract)
    await api.post(`/v1/claims/${id}/events`, { id: `${n}`, type: 'progress' })
  }
  const { reads, writes, submissions } = app.db
  for (const [pool, names] of [
    [reads, ['find_customers']],
    [
      writes,
      isOnCitus()
        ? ['find_stored_contracts', 'take_positions', 'announce_and_take_numbers']
        : ['insert_claims'],
    ],
    [submissions, [isOnCitus() ? 'read_live_clock' : 'append_events']],
  ] as const) {
    const rows = await pool.for(SERVICE_ACCOUNT).query<{ name: string; custom: number; generic: number }>({
      text: `SELECT name, custom_plans::integer AS custom, generic_plans::integer AS generic FROM pg_prepared_statements`,
    })
    for (const name of names) {
      const row = rows.find((row) => row.name === name)
      assert.ok(row && row.custom <= TRIES && row.generic > 0, `${name}: ${JSON.stringify(row)}`)
    }
  }
})

test('pages of the default and of the maximum length are prepared statements', async () => {
  await api.get('/v1/claims')
  await api.get('/v1/claims?limit=100')
  const rows = await app.db.reads
    .for(SERVICE_ACCOUNT)
    .query<{ name: string }>({ text: 'SELECT name FROM pg_prepared_statements' })
  const names = rows.map(({ name }) => name)
  for (const name of ['list_51_claim_asc', 'list_101_claim_asc']) assert.ok(names.includes(name), `${names}`)
})
