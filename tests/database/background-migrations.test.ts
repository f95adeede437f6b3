import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { BackgroundState } from '../../src/platform/database/migrate/background-migrations.ts'
import {
  BackgroundMigrations,
  finishMigrations,
} from '../../src/platform/database/migrate/run-background-migrations.ts'
import { findDistribution } from '../support/database-nodes.ts'
import { eventually } from '../support/eventually.ts'
import { migrationsWith } from '../support/migration-folder.ts'
import { CODE_VERSION, Database, migrate } from '../support/source/database.ts'
import { createTestDatabase } from '../support/test-database.ts'

/* A next version's migration whose indexes are made in the background, on a database that has claims' tables already. */

const HEADER = `-- Works with servers from ${String(CODE_VERSION).padStart(4, '0')} on.\n-- In the background.\n`
const TWO_INDEXES = `${HEADER}
CREATE INDEX CONCURRENTLY events_by_type ON claim_events (type); -- of all claims
CREATE INDEX CONCURRENTLY events_by_time
  ON claim_events (created_at);
DROP INDEX CONCURRENTLY IF EXISTS events_by_nothing;
`

async function prepared(t: TestContext, { migrated } = { migrated: true }) {
  const connectionString = await createTestDatabase(t, { migrated })
  const distribution = await findDistribution(connectionString)
  const db = new Database({ connectionString, poolSize: 20, distribution })
  t.after(() => db.close())
  const migrations = await migrationsWith(t, { 'two-indexes': TWO_INDEXES })
  await migrate(db, () => {}, migrations)
  const newServer = () => {
    const server = new BackgroundMigrations(db, migrations)
    t.after(() => server.stop())
    return server
  }
  const indexes = () =>
    db.query<{ name: string; id: number; valid: boolean }>({
      text: `SELECT relname AS name, oid::integer AS id, indisvalid AS valid FROM pg_index JOIN pg_class ON oid = indexrelid
        WHERE relname IN ('events_by_type', 'events_by_time') ORDER BY relname DESC`,
    })
  /** A writer that the creation of an index waits for, because the index must have its rows. Returns a function that ends it. */
  const holdWriter = async () => {
    const release = Promise.withResolvers<void>()
    const written = Promise.withResolvers<void>()
    const writer = db.transaction(async (connection) => {
      await connection.query({ text: 'LOCK TABLE claim_events IN ROW EXCLUSIVE MODE' })
      written.resolve()
      await release.promise
    })
    await written.promise
    return async () => {
      release.resolve()
      await writer
    }
  }
  const builder = async () => {
    const rows = await db.query<{ pid: number }>({
      text: `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'CREATE INDEX CONC%'
        AND state = 'active' AND application_name = 'claimkeeper'`,
    })
    return rows[0]?.pid
  }
  return { db, newServer, indexes, holdWriter, builder }
}

const DONE = [
  ['events_by_type', true],
  ['events_by_time', true],
]
const inShort = (indexes: { name: string; valid: boolean }[]) =>
  indexes.map(({ name, valid }) => [name, valid])

test('a new database has no background migrations to run', async (t) => {
  const { newServer, indexes } = await prepared(t, { migrated: false })
  assert.equal(await newServer().state(), null)
  assert.deepEqual(inShort(await indexes()), DONE)
})

test('indexes are made after the start by one server, while others write, and are logged', async (t) => {
  const { db, newServer, indexes, holdWriter, builder } = await prepared(t)
  const name = `00${CODE_VERSION + 1}-two-indexes.sql`
  assert.deepEqual(await indexes(), [])
  assert.deepEqual(await newServer().state(), { left: 1, name, progress: 0 })
  const release = await holdWriter()
  const [first, second] = [newServer(), newServer()]
  const failures: unknown[] = []
  const look = (server: BackgroundMigrations) => server.ensureRunning((error) => failures.push(error))
  await look(first)
  await eventually(builder)
  assert.equal(await second.run(), false)
  assert.deepEqual(await look(second), { left: 1, name, progress: 0 })
  await db.transaction(async (connection) => {
    await connection.query({ text: "SET LOCAL lock_timeout = '1s'" })
    await connection.query({ text: 'LOCK TABLE claim_events IN ROW EXCLUSIVE MODE' })
  })
  const states: BackgroundState[] = []
  const finished = finishMigrations(newServer(), (state) => states.push(state))
  await release()
  assert.equal(await finished, 0)
  assert.deepEqual(inShort(await indexes()), DONE)
  assert.ok(states.every((state) => state.name === name))
  assert.equal(await look(second), null)
  assert.deepEqual(failures, [])
})

test('after a server is killed, unfinished indexes are built again and finished ones are kept', async (t) => {
  const { db, newServer, indexes, holdWriter, builder } = await prepared(t)
  await db.query({ text: 'CREATE INDEX events_by_type ON claim_events (type)' })
  const [finished] = await indexes()
  const release = await holdWriter()
  const failed = Promise.withResolvers<unknown>()
  await newServer().ensureRunning(failed.resolve)
  const pid = await eventually(builder)
  await db.query({ text: 'SELECT pg_terminate_backend($1::integer)', values: [pid] })
  assert.match(String(await failed.promise), /two-indexes\.sql could not be run in the background: /)
  await release()
  const [same, broken] = await indexes()
  assert.equal(same?.id, finished?.id)
  // On distributed tables it may not be there at all.
  assert.notEqual(broken?.valid, true)
  await eventually(() => newServer().run())
  assert.deepEqual(inShort(await indexes()), DONE)
  const [kept, remade] = await indexes()
  assert.deepEqual([kept?.id, remade?.id === broken?.id], [finished?.id, false])
})

test('a server that stops waits for no index, and the next server finishes it', async (t) => {
  const { newServer, indexes, holdWriter, builder } = await prepared(t)
  const endWriter = await holdWriter()
  const stopped = newServer()
  const failures: unknown[] = []
  await stopped.ensureRunning((error) => failures.push(error))
  await eventually(builder)
  // The writer still holds up the index.
  await stopped.stop()
  await endWriter()
  await eventually(() => newServer().run())
  assert.deepEqual(inShort(await indexes()), DONE)
  assert.deepEqual(failures, [])
})
