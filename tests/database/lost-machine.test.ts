import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { assertError } from '../support/assert-error.ts'
import { distributionOver } from '../support/distribution-over.ts'
import { newClaim } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'
import {
  asDatabaseUnavailable,
  type Connection,
  Pool,
  type PooledConnection,
  SERVICE_ACCOUNT,
} from '../support/source/database.ts'
import { readClaimsToDecide } from '../support/source/decisions.ts'
import type { Scope } from '../support/test-database.ts'

const service = await sharedService()

/** Citus reports the loss of a node as an internal error. The name of its C function identifies the error. */
const LOST: [routine: string, message: string][] = [
  ['MarkRemoteTransactionFailed', 'failure on connection marked as essential: 127.0.0.1:5432'],
  ['ErrorIfPostCommitFailedShardPlacements', 'could not commit transaction for shard 102008'],
  ['ReportCopyError', 'terminating connection due to administrator command'],
  ['ReportResultError', 'FATAL:  terminating connection\nserver closed the connection unexpectedly'],
]

const internalError = (routine: string, message: string) =>
  Object.assign(new pg.DatabaseError(message, 0, 'error'), { code: 'XX000', routine })

test('if Citus loses another node, the outcome of a write is unknown', () => {
  for (const [routine, message] of LOST) {
    assert.equal(asDatabaseUnavailable(internalError(routine, message), false)?.outcome, 'unknown', routine)
    assert.equal(
      asDatabaseUnavailable(internalError(routine, message), true)?.outcome,
      'not applied',
      routine,
    )
  }
})

test('another internal error is the fault of its statement', () => {
  assert.equal(asDatabaseUnavailable(internalError('ReportResultError', 'a relation is broken'), false), null)
})

/** Makes the commit end as after the loss of a node: with an error or with a warning. */
const loseAtCommit = (severity: 'EXCEPTION' | 'WARNING') => `
  CREATE TEMPORARY TABLE lost (n integer) ON COMMIT DROP;
  CREATE FUNCTION pg_temp.lose() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE ${severity} 'a machine is lost' USING ERRCODE = '08006'; RETURN NULL; END $$;
  CREATE CONSTRAINT TRIGGER lose AFTER INSERT ON lost DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION pg_temp.lose();
  INSERT INTO lost VALUES (1)`

/** A pool for distributed tables with one shard. */
function openPool(t: Scope, size: number): PooledConnection {
  const distribution = distributionOver([-(2 ** 31)])
  const pool = new Pool({ connectionString: service.databaseUrl, size, distribution })
  t.after(() => pool.close())
  return pool.for(SERVICE_ACCOUNT)
}

async function readPid(connection: Connection): Promise<number | undefined> {
  const [row] = await connection.query<{ pid: number }>({ text: 'SELECT pg_backend_pid() AS pid' })
  return row?.pid
}

/** Fails with the error of PostgreSQL after a statement timeout. */
const OVERDUE = "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'query_canceled'; END $$"

test('the connection of a transaction whose statement timed out is not reused', async (t) => {
  const db = openPool(t, 1)
  const before = await readPid(db)
  await assert.rejects(
    db.transaction((connection) => connection.query({ text: OVERDUE })),
    { code: 'UNAVAILABLE' },
  )
  assert.notEqual(await readPid(db), before)
})

test('if another connection’s statement takes too long, a transaction is rolled back', async (t) => {
  const [db, other] = [openPool(t, 1), openPool(t, 1)]
  const before = await readPid(db)
  await assert.rejects(
    db.transaction(() => other.query({ text: OVERDUE })),
    { code: 'UNAVAILABLE' },
  )
  assert.equal(await readPid(db), before)
})

test('the outcome of a failed statement that each node commits separately is unknown; in a transaction the statement was not applied', async (t) => {
  const db = openPool(t, 1)
  const statement = { text: OVERDUE, commitsElsewhere: true } as const
  await assert.rejects(db.query(statement), { code: 'UNAVAILABLE', outcome: 'unknown' })
  await assert.rejects(
    db.transaction((connection) => connection.query(statement)),
    { code: 'UNAVAILABLE', outcome: 'not applied' },
  )
})

for (const severity of ['EXCEPTION', 'WARNING'] as const) {
  test(`a commit during the loss of a node (${severity}) has an unknown outcome, and older connections are not reused`, async (t) => {
    const db = openPool(t, 2)
    const older = await db.withConnection(async (connection) => {
      await assert.rejects(
        db.transaction((other) => other.query({ text: loseAtCommit(severity) })),
        { code: 'UNAVAILABLE', outcome: 'unknown', message: /not known/ },
      )
      return readPid(connection)
    })
    assert.notEqual(await readPid(db), older)
  })
}

test('a claim is neither returned nor decided before its contract is visible', async () => {
  const { api, app, sql } = service
  const claim = await newClaim(api, { price: 0.987 })
  await sql("DELETE FROM contracts WHERE document ->> 'price' = '0.987'")
  assertError(await api.get(`/v1/claims/${claim.id}`), 503, 'UNAVAILABLE')
  const { claims, oversized, withoutContract } = await readClaimsToDecide(
    app.db,
    new Map([[claim.id as string, []]]),
  )
  assert.deepEqual([[...claims], oversized.size, withoutContract], [[], 0, [claim.id]])
})
