import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databaseNameOf } from '../support/database-nodes.ts'
import { queryOn } from '../support/embedded-data-folder.ts'
import { runCli } from '../support/serve-process.ts'
import { Database } from '../support/source/database.ts'
import { createTestDatabase } from '../support/test-database.ts'

test('a database that may lose acknowledged data is rejected in one line', async (t) => {
  const url = new URL(await createTestDatabase(t))
  url.searchParams.set('options', '-c synchronous_commit=off')
  const settings = { DATABASE_URL: url.href, CLAIMKEEPER_ALLOW_UNSAFE_DATABASE: '' }
  const { status, stdout, stderr } = await runCli(['migrate'], settings)
  assert.deepEqual([status, stdout], [1, ''])
  assert.match(stderr, /^claimkeeper: The database may lose [^\n]*synchronous_commit = off [^\n]*\n$/)
})

test('our connections wait for the disk, whatever is changed after the start; what asks for more keeps it', async (t) => {
  const connectionString = await createTestDatabase(t)
  for (const [said, expected] of [
    ['off', 'on'],
    ['local', 'local'],
    ['remote_apply', 'remote_apply'],
  ]) {
    await queryOn(
      connectionString,
      `ALTER DATABASE ${databaseNameOf(connectionString)} SET synchronous_commit = ${said}`,
    )
    const db = new Database({ connectionString, poolSize: 9 })
    const rows = await db.query({ text: "SELECT current_setting('synchronous_commit') AS level" })
    await db.close()
    assert.deepEqual(rows, [{ level: expected }])
  }
})
