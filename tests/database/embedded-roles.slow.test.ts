import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { superuserPasswords } from '../../src/platform/database/embedded/session.ts'
import { madeDataDir, openElsewhere, openHere, queryOn } from '../support/embedded-data-folder.ts'
import { as, assertRolesApart, readSecret } from '../support/embedded-roles.ts'

test('the service’s role is let in by the password file, without a password on the command line', async (t) => {
  const dataDir = await madeDataDir(t)
  const database = await openHere(dataDir)
  t.after(() => database.release())
  const { port } = new URL(database.connectionString)
  const script = `
    const { Client } = require('pg')
    const client = new Client({ host: '127.0.0.1', port: ${port}, user: 'claimkeeper', database: 'claimkeeper' })
    client.connect().then(() => client.query('SELECT current_user')).then(({ rows }) => {
      console.log(rows[0].current_user)
      return client.end()
    })`
  const env = { PATH: process.env.PATH, PGPASSFILE: join(dataDir, 'postgres', 'claimkeeper.pgpass') }
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=commonjs', '-e', script], {
    env,
  })
  assert.equal(stdout, 'claimkeeper\n')
})

describe('a data folder whose superuser shares the service’s password', { concurrency: 2 }, () => {
  test('gets another at the next start, and the role loses what it should not have', async (t) => {
    const dataDir = await earlierFolder(t)
    const database = await openHere(dataDir)
    t.after(() => database.release())
    await assertRolesApart(dataDir, database.connectionString)
    assert.deepEqual(await queryOn(database.connectionString, 'SELECT value FROM kept'), [{ value: 7 }])
  })

  test('gets it from the next start where one was killed before or after the server took it', async (t) => {
    const dataDir = await earlierFolder(t)
    const next = join(dataDir, 'postgres', 'superuser.password.new')
    await writeFile(next, '', { mode: 0o600 })
    let database = await openHere(dataDir)
    await assertRolesApart(dataDir, database.connectionString)
    await database.release()

    await rename(join(dataDir, 'postgres', 'superuser.password'), next)
    database = await openHere(dataDir)
    t.after(() => database.release())
    await assertRolesApart(dataDir, database.connectionString)
  })

  test('is served to two that come at once', async (t) => {
    const dataDir = await earlierFolder(t)
    const opening = openHere(dataDir, 'service')
    t.after(async () => (await opening).release())
    const [here] = await Promise.all([opening, openElsewhere(t, dataDir, 'command')])
    await assertRolesApart(dataDir, here.connectionString)
  })
})

test('a password is found at every moment of its being moved to its place', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'claimkeeper-passwords-'))
  t.after(() => rm(dir, { recursive: true }))
  const password = 'f'.repeat(64)
  const next = join(dir, 'superuser.password.new')
  for (let n = 0; n < 500; n++) {
    await writeFile(next, password)
    const [found] = await Promise.all([
      superuserPasswords({ dir }),
      rename(next, join(dir, 'superuser.password')),
    ])
    assert.ok(found.includes(password))
    await rm(join(dir, 'superuser.password'))
  }
})

/** As earlier versions made it, and somebody has given the role more since. */
async function earlierFolder(t: TestContext): Promise<string> {
  const dataDir = await madeDataDir(t)
  const database = await openHere(dataDir)
  await queryOn(database.connectionString, 'CREATE TABLE kept AS SELECT 7 AS value')
  const shared = await readSecret(dataDir, 'claimkeeper.password')
  const superuser = as('postgres', await readSecret(dataDir, 'superuser.password'), database.connectionString)
  await queryOn(
    superuser,
    `GRANT pg_execute_server_program TO claimkeeper; ALTER ROLE claimkeeper SUPERUSER CREATEROLE;
     ALTER DATABASE claimkeeper OWNER TO postgres; ALTER ROLE postgres PASSWORD '${shared}'`,
  )
  for (const name of ['superuser.password', 'claimkeeper.pgpass']) await rm(join(dataDir, 'postgres', name))
  await database.release()
  return dataDir
}
