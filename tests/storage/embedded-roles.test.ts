import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { superuserPasswords } from '../../src/storage/embedded/superuser-password.ts'
import { ask, madeDataDir, newDataDir, openElsewhere, openHere } from '../support/embedded-data-folder.ts'

const read = async (dataDir: string, name: string) =>
  (await readFile(join(dataDir, 'postgres', name), 'utf8')).trim()

/** The same server as another role. */
function as(user: string, password: string, connectionString: string): string {
  const url = new URL(connectionString)
  Object.assign(url, { username: user, password, pathname: '/postgres' })
  return url.href
}

const ROLE = `SELECT rolsuper OR rolcreaterole OR rolreplication OR rolbypassrls AS is_mighty,
    (SELECT count(*)::int FROM pg_auth_members WHERE member = r.oid) AS memberships,
    (SELECT datdba::regrole::text FROM pg_database WHERE datname = 'claimkeeper') AS owner
  FROM pg_roles r WHERE rolname = 'claimkeeper'`

/** What must hold of every data folder that was opened. */
async function assertApart(dataDir: string, connectionString: string): Promise<void> {
  const [service, superuser] = [
    await read(dataDir, 'claimkeeper.password'),
    await read(dataDir, 'superuser.password'),
  ]
  assert.match(superuser, /^[0-9a-f]{64}$/)
  assert.notEqual(service, superuser)
  assert.equal(existsSync(join(dataDir, 'postgres', 'superuser.password.new')), false)
  for (const name of ['claimkeeper.password', 'claimkeeper.pgpass', 'superuser.password']) {
    assert.equal((await stat(join(dataDir, 'postgres', name))).mode & 0o777, 0o600, name)
  }
  assert.deepEqual(await ask(connectionString, ROLE), [
    { is_mighty: false, memberships: 0, owner: 'claimkeeper' },
  ])
  await assert.rejects(
    ask(as('postgres', service, connectionString), 'SELECT 1'),
    /password authentication failed/,
  )
  const rules = await ask(
    as('postgres', superuser, connectionString),
    'SELECT DISTINCT auth_method AS method FROM pg_hba_file_rules',
  )
  assert.deepEqual(rules, [{ method: 'scram-sha-256' }])
}

describe('the service’s role', { concurrency: 2 }, () => {
  test('is no superuser, cannot become one, and has a password of its own', async (t) => {
    const dataDir = await newDataDir(t)
    const database = await openHere(dataDir)
    t.after(() => database.release())
    await assertApart(dataDir, database.connectionString)
    for (const statement of [
      'ALTER ROLE claimkeeper SUPERUSER',
      'CREATE ROLE other SUPERUSER',
      'GRANT pg_execute_server_program TO claimkeeper',
      'SET ROLE postgres',
      "COPY (SELECT 1) TO PROGRAM 'id'",
      "SELECT pg_read_file('/etc/passwd')",
    ]) {
      await assert.rejects(ask(database.connectionString, statement), /permission denied/, statement)
    }
  })

  test('is let in by the password file, without a password on the command line', async (t) => {
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
})

describe('a data folder whose superuser shares the service’s password', { concurrency: 2 }, () => {
  test('gets another at the next start, and the role loses what it should not have', async (t) => {
    const dataDir = await earlierFolder(t)
    const database = await openHere(dataDir)
    t.after(() => database.release())
    await assertApart(dataDir, database.connectionString)
    assert.deepEqual(await ask(database.connectionString, 'SELECT value FROM kept'), [{ value: 7 }])
  })

  test('gets it from the next start where one was killed before or after the server took it', async (t) => {
    const dataDir = await earlierFolder(t)
    const next = join(dataDir, 'postgres', 'superuser.password.new')
    await writeFile(next, '', { mode: 0o600 })
    let database = await openHere(dataDir)
    await assertApart(dataDir, database.connectionString)
    await database.release()

    await rename(join(dataDir, 'postgres', 'superuser.password'), next)
    database = await openHere(dataDir)
    t.after(() => database.release())
    await assertApart(dataDir, database.connectionString)
  })

  test('is served to two that come at once', async (t) => {
    const dataDir = await earlierFolder(t)
    const opening = openHere(dataDir, 'service')
    t.after(async () => (await opening).release())
    const [here] = await Promise.all([opening, openElsewhere(t, dataDir, 'command')])
    await assertApart(dataDir, here.connectionString)
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
  await ask(database.connectionString, 'CREATE TABLE kept AS SELECT 7 AS value')
  const shared = await read(dataDir, 'claimkeeper.password')
  const superuser = as('postgres', await read(dataDir, 'superuser.password'), database.connectionString)
  await ask(
    superuser,
    `GRANT pg_execute_server_program TO claimkeeper; ALTER ROLE claimkeeper SUPERUSER CREATEROLE;
     ALTER DATABASE claimkeeper OWNER TO postgres; ALTER ROLE postgres PASSWORD '${shared}'`,
  )
  for (const name of ['superuser.password', 'claimkeeper.pgpass']) await rm(join(dataDir, 'postgres', name))
  await database.release()
  return dataDir
}
