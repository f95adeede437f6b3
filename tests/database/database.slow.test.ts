import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { startFaultProxy } from '../support/fault-proxy.ts'
import { DatabaseUnavailable, SERVICE_ACCOUNT } from '../support/source/database.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { poolsOf } from './pools-of.ts'

const connectionString = await createTestDatabase({ after })
const openPool = poolsOf(connectionString)

describe('limits of time, of five seconds each', { concurrency: true }, () => {
  test('a caller that gets no connection in time fails with UNAVAILABLE, and a released connection serves the next caller', async (t) => {
    const db = openPool(t, { size: 1 }).for(SERVICE_ACCOUNT)
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const holding = db.withConnection(() => released)
    await assert.rejects(db.query({ text: 'SELECT 1' }), {
      code: 'UNAVAILABLE',
      message: 'No connection to the database was free in time.',
      outcome: 'not applied',
    })
    release()
    await holding
    assert.deepEqual(await db.query({ text: 'SELECT 3 AS three' }), [{ three: 3 }])
  })

  test('a statement without an answer has an unknown outcome, and the next statement uses another connection', async (t) => {
    const { url, inject } = await startFaultProxy(t, connectionString)
    const db = openPool(t, { size: 1, url, statementTimeoutMs: 1_000 }).for(SERVICE_ACCOUNT)
    inject({ statement: 'SELECT n' }, 'silence before')
    const lost = db.query({ text: 'SELECT 1' })
    await assert.rejects(
      lost,
      (error: unknown) => error instanceof DatabaseUnavailable && error.outcome === 'unknown',
    )
    assert.deepEqual(await db.query({ text: 'SELECT 4 AS four' }), [{ four: 4 }])
  })

  test('a database that accepts a connection and sends nothing is unavailable', async (t) => {
    const { url, inject } = await startFaultProxy(t, connectionString)
    inject({ statement: 'connect' }, 'silence before')
    const db = openPool(t, { size: 1, url }).for(SERVICE_ACCOUNT)
    await assert.rejects(db.query({ text: 'SELECT 1' }), {
      message: 'The database cannot be reached.',
      outcome: 'not applied',
    })
  })
})
