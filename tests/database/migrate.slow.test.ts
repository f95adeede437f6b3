import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MIGRATIONS } from '../../src/platform/database/advisory-locks.ts'
import { eventually } from '../support/eventually.ts'
import { migrationsWith } from '../support/migration-folder.ts'
import { CODE_VERSION, migrate, readSchemaVersion } from '../support/source/database.ts'
import { LAST_MIGRATION, openNew } from './open-new.ts'

/* Migrations that wait for others, for seconds. */

test('a migration releases its place in the lock queue, and continues when the lock is free', async (t) => {
  const open = await openNew(t, true)
  const db = open()
  const migrations = await migrationsWith(t, {
    wider: `-- Works with servers from ${LAST_MIGRATION} on.\nALTER TABLE customers ADD COLUMN wider text;\n`,
  })
  const reading = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const holding = open().transaction(async (connection) => {
    await connection.query({ text: 'SELECT FROM customers' })
    reading.resolve()
    await held.promise
  })
  await reading.promise
  const reports: string[] = []
  const migrating = migrate(db, (step) => reports.push(step), migrations)
  await eventually(async () => reports.some((step) => step.includes('other transactions hold locks')))
  assert.match(reports.at(-1) as string, /The oldest transaction is of process \d+ \(claimkeeper, /)
  // The migration is not in the lock queue now, so this query does not wait.
  await db.query({ text: 'SELECT FROM customers' })
  held.resolve()
  await holding
  await migrating
  assert.equal((await readSchemaVersion(db)).version, CODE_VERSION + 1)
})

test('a server that waits for another server’s migrations logs which session it waits for', async (t) => {
  const open = await openNew(t)
  const taken = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const holding = open().transaction(async (connection) => {
    await connection.query({ text: `SELECT pg_advisory_xact_lock(${MIGRATIONS})` })
    taken.resolve()
    await held.promise
  })
  await taken.promise
  const db = open()
  const reports: string[] = []
  const migrating = migrate(db, (step) => reports.push(step))
  await eventually(async () => reports.length > 0)
  assert.match(reports[0] as string, /another server migrates.* The oldest transaction is of process \d+/)
  held.resolve()
  await holding
  await migrating
  assert.equal((await readSchemaVersion(db)).version, CODE_VERSION)
})
