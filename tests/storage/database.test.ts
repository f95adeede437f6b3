import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { Database, DatabaseAway } from '../../src/storage/database.ts'
import { startCuttingProxy } from '../support/cutting-proxy.ts'
import { createTestDatabase } from '../support/test-database.ts'

const connectionString = await createTestDatabase({ after })

function open(t: { after: (release: () => Promise<void>) => void }): Database {
  const db = new Database({ connectionString, poolSize: 2 })
  t.after(() => db.close())
  return db
}

test('a thousand callers may wait for a connection; one more is refused at once, and the others are served', async (t) => {
  const db = open(t)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const holders = [1, 2].map(() => db.withConnection(() => released))
  const waiting = Array.from({ length: 1_000 }, () => db.query({ text: 'SELECT 1 AS one' }))
  await assert.rejects(db.query({ text: 'SELECT 1' }), {
    code: 'UNAVAILABLE',
    message: 'Too many requests are waiting for the database.',
    outcomeKnown: true,
  })
  release()
  await Promise.all(holders)
  assert.deepEqual(
    new Set((await Promise.all(waiting)).flat().map((row) => JSON.stringify(row))),
    new Set(['{"one":1}']),
  )
})

test('a transaction whose work fails leaves nothing, and its connection serves the next', async (t) => {
  const db = open(t)
  const work = db.transaction(async (connection) => {
    await connection.query({ text: 'CREATE TABLE half_done (x int)' })
    throw new Error('no')
  })
  await assert.rejects(work, { message: 'no' })
  assert.deepEqual(await db.query({ text: "SELECT to_regclass('half_done') AS found" }), [{ found: null }])
})

test('a connection that the server ends is known to be lost, and the next query has a new one', async (t) => {
  const db = open(t)
  const ended = db.query({ text: 'SELECT pg_terminate_backend(pg_backend_pid())' })
  await assert.rejects(ended, (error: unknown) => error instanceof DatabaseAway && !error.outcomeKnown)
  assert.deepEqual(await db.query({ text: 'SELECT 2 AS two' }), [{ two: 2 }])
})

test('a statement that the database refuses for its length has surely changed nothing', async (t) => {
  const db = new Database({ connectionString, poolSize: 2, statementTimeoutMs: 50 })
  t.after(() => db.close())
  const endless = db.query({ text: 'SELECT pg_sleep(60)' })
  await assert.rejects(endless, (error: unknown) => error instanceof DatabaseAway && error.outcomeKnown)
})

describe('limits of time, of five seconds each', { concurrency: true }, () => {
  test('who finds no connection free is told so, and the connection that was held serves the next', async (t) => {
    const db = new Database({ connectionString, poolSize: 1 })
    t.after(() => db.close())
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const holding = db.withConnection(() => released)
    await assert.rejects(db.query({ text: 'SELECT 1' }), {
      code: 'UNAVAILABLE',
      message: 'The database cannot be reached.',
      outcomeKnown: true,
    })
    release()
    await holding
    assert.deepEqual(await db.query({ text: 'SELECT 3 AS three' }), [{ three: 3 }])
  })

  test('a statement whose answer never comes is lost, and the next has another connection', async (t) => {
    const { url, cutNext } = await startCuttingProxy(t, connectionString)
    const db = new Database({ connectionString: url, poolSize: 1, statementTimeoutMs: 1_000 })
    t.after(() => db.close())
    cutNext('SELECT 1', 'silently')
    const lost = db.query({ text: 'SELECT 1' })
    await assert.rejects(lost, (error: unknown) => error instanceof DatabaseAway && !error.outcomeKnown)
    assert.deepEqual(await db.query({ text: 'SELECT 4 AS four' }), [{ four: 4 }])
  })

  test('a database that takes a connection and never speaks is away', async (t) => {
    const { url, cutNext } = await startCuttingProxy(t, connectionString)
    cutNext('application_name', 'silently')
    const db = new Database({ connectionString: url, poolSize: 1 })
    t.after(() => db.close())
    await assert.rejects(db.query({ text: 'SELECT 1' }), {
      message: 'The database cannot be reached.',
      outcomeKnown: true,
    })
  })
})
