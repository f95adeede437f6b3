import assert from 'node:assert/strict'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { databaseNameOf, isOnCitus } from '../support/database-nodes.ts'
import { madeDataDir, openHere, queryOn } from '../support/embedded-data-folder.ts'
import { startServeProcess } from '../support/serve-process.ts'
import { runSharedCli } from '../support/shared-cli.ts'
import { createTestDatabase } from '../support/test-database.ts'

/** On a server that keeps what it acknowledges, as the run's need not. */
async function durableDatabase(t: TestContext): Promise<string> {
  if (isOnCitus()) return createTestDatabase(t)
  const { connectionString, release } = await openHere(await madeDataDir(t))
  t.after(() => release())
  return connectionString
}

test('a server with fsync and full_page_writes off is refused in one line that says what to do', async (t) => {
  const dataDir = await madeDataDir(t)
  await (await openHere(dataDir)).release()
  await appendFile(join(dataDir, 'postgres', 'postgresql.conf'), 'fsync = off\nfull_page_writes = off\n')
  const unsafe = await openHere(dataDir)
  t.after(() => unsafe.release())
  for (const settings of [{ CLAIMKEEPER_DATA_DIR: dataDir }, { DATABASE_URL: unsafe.connectionString }]) {
    const { status, stderr } = await runSharedCli(['serve'], settings)
    assert.equal(status, 1)
    const [line = '', ...more] = stderr.trimEnd().split('\n')
    assert.deepEqual(more, [])
    assert.match(line, /^claimkeeper: The database may lose acknowledged data: fsync = off .*/)
    assert.match(
      line,
      /full_page_writes = off .*Set fsync = on, full_page_writes = on .*ALLOW_UNSAFE_DATABASE/,
    )
    assert.ok(!line.includes('synchronous_commit'))
  }
  const CLAIMKEEPER_ALLOW_UNSAFE_DATABASE = 'true'
  await startServeProcess(t, { DATABASE_URL: unsafe.connectionString, CLAIMKEEPER_ALLOW_UNSAFE_DATABASE })
})

test('a database with synchronous_commit = off is refused; local, remote_write and remote_apply are accepted', async (t) => {
  const DATABASE_URL = await durableDatabase(t)
  const expected = /^claimkeeper: The database may lose .*: synchronous_commit = off .*\n$/
  await queryOn(DATABASE_URL, `ALTER DATABASE ${databaseNameOf(DATABASE_URL)} SET synchronous_commit = off`)
  assert.match((await runSharedCli(['migrate'], { DATABASE_URL })).stderr, expected)
  const allowed = { DATABASE_URL, CLAIMKEEPER_ALLOW_UNSAFE_DATABASE: 'true' }
  assert.equal((await runSharedCli(['migrate'], allowed)).status, 0)
  for (const kept of ['local', 'remote_write', 'remote_apply']) {
    await queryOn(
      DATABASE_URL,
      `ALTER DATABASE ${databaseNameOf(DATABASE_URL)} SET synchronous_commit = ${kept}`,
    )
    assert.equal((await runSharedCli(['migrate'], { DATABASE_URL })).status, 0, kept)
  }
})
