import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, describe, test } from 'node:test'
import pg from 'pg'
import { checkServer } from '../../src/doctor/check-server.ts'
import { SESSION_SETTINGS } from '../../src/platform/database/connection-settings.ts'
import { openDatabase } from '../../src/platform/database/open-database.ts'
import { databaseNameOf } from '../support/database-nodes.ts'
import { queryOn } from '../support/embedded-data-folder.ts'
import { Database, Pool, SERVICE_ACCOUNT } from '../support/source/database.ts'
import { createTestDatabase } from '../support/test-database.ts'

/* Defaults of a role or a database do not change what the service reads and writes. */

/** Values that differ from those of the service. */
const FOREIGN: Record<string, string> = {
  timezone: 'America/St_Johns',
  datestyle: 'German, DMY',
  intervalstyle: 'sql_standard',
  bytea_output: 'escape',
  extra_float_digits: '-15',
  client_encoding: 'LATIN1',
  array_nulls: 'off',
  quote_all_identifiers: 'on',
  standard_conforming_strings: 'off',
  transform_null_equals: 'on',
  default_transaction_isolation: 'serializable',
  default_transaction_deferrable: 'on',
  exit_on_error: 'on',
  client_min_messages: 'error',
  lock_timeout: '7s',
  idle_session_timeout: '7s',
  statement_timeout: '7s',
  idle_in_transaction_session_timeout: '7s',
  enable_indexscan: 'off',
  enable_indexonlyscan: 'off',
  enable_nestloop: 'off',
  plan_cache_mode: 'force_custom_plan',
  jit: 'on',
}

/** Settings of speed, memory, logging and storage, and settings that affect no statement of the service. */
const NOT_SET = [
  /^(cpu|debug|enable|geqo|gin|jit|log|max_parallel|min_parallel|parallel|tcp|vacuum|wal)_/,
  /_(cost|limit|mem|work_mem|size|buffers|tablespaces?|digest|io_concurrency|warnings?)$/,
  /^(backend_flush_after|backslash_quote|check_function_bodies|client_connection_check_interval|commit_siblings)$/,
  /^(constraint_exclusion|createrole_self_grant|cursor_tuple_fraction|default_statistics_target|file_copy_method)$/,
  /^(default_table_access_method|default_text_search_config|default_toast_compression|force_parallel_mode|geqo)$/,
  /^(hash_mem_multiplier|icu_validation_level|lc_monetary|lc_numeric|lc_time|local_preload_libraries|role|seed)$/,
  /^(password_encryption|recursive_worktable_factor|restrict_nonsystem_relation_kind|row_security|scram_iterations)$/,
  /^(session_authorization|ssl_renegotiation_limit|stats_fetch_consistency|synchronize_seqscans|temp_file_limit)$/,
  /^(timezone_abbreviations|trace_notify|trace_sort|transaction_(deferrable|isolation|read_only)|xmlbinary|xmloption)$/,
  /^max_parallel_maintenance_workers$|^application_name$|^maintenance_/,
]
/** Set only if needed, or refused at the start. */
const CONDITIONAL = [
  'search_path',
  'default_transaction_read_only',
  'synchronous_commit',
  'transaction_timeout',
]

const databaseUrl = await createTestDatabase({ after })
const set = (defaults: Record<string, string>, whose: string) =>
  queryOn(
    databaseUrl,
    Object.entries(defaults)
      .map(([name, value]) => `ALTER ${whose} SET ${name} = '${value}'`)
      .join('; '),
  )
const name = databaseNameOf(databaseUrl)
const OWNERS = { 'the database': `DATABASE ${name}`, 'the role': `ROLE CURRENT_USER IN DATABASE ${name}` }

test('each setting of a session is set by the service, or affects none of its statements', async () => {
  const settings = await queryOn(
    databaseUrl,
    "SELECT lower(name) AS name FROM pg_settings WHERE context = 'user' AND name NOT LIKE '%.%'",
  )
  const known = new Set([...Object.keys(SESSION_SETTINGS), ...Object.keys(FOREIGN), ...CONDITIONAL])
  const others = settings.map((row) => String(row.name)).filter((setting) => !known.has(setting))
  assert.deepEqual(
    others.filter((setting) => !NOT_SET.some((pattern) => pattern.test(setting))),
    [],
  )
})

for (const [whose, owner] of Object.entries(OWNERS))
  describe(`defaults of ${whose}`, () => {
    test('change no setting of the service, and no value', async (t) => {
      assert.deepEqual(
        Object.keys(SESSION_SETTINGS).filter((setting) => !(setting in FOREIGN)),
        [],
      )
      const pool = new Pool({ connectionString: databaseUrl, size: 2 })
      t.after(() => pool.close())
      const usual = await sessionOf(pool)
      await set(FOREIGN, owner)
      t.after(() => queryOn(databaseUrl, `ALTER ${owner} RESET ALL`))
      const [foreign] = await queryOn(
        databaseUrl,
        "SELECT current_setting('datestyle') AS style, ARRAY['x', NULL]::text AS list, 0.1::float8 + 0.2 AS sum",
      )
      assert.deepEqual(foreign, { style: 'German, DMY', list: '{x,NULL}', sum: 0.3 })
      const other = new Pool({ connectionString: databaseUrl, size: 2 })
      t.after(() => other.close())
      assert.deepEqual(await sessionOf(other), usual)
      const database = new Database({ connectionString: databaseUrl, poolSize: 20 })
      t.after(() => database.close())
      const session = await database.openSession()
      t.after(() => session.end())
      for (const [setting, value] of Object.entries(SESSION_SETTINGS)) {
        const { rows } = await session.query('SELECT current_setting($1) AS value', [setting])
        assert.deepEqual([setting, rows], [setting, [{ value }]])
      }
    })

    test('name another schema first, or no schema that exists: the tables are found', async (t) => {
      await queryOn(databaseUrl, 'CREATE SCHEMA IF NOT EXISTS foreign_first')
      await queryOn(databaseUrl, 'CREATE TABLE IF NOT EXISTS foreign_first.users (id integer)')
      t.after(() => queryOn(databaseUrl, `ALTER ${owner} RESET ALL`))
      for (const path of ['foreign_first, public', 'foreign_first', 'no_such_schema', '']) {
        await queryOn(databaseUrl, `ALTER ${owner} SET search_path = ${path || "''"}`)
        const pool = new Pool({ connectionString: databaseUrl, size: 1 })
        const rows = await pool.for(SERVICE_ACCOUNT).query({
          text: "SELECT current_setting('search_path') AS path, 'users'::regclass::text AS found",
        })
        await pool.close()
        assert.deepEqual([path, rows], [path, [{ path: 'public', found: 'users' }]])
      }
    })
  })

/** The settings, and values as the service reads them. */
async function sessionOf(pool: Pool): Promise<unknown> {
  const db = pool.for(SERVICE_ACCOUNT)
  const settings = await db.query({
    text: 'SELECT name, setting FROM pg_settings WHERE name = ANY ($1) OR lower(name) = ANY ($1) ORDER BY name COLLATE "C"',
    values: [Object.keys(FOREIGN)],
  })
  const values = await db.query({
    text: `SELECT $1::timestamptz AS time, $1::timestamptz::text AS time_text, 0.1::float8 + 0.2 AS sum, $2::text[] AS list,
        $3::bytea AS bytes, $3::bytea::text AS bytes_text, interval '-1 day 2 hours' AS days, '\\d' AS pattern,
        '01/02/2026'::date::text AS date, timestamptz '2026-03-08 00:00Z' + interval '1 day' AS next_day`,
    values: [new Date('2026-01-02T03:04:05.006Z'), '{a,NULL}', Buffer.from('\\\xff', 'latin1')],
  })
  return { settings, values }
}

test('a table claim_events of another program leads to no other schema', async (t) => {
  const url = await createTestDatabase(t, { migrated: false })
  await queryOn(url, 'CREATE SCHEMA analytics; CREATE TABLE analytics.claim_events (id integer)')
  await open(url)
  const rows = await queryOn(
    url,
    "SELECT relnamespace::regnamespace::text AS schema FROM pg_class WHERE relname = 'claims'",
  )
  assert.deepEqual(rows, [{ schema: 'public' }])
})

test('an address that names a schema: another service has its tables there', async (t) => {
  const url = new URL(await createTestDatabase(t))
  await queryOn(url.href, 'CREATE SCHEMA second')
  url.searchParams.set('options', '-c search_path=second')
  await open(url.href)
  const rows = await queryOn(
    url.href,
    "SELECT relnamespace::regnamespace::text AS schema FROM pg_class WHERE relname = 'claims' ORDER BY 1",
  )
  assert.deepEqual(rows, [{ schema: 'public' }, { schema: 'second' }])
})

test('settings that the service does not override are refused at the start, with the statements that reset them', async (t) => {
  const url = await createTestDatabase(t, { migrated: false })
  const database = databaseNameOf(url)
  const owners = [
    [`DATABASE ${database}`, `ALTER DATABASE ${database}`],
    [
      `ROLE CURRENT_USER IN DATABASE ${database}`,
      `ALTER ROLE ${new URL(url).username} IN DATABASE ${database}`,
    ],
  ]
  const settings = [
    [
      'default_transaction_read_only',
      'on',
      'no transaction may write',
      'SET default_transaction_read_only = off; ',
    ],
    ['search_path', 'no_such_schema', 'no schema of this name exists', ''],
  ]
  for (const [[setting, value, effect, before], [owner, alter]] of settings.flatMap((one) =>
    owners.map((other) => [one, other] as const),
  )) {
    await queryOn(url, `ALTER ${owner} SET ${setting} = ${value}`)
    const undo = `${before}${alter} RESET ${setting}`
    await assert.rejects(open(url), {
      message: `Claimkeeper cannot work with these settings of its session: ${setting} = ${value} (${effect}). To undo: ${undo}.`,
    })
    const db = new Database({ connectionString: url, poolSize: 2 })
    const findings = await checkServer(db, { poolSize: 20, workers: 1, allowUnsafe: true })
    await db.close()
    assert.deepEqual(
      findings.filter(({ what }) => what === 'Session').map(({ status }) => status),
      ['fault'],
    )
    await inOneSession(url, undo.split('; '))
  }
  await open(url)
})

/** One statement at a time, as in psql. */
async function inOneSession(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

/** As a command that creates missing tables. */
async function open(databaseUrl: string): Promise<void> {
  const database = await openDatabase({
    databaseUrl,
    dataDir: '',
    poolSize: 20,
    role: 'command',
    mayCreate: true,
    allowUnsafe: true,
    report: () => {},
    signal: new AbortController().signal,
  })
  await database.close()
}

test('the startup message of a connection contains no settings, which a pooler would refuse', async (t) => {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const startup = once(server, 'connection').then(async ([socket]) => {
    const [first] = await once(socket, 'data')
    socket.destroy()
    return first as Buffer
  })
  const { port } = server.address() as AddressInfo
  const pool = new Pool({ connectionString: `postgres://u:p@127.0.0.1:${port}/d`, size: 1 })
  t.after(() => pool.close())
  await assert.rejects(pool.for(SERVICE_ACCOUNT).query({ text: 'SELECT 1' }))
  const words = (await startup).subarray(8).toString().split('\0')
  const names = words.filter((word, i) => i % 2 === 0 && word !== '')
  assert.deepEqual(names.sort(), ['application_name', 'client_encoding', 'database', 'user'])
})
