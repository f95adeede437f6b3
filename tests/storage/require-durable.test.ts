import assert from 'node:assert/strict'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { Database } from '../../src/storage/database/database.ts'
import { isOnCitus } from '../support/database-nodes.ts'
import { madeDataDir, openHere } from '../support/embedded-data-folder.ts'
import { runCli, startServeProcess } from '../support/serve-process.ts'
import { createTestDatabase } from '../support/test-database.ts'

async function onDatabase(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(text)
  await client.end()
}

const nameOf = (url: string) => new URL(url).pathname.slice(1)

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
    const { status, stderr } = await runCli(['serve'], settings)
    assert.equal(status, 1)
    const [line = '', ...more] = stderr.trimEnd().split('\n')
    assert.deepEqual(more, [])
    assert.match(line, /^claimkeeper: The database does not keep what it acknowledges: fsync = off .*/)
    assert.match(
      line,
      /full_page_writes = off .*Set fsync = on, full_page_writes = on .*ALLOW_UNSAFE_DATABASE/,
    )
    assert.ok(!line.includes('synchronous_commit'))
  }
  const CLAIMKEEPER_ALLOW_UNSAFE_DATABASE = 'true'
  await startServeProcess(t, { DATABASE_URL: unsafe.connectionString, CLAIMKEEPER_ALLOW_UNSAFE_DATABASE })
})

test('synchronous_commit off is refused, be it of the database, the role or the address', async (t) => {
  const DATABASE_URL = await durableDatabase(t)
  const expected = /^claimkeeper: The database does not keep .*: synchronous_commit = off .*\n$/
  const ofAddress = new URL(DATABASE_URL)
  ofAddress.searchParams.set('options', '-c synchronous_commit=off')
  const refused = await runCli(['migrate'], { DATABASE_URL: ofAddress.href })
  assert.deepEqual([refused.status, refused.stdout], [1, ''])
  assert.match(refused.stderr, expected)

  await onDatabase(DATABASE_URL, `ALTER DATABASE ${nameOf(DATABASE_URL)} SET synchronous_commit = off`)
  assert.match((await runCli(['migrate'], { DATABASE_URL })).stderr, expected)
  const allowed = { DATABASE_URL, CLAIMKEEPER_ALLOW_UNSAFE_DATABASE: 'true' }
  assert.equal((await runCli(['migrate'], allowed)).status, 0)
  for (const kept of ['local', 'remote_write', 'remote_apply']) {
    await onDatabase(DATABASE_URL, `ALTER DATABASE ${nameOf(DATABASE_URL)} SET synchronous_commit = ${kept}`)
    assert.equal((await runCli(['migrate'], { DATABASE_URL })).status, 0, kept)
  }
})

test('our connections wait for the disk, whatever is changed after the start; what asks for more keeps it', async (t) => {
  const connectionString = await createTestDatabase(t)
  for (const [said, expected] of [
    ['off', 'on'],
    ['local', 'local'],
    ['remote_apply', 'remote_apply'],
  ]) {
    await onDatabase(
      connectionString,
      `ALTER DATABASE ${nameOf(connectionString)} SET synchronous_commit = ${said}`,
    )
    const db = new Database({ connectionString, poolSize: 9 })
    const rows = await db.query({ text: "SELECT current_setting('synchronous_commit') AS level" })
    await db.close()
    assert.deepEqual(rows, [{ level: expected }])
  }
})
