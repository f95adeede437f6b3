import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Database } from '../../src/storage/database/database.ts'
import { isMigrated, migrate } from '../../src/storage/database/migrate.ts'
import { createTestDatabase } from '../support/test-database.ts'

async function emptyDatabase(t: TestContext): Promise<() => Database> {
  const connectionString = await createTestDatabase(t, { migrated: false })
  return () => {
    const db = new Database({ connectionString, poolSize: 2 })
    t.after(() => db.close())
    return db
  }
}

test('servers that start together run each migration once', async (t) => {
  const open = await emptyDatabase(t)
  const reports: string[] = []
  await Promise.all(Array.from({ length: 5 }, () => migrate(open(), (step) => reports.push(step))))
  assert.equal(reports.filter((step) => step.includes('0001-first.sql')).length, 1)
  assert.equal(await isMigrated(open()), true)
})

test('a database newer than the code is refused in one clear line, and left as it is', async (t) => {
  const db = (await emptyDatabase(t))()
  await migrate(db, () => {})
  await db.query({ text: "INSERT INTO schema_migrations (version, name) VALUES (9999, '9999-future.sql')" })
  await assert.rejects(
    migrate(db, () => {}),
    {
      name: 'OperatorError',
      message: /^The database is newer than this Claimkeeper: it has migration 9999, .*$/,
    },
  )
})

test('a migration that fails leaves nothing behind', async (t) => {
  const db = (await emptyDatabase(t))()
  await db.query({ text: 'CREATE TABLE claims (in_the_way int)' })
  await assert.rejects(migrate(db, () => {}))
  const tables = await db.query({ text: "SELECT tablename FROM pg_tables WHERE schemaname = 'public'" })
  assert.deepEqual(tables, [{ tablename: 'claims' }])
})
