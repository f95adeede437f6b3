import assert from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { runWithInput } from '../cli/run-with-input.ts'
import { newDataFolder } from '../support/data-folder.ts'
import { isOnCitus } from '../support/database-nodes.ts'
import { queryOn } from '../support/embedded-data-folder.ts'
import { newCalendar, newClaim, newSchema } from '../support/new-records.ts'
import { runCli } from '../support/serve-process.ts'
import { sharedService } from '../support/shared.ts'
import { restoreBackup } from '../support/source/backup.ts'
import { migrate, OWN_MIGRATIONS, Pool } from '../support/source/database.ts'
import { OperatorError } from '../support/source/errors.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { createBackup, emptyDatabase, inChunks, listTables, silentOptions } from './backups.ts'

const service = await sharedService()
const { api, databaseUrl: DATABASE_URL } = service
test('a backup of distributed claims is rejected with one line that names the alternative', {
  skip: !isOnCitus(),
}, async () => {
  const { status, stdout, stderr } = await runCli(['backup', '-'], { DATABASE_URL })
  assert.deepEqual([status, stdout], [1, ''])
  assert.match(
    stderr,
    /claimkeeper: The claims are distributed by Citus[^\n]+citus_create_restore_point[^\n]+\n$/,
  )
})

test('a backup is restored unchanged, with hashes and identities, and replaces no file without --force', {
  skip: isOnCitus(),
}, async (t) => {
  const { id } = await newClaim(api)
  await api.post(`/v1/claims/${id}/events`, { id: 'one', type: 'seen', value: 'tab\t, line\n, \\.' })
  const schema = await newSchema(api)
  await api.patch(`/v1/schemas/${schema.id}`, { name: 'of a version that it had' })
  const calendar = await newCalendar(api)
  await api.patch(`/v1/calendars/${calendar.id}`, { holidays: ['2026-12-25'] })
  const file = join(dirname(await newDataFolder(t)), 'whole')
  await writeFile(file, 'mine')
  const refused = await runCli(['backup', file], { DATABASE_URL })
  assert.deepEqual([refused.status, await readFile(file, 'utf8')], [1, 'mine'])
  assert.match(refused.stderr, /^claimkeeper: [^\n]+\n$/m)

  const forced = await runCli(['backup', '--force', file], { DATABASE_URL })
  assert.equal(forced.status, 0, forced.stderr)
  assert.match(await readFile(file, 'latin1'), /^claimkeeper-backup /)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  const url = await emptyDatabase(t)
  const restore = await runWithInput(url, ['restore', '-'], await readFile(file))
  assert.equal(restore.status, 0, restore.stderr)
  for (const table of [
    'claims',
    'claim_events',
    'contracts',
    'claim_schemas',
    'claim_schema_versions',
    'calendars',
    'calendar_versions',
    'customers',
    'api_tokens',
    'notifications',
  ]) {
    const rows = `SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM ${table} t`
    assert.deepEqual(await queryOn(url, rows), await service.sql(rows), table)
  }
  await assert.rejects(restoreBackup(inChunks(await readFile(file)), url, silentOptions), {
    name: 'OperatorError',
    message: /^The database is not empty \(\w+ and \d+ more\)/,
  })
})

test('a damaged or truncated backup is rejected, and nothing is restored', {
  skip: isOnCitus(),
}, async (t) => {
  const whole = await createBackup(await createTestDatabase(t))
  const damaged = Buffer.from(whole)
  const middle = whole.length >> 1
  damaged[middle] = (damaged[middle] as number) ^ 1
  const url = await emptyDatabase(t)
  for (const bytes of [damaged, whole.subarray(0, middle)]) {
    await assert.rejects(restoreBackup(inChunks(bytes), url, silentOptions), OperatorError)
    assert.deepEqual(await listTables(url), [])
  }
})

test('a backup of an older version is restored at that version and migrated; one of a newer version is rejected', {
  skip: isOnCitus(),
}, async (t) => {
  const old = await emptyDatabase(t)
  const pool = new Pool({ connectionString: old, size: 1 })
  t.after(() => pool.close())
  await migrate(
    pool.for('tests'),
    () => {},
    OWN_MIGRATIONS.filter(({ version }) => version <= 6),
  )
  await queryOn(
    old,
    "INSERT INTO users (id, email, created_at) VALUES (gen_random_uuid(), 'old@example.com', now())",
  )
  await queryOn(
    old,
    `INSERT INTO claims (id, user_id, customer_id, contract, decisive_event_types, status, status_since, due_at, created_at)
    SELECT gen_random_uuid(), id, id, '{"price": 12.5}', '{}', 'OPEN', now(), now(), now() FROM users`,
  )
  const bytes = await createBackup(old)
  const url = await emptyDatabase(t)
  await restoreBackup(inChunks(bytes), url, silentOptions)
  const [row] = await queryOn(
    url,
    'SELECT price::text, (SELECT max(version) FROM schema_migrations) > 6 AS newer FROM claims',
  )
  assert.deepEqual(row, { price: '12.5', newer: true })

  const newer = Buffer.from(bytes.toString('latin1').replace('"migration":6', '"migration":999'), 'latin1')
  await assert.rejects(
    restoreBackup(inChunks(newer), await emptyDatabase(t), silentOptions),
    /is newer than this Claimkeeper/,
  )
})
