import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { findPrograms } from '../support/make-node.ts'
import { PostgresNode } from '../support/postgres-node.ts'
import { runCli } from '../support/serve-process.ts'
import { Pool, SERVICE_ACCOUNT } from '../support/source/database.ts'
import { findBinaries } from '../support/source/embedded.ts'

const folder = await mkdtemp(join(tmpdir(), 'claimkeeper-encryption-'))
after(() => rm(folder, { recursive: true, force: true }))
await chmod(folder, 0o755)

/** Self-signed, for the name `localhost`. */
function makeCertificate(name: string): { crt: string; key: string } {
  const [crt, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)]
  const of = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  execFileSync('openssl', ['req', ...kind, ...of, '-keyout', key, '-out', crt], { stdio: 'pipe' })
  return { crt, key }
}

const own = makeCertificate('own')
const others = makeCertificate('others')
const programs = await findPrograms(dirname((await findBinaries()).postgres))

/** A server that accepts only connections of this type of pg_hba.conf. */
async function startServer(name: string, type: string, settings: string): Promise<PostgresNode> {
  const node = await PostgresNode.create(programs, join(folder, name), settings)
  after(() => node.end('SIGINT'))
  await node.sql(`CREATE ROLE guest LOGIN`)
  await node.sql(
    `COPY (SELECT '${type} all guest 127.0.0.1/32 trust' UNION ALL SELECT 'host all postgres 127.0.0.1/32 trust') TO '${join(folder, name, 'pg_hba.conf')}'`,
  )
  await node.sql('SELECT pg_reload_conf()')
  return node
}

const encrypted = `
ssl = on
ssl_cert_file = '${own.crt}'
ssl_key_file = '${own.key}'
`
if (programs.runAs.user) execFileSync('chown', [`${programs.runAs.user.uid}`, own.key])
const servers = {
  'supports encryption': await startServer('either', 'host', encrypted),
  'requires encryption': await startServer('only', 'hostssl', encrypted),
  'refuses encryption': await startServer('never', 'hostnossl', encrypted),
  'does not support encryption': await startServer('off', 'host', ''),
}
type Server = keyof typeof servers

/** Whether the connection is encrypted; null if there is none. */
async function connect(server: Server, query: string, host = '127.0.0.1'): Promise<boolean | null> {
  const pool = new Pool({
    connectionString: `postgres://guest@${host}:${servers[server].port}/postgres?${query}`,
    size: 2,
  })
  try {
    const connectWith = () =>
      pool
        .for(SERVICE_ACCOUNT)
        .query<{ ssl: boolean }>({ text: 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()' })
    // Two at once: both may need the second attempt.
    const [[one], [other]] = (await Promise.all([connectWith(), connectWith()])) as [
      { ssl: boolean }[],
      { ssl: boolean }[],
    ]
    assert.deepEqual(one, other)
    return one?.ssl ?? null
  } catch {
    return null
  } finally {
    await pool.close()
  }
}

describe('each sslmode has the same result as with libpq on a server that', () => {
  const modes: Record<Server, Record<string, boolean | null>> = {
    'supports encryption': { disable: false, allow: false, prefer: true, require: true },
    'requires encryption': { disable: null, allow: true, prefer: true, require: true },
    'refuses encryption': { disable: false, allow: false, prefer: false, require: null },
    'does not support encryption': { disable: false, allow: false, prefer: false, require: null },
  }
  for (const [server, expected] of Object.entries(modes))
    test(server, async () => {
      const found = await Promise.all(
        Object.keys(expected).map(async (mode) => [mode, await connect(server as Server, `sslmode=${mode}`)]),
      )
      assert.deepEqual(Object.fromEntries(found), expected)
    })
})

test('verify-ca verifies the certificate, verify-full the host name too; require with a root certificate means verify-ca', async () => {
  const connectWith = (mode: string, { crt }: { crt: string }, host?: string) =>
    connect('supports encryption', `sslmode=${mode}&sslrootcert=${crt}`, host)
  assert.equal(await connectWith('verify-ca', own), true)
  assert.equal(await connectWith('verify-ca', others), null)
  assert.equal(await connectWith('require', own), true)
  assert.equal(await connectWith('require', others), null)
  assert.equal(await connectWith('prefer', others), false)
  assert.equal(await connectWith('verify-full', own), null)
  assert.equal(await connectWith('verify-full', own, 'localhost'), true)
  assert.equal(await connectWith('verify-full', others, 'localhost'), null)
  assert.equal(await connect('supports encryption', 'sslmode=verify-full', 'localhost'), null)
})

test('commands and separate sessions use the same encryption, and no output contains a part of the password', async () => {
  const node = servers['requires encryption']
  await node.sql(`ALTER ROLE guest PASSWORD 'hunter2'; ALTER ROLE guest CREATEDB`)
  await node.sql('CREATE DATABASE claims OWNER guest')
  const at = (query: string) => `postgres://guest:hunter2@127.0.0.1:${node.port}/claims?${query}&sslmod=x`
  const outputs: string[] = []
  const run = async (args: string[], DATABASE_URL: string, settings = {}) => {
    const result = await runCli(args, { DATABASE_URL, PGPASSWORD: 'hunter2', ...settings })
    outputs.push(result.stdout, result.stderr)
    return result
  }
  assert.equal((await run(['migrate'], at('sslmode=allow'))).status, 0)
  assert.match(outputs.join(''), /DATABASE_URL has unknown parameters, which have no effect: sslmod/)
  const file = join(folder, 'claims.backup')
  assert.equal((await run(['backup', file], at('sslmode=allow'))).status, 0)
  assert.equal((await run(['user', 'list'], at('a=b'), { PGSSLMODE: 'require' })).status, 0)
  for (const url of [
    at('sslmode=disable'),
    at('sslmode=sometimes'),
    at('sslmode=require').replace('/claims', '/nothing'),
    `postgres://guest:hunter2#x@127.0.0.1:${node.port}/claims`,
    `postgres://127.0.0.1:${node.port}/nothing?user=guest&password=hunter2&hunter2`,
  ])
    for (const args of [['user', 'list'], ['backup', '--force', file], ['doctor']])
      assert.equal((await run(args, url)).status, 1, `${args} ${url}`)
  for (const text of outputs) assert.doesNotMatch(text, /hunter|er2/)
  assert.ok(!readFileSync(file).includes('hunter'))
})
