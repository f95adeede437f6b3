import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertUnavailable } from '../support/assert-error.ts'
import { databaseNameOf, nodesOfRun, onEachNode } from '../support/database-nodes.ts'
import { eventually } from '../support/eventually.ts'
import { newClock } from '../support/new-records.ts'
import { runSharedCli } from '../support/shared-cli.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { startTestService } from '../support/test-service.ts'

/** Sent to another database, so that it still can be changed at the limit. */
const limit = (databaseUrl: string, max: number) =>
  onEachNode(nodesOfRun(), (client) =>
    client.query(`ALTER DATABASE ${databaseNameOf(databaseUrl)} CONNECTION LIMIT ${max}`),
  )

test('if PostgreSQL refuses a connection, the answer says so, and /readyz names the limit', async (t) => {
  const { api, clientWith, databaseUrl, sql } = await startTestService(t)
  const [role] = await sql('SELECT rolsuper FROM pg_roles WHERE rolname = current_user')
  if (role?.rolsuper) return t.skip('no limit holds for a superuser')
  const nobody = clientWith(null)
  const database = databaseNameOf(databaseUrl)
  const clock = await newClock(api)
  assert.equal((await nobody.get('/readyz')).status, 200)
  await limit(databaseUrl, 2)
  const advance = () => api.post(`/v1/test_clocks/${clock}/advance`, { frozen_time: '2040-01-01T00:00:00Z' })
  const refused = await advance()
  assertUnavailable(refused)
  assert.match(refused.body.error.message, /^The database gives this server no more connections: /)
  // The previous answer of /readyz is reused for two seconds.
  const answer = await eventually(async () => {
    const one = await nobody.get('/readyz')
    return one.status === 503 && one
  })
  assert.match(
    answer.body.error.message,
    new RegExp(
      `^PostgreSQL gives this server no more connections: the CONNECTION LIMIT of the database ${database} is 2, other programs use \\d+, and DATABASE_POOL_SIZE is 16\\. Lower DATABASE_POOL_SIZE `,
    ),
  )
  await limit(databaseUrl, -1)
  await eventually(async () => (await nobody.get('/readyz')).status === 200)
  assert.equal((await advance()).status, 200)
})

test('doctor names a limit that is too low for the pool', async (t) => {
  const DATABASE_URL = await createTestDatabase(t)
  const database = databaseNameOf(DATABASE_URL)
  const settings = { DATABASE_URL, CLAIMKEEPER_ALLOW_UNSAFE_DATABASE: 'true', DATABASE_POOL_SIZE: '20' }
  const found = async () => {
    const { stdout } = await runSharedCli(['doctor', '--json'], settings)
    return JSON.parse(stdout).checks.find(({ what }: { what: string }) => what === 'Connections')
  }
  await limit(DATABASE_URL, 22)
  assert.deepEqual(await found(), {
    what: 'Connections',
    status: 'fault',
    found: `this server needs up to 23 (DATABASE_POOL_SIZE of 20 and 3 more), and 22 of 22 are free for Claimkeeper (CONNECTION LIMIT of the database ${database})`,
    advice: 'Lower DATABASE_POOL_SIZE or CLAIMKEEPER_WORKERS, or raise the limit in PostgreSQL.',
  })
  await limit(DATABASE_URL, 23)
  assert.match((await found()).found, /: too few for a second server$/)
})
