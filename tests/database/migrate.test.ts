import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { migrationsWith } from '../support/migration-folder.ts'
import {
  CODE_VERSION,
  incompatibilityReason,
  migrate,
  OWN_MIGRATIONS,
  readSchemaVersion,
} from '../support/source/database.ts'
import { LAST_MIGRATION, openNew } from './open-new.ts'

const quietly = () => {}
/** The number of the next version's n-th migration, as its file says it. */
const next = (n = 1) => String(CODE_VERSION + n).padStart(4, '0')

test('servers that start together run each migration once', async (t) => {
  const open = await openNew(t)
  const reports: string[] = []
  await Promise.all(Array.from({ length: 5 }, () => migrate(open(), (step) => reports.push(step))))
  for (const { name } of OWN_MIGRATIONS)
    assert.equal(reports.filter((step) => step.includes(name)).length, 1, name)
  assert.equal((await readSchemaVersion(open())).version, CODE_VERSION)
})

test('a migration that fails leaves nothing behind', async (t) => {
  const db = (await openNew(t))()
  await db.query({ text: 'CREATE TABLE claims (in_the_way int)' })
  await assert.rejects(migrate(db, quietly))
  const tables = await db.query({ text: "SELECT tablename FROM pg_tables WHERE schemaname = 'public'" })
  assert.deepEqual(tables, [{ tablename: 'claims' }])
})

test('a database of a newer version is used if its migrations are compatible with this code, and otherwise rejected in one line', async (t) => {
  const db = (await openNew(t, true))()
  const works = {
    'one-more': `-- Works with servers from ${LAST_MIGRATION} on.\nCREATE TABLE one_more (n int);\n`,
  }
  await migrate(db, quietly, await migrationsWith(t, works))
  await migrate(db, quietly)
  assert.equal(incompatibilityReason(await readSchemaVersion(db)), null)
  const more = { ...works, another: `-- Works with servers from ${next()} on.\nDROP TABLE one_more;\n` }
  await migrate(db, quietly, await migrationsWith(t, more))
  const refused = {
    name: 'OperatorError',
    message: `The database is newer than this Claimkeeper: it has migration ${CODE_VERSION + 2}, which requires servers with migration ${CODE_VERSION + 1} or later, and this server has migrations up to ${CODE_VERSION}. Run the newer version.`,
  }
  await assert.rejects(migrate(db, quietly), refused)
  // The one between them still runs on it.
  await migrate(db, quietly, await migrationsWith(t, works))
  await db.query({
    text: "INSERT INTO schema_migrations (version, name) VALUES (9999, 'without-a-word.sql')",
  })
  await assert.rejects(migrate(db, quietly, await migrationsWith(t, more)), { name: 'OperatorError' })
})

test('the compatible servers of old migrations are added to the version table', async (t) => {
  const db = (await openNew(t))()
  await migrate(db, quietly, OWN_MIGRATIONS.slice(0, 12))
  await db.query({ text: 'ALTER TABLE schema_migrations DROP COLUMN works_from, DROP COLUMN is_done' })
  const reports: string[] = []
  await migrate(db, (step) => reports.push(step), OWN_MIGRATIONS.slice(0, 13))
  assert.deepEqual(reports, ['Migrating the database: 0013-events-of-feeds-apart.sql'])
  const rows = await db.query({
    text: 'SELECT version, works_from, is_done FROM schema_migrations WHERE version > 11 ORDER BY version',
  })
  assert.deepEqual(rows, [
    { version: 12, works_from: 12, is_done: true },
    { version: 13, works_from: 12, is_done: true },
  ])
})

test('a migration must name the compatible servers, and a background migration may contain only known statements', async (t) => {
  const read = (text: string) => migrationsWith(t, { some: text })
  const header = `-- Works with servers from ${LAST_MIGRATION} on.\n`
  for (const text of [
    'SELECT 1;\n',
    `SELECT 1;\n${header}`,
    `-- Works with servers from ${next(2)} on.\nSELECT 1;\n`,
    '-- Works with servers from 1 on.\nSELECT 1;\n',
  ])
    await assert.rejects(read(text), {
      message: /must begin with a line "-- Works with servers from NNNN on\."/,
    })
  for (const statement of [
    'CREATE INDEX some ON claims (id)',
    'UPDATE claims SET due_at = now()',
    `CREATE INDEX CONCURRENTLY ${'x'.repeat(51)} ON claims (id)`,
  ])
    await assert.rejects(read(`${header}-- In the background.\n${statement};\n`), {
      message: /a background migration may contain only CREATE INDEX CONCURRENTLY/,
    })
})

test('the SQL of the page about upgrading runs', async (t) => {
  const db = (await openNew(t, true))()
  const page = await readFile(new URL('../../docs/operating/upgrading.md', import.meta.url), 'utf8')
  const blocks = [...page.matchAll(/^ *```sql\n(.*?)```$|psql "\$DATABASE_URL" -c '(.*?)'$/gms)]
  assert.ok(blocks.length >= 3)
  for (const [, block, line] of blocks) await db.query({ text: (block ?? line) as string })
})
