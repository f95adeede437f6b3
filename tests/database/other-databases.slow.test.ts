import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import pg from 'pg'
import { findPrograms } from '../support/make-node.ts'
import { PostgresNode } from '../support/postgres-node.ts'
import { runCli, startServeProcess } from '../support/serve-process.ts'
import { CODE_VERSION, OWN_MIGRATIONS } from '../support/source/database.ts'
import { findBinaries } from '../support/source/embedded.ts'

/* Tests that need a superuser of PostgreSQL, and so a server of their own. */

const folder = await mkdtemp(join(tmpdir(), 'claimkeeper-others-'))
after(() => rm(folder, { recursive: true, force: true }))
await chmod(folder, 0o755)
const node = await PostgresNode.create(
  await findPrograms(dirname((await findBinaries()).postgres)),
  join(folder, 'data'),
  '',
)
after(() => node.end('SIGINT'))

async function newDatabase(name: string, options = ''): Promise<string> {
  await node.sql(`CREATE ROLE ${name} LOGIN`)
  await node.sql(`CREATE DATABASE ${name} OWNER ${name} ${options}`)
  return `postgres://${name}@127.0.0.1:${node.port}/${name}`
}

test('tables and views of extensions do not prevent the migration', async () => {
  const DATABASE_URL = await newDatabase('extended')
  await node.sql(
    `CREATE TABLE spatial_ref_sys (srid int); ALTER EXTENSION plpgsql ADD TABLE spatial_ref_sys;
     CREATE VIEW geometry_columns AS SELECT 1 AS one; ALTER EXTENSION plpgsql ADD VIEW geometry_columns`,
    'extended',
  )
  const { status, stderr } = await runCli(['migrate'], { DATABASE_URL })
  assert.equal(status, 0, stderr)
})

test('a start warns if the role has a lower connection limit than the pool needs, with the numbers', async (t) => {
  const DATABASE_URL = await newDatabase('few')
  await node.sql('ALTER ROLE few CONNECTION LIMIT 18')
  const served = await startServeProcess(t, { DATABASE_URL, LOG_LEVEL: 'warn' })
  const warning =
    /PostgreSQL allows too few connections: this server needs up to 19 \(DATABASE_POOL_SIZE of 16 and 3 more\)\. The CONNECTION LIMIT of the role few is 18, and \d+ are in use\. Lower DATABASE_POOL_SIZE /
  assert.match(served.output(), warning)
  await served.end('SIGTERM')
  await node.sql('ALTER ROLE few CONNECTION LIMIT -1')
  const again = await startServeProcess(t, { DATABASE_URL, LOG_LEVEL: 'warn' })
  assert.doesNotMatch(again.output(), /connections/)
})

test('sessions of other roles count, although PostgreSQL hides their backend_type', async () => {
  const DATABASE_URL = await newDatabase('shared')
  await node.sql('ALTER DATABASE shared CONNECTION LIMIT 20')
  assert.equal((await runCli(['migrate'], { DATABASE_URL })).status, 0)
  await node.sql('CREATE ROLE other LOGIN')
  const others = [1, 2, 3].map(() => new pg.Client(DATABASE_URL.replace('//shared', '//other')))
  await Promise.all(others.map((client) => client.connect()))
  const { stdout } = await runCli(['doctor', '--json'], { DATABASE_URL })
  await Promise.all(others.map((client) => client.end()))
  const found = JSON.parse(stdout).checks.find(({ what }: { what: string }) => what === 'Connections')
  assert.match(
    found.found,
    /, and 17 of 20 are free for Claimkeeper \(CONNECTION LIMIT of the database shared\)/,
  )
})

test('doctor names an older database in another encoding, and a backup moves its claims', async () => {
  const from = await newDatabase('latin', "ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'")
  const client = new pg.Client(from)
  await client.connect()
  for (const { text } of OWN_MIGRATIONS) await client.query(text.replaceAll(' CONCURRENTLY', ''))
  await client.query(`CREATE TABLE schema_migrations (version integer PRIMARY KEY, name text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now(), works_from integer, is_done boolean NOT NULL DEFAULT true)`)
  for (const { version, name, worksFrom } of OWN_MIGRATIONS)
    await client.query('INSERT INTO schema_migrations VALUES ($1, $2, now(), $3)', [version, name, worksFrom])
  await client.query(
    "INSERT INTO users (id, email, name, created_at) VALUES (gen_random_uuid(), 'ü@example.com', 'Ä', now())",
  )
  await client.end()

  const examined = await runCli(['doctor', '--json'], { DATABASE_URL: from })
  const checks = JSON.parse(examined.stdout).checks as { what: string; status: string; found: string }[]
  assert.equal(examined.status, 1)
  const { status, found } = checks.find(({ what }) => what === 'Encoding') ?? {}
  assert.deepEqual([status, found], ['fault', 'LATIN1'])
  assert.match(checks.find(({ what }) => what === 'Migrations')?.found ?? '', new RegExp(`^${CODE_VERSION}`))
  assert.equal((await runCli(['user', 'list'], { DATABASE_URL: from })).status, 1)

  const file = join(folder, 'latin.backup')
  assert.equal((await runCli(['backup', file], { DATABASE_URL: from })).status, 0)
  const refused = await newDatabase('latin_again', "ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'")
  assert.equal((await runCli(['restore', file], { DATABASE_URL: refused })).status, 1)
  const to = await newDatabase('unicode')
  const restored = await runCli(['restore', file], { DATABASE_URL: to })
  assert.equal(restored.status, 0, restored.stderr)
  assert.match((await runCli(['user', 'list'], { DATABASE_URL: to })).stdout, /ü@example\.com/)
})
