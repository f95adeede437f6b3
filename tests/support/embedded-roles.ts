import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { queryOn } from './embedded-data-folder.ts'

/** A secret file of the cluster. */
export const readSecret = async (dataDir: string, name: string) =>
  (await readFile(join(dataDir, 'postgres', name), 'utf8')).trim()

/** The URL of the same server with another role. */
export function as(user: string, password: string, connectionString: string): string {
  const url = new URL(connectionString)
  Object.assign(url, { username: user, password, pathname: '/postgres' })
  return url.href
}

const ROLE = `SELECT rolsuper OR rolcreaterole OR rolreplication OR rolbypassrls AS is_mighty,
    (SELECT count(*)::int FROM pg_auth_members WHERE member = r.oid) AS memberships,
    (SELECT datdba::regrole::text FROM pg_database WHERE datname = 'claimkeeper') AS owner
  FROM pg_roles r WHERE rolname = 'claimkeeper'`

/** Invariants of every data folder that was opened. */
export async function assertRolesApart(dataDir: string, connectionString: string): Promise<void> {
  const [service, superuser] = [
    await readSecret(dataDir, 'claimkeeper.password'),
    await readSecret(dataDir, 'superuser.password'),
  ]
  assert.match(superuser, /^[0-9a-f]{64}$/)
  assert.notEqual(service, superuser)
  assert.equal(existsSync(join(dataDir, 'postgres', 'superuser.password.new')), false)
  for (const name of ['claimkeeper.password', 'claimkeeper.pgpass', 'superuser.password']) {
    assert.equal((await stat(join(dataDir, 'postgres', name))).mode & 0o777, 0o600, name)
  }
  assert.deepEqual(await queryOn(connectionString, ROLE), [
    { is_mighty: false, memberships: 0, owner: 'claimkeeper' },
  ])
  await assert.rejects(
    queryOn(as('postgres', service, connectionString), 'SELECT 1'),
    /password authentication failed/,
  )
  const rules = await queryOn(
    as('postgres', superuser, connectionString),
    'SELECT DISTINCT auth_method AS method FROM pg_hba_file_rules',
  )
  assert.deepEqual(rules, [{ method: 'scram-sha-256' }])
}
