import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { isOnCitus } from '../support/database-nodes.ts'
import { eventually } from '../support/eventually.ts'
import type { Fault } from '../support/fault-proxy.ts'
import { newClock } from '../support/new-records.ts'
import { MAX_SUBMISSION_GROUPS_PER_NODE, SERVICE_ACCOUNT } from '../support/source/database.ts'
import { runScheduledCheck, sumUpResolutions } from '../support/source/decisions.ts'
import { POOL_SIZE } from '../support/test-service.ts'
import { fateOf, History } from './history.ts'
import { startLoad } from './load.ts'
import { createTestbed, settles, type Testbed } from './testbed.ts'

/* Unavailable connections: new connections fail, or all connections are in use. */

const SETTINGS = 'connection_settings'
const FAULTS: Record<string, Fault> = {
  'the connection is cut before it': 'cut before',
  'the connection is cut while it is executed': 'cut during',
  'the connection is cut after its response': 'cut after',
  'memory is exhausted': { refused: '53200' },
  'there are too many connections': { refused: '53300' },
}

describe('a new connection', () => {
  for (const [what, fault] of Object.entries(FAULTS)) {
    test(`its settings statement: ${what}`, () => injectIntoNewConnections(SETTINGS, fault))
  }
  test('it is refused', () => injectIntoNewConnections('connect', 'cut before'))
  test('it is cut while it signs in', () => injectIntoNewConnections('connect', 'cut during'))
})

test('if all connections are in use, requests that time out are answered and store nothing, and later requests succeed', async () => {
  const testbed = await createTestbed({ after })
  const { app, api, sql } = testbed.service
  const clock = await newClock(testbed.service.api)
  const history = new History(testbed)
  const release = await holdAllConnections(testbed)
  const load = startLoad(testbed, history)
  const [check, summingUp, advance, removal] = await Promise.all([
    runScheduledCheck(app, new Date()).catch(() => 'refused'),
    sumUpResolutions(app.db).catch(() => 'refused'),
    api.post(`/v1/test_clocks/${clock}/advance`, { frozen_time: '2026-01-02T00:00:00Z' }),
    api.delete(`/v1/test_clocks/${clock}`),
    load,
  ])
  assert.deepEqual([check, summingUp], ['refused', 'refused'])
  assert.deepEqual([advance, removal].map(fateOf), ['refused', 'refused'])
  release()
  await (await load).stop()
  await settles(testbed)
  const [row] = await sql('SELECT frozen_time FROM test_clocks WHERE id = $1', [clock])
  assert.deepEqual(row?.frozen_time, new Date('2026-01-01T00:00:00Z'))
  await runScheduledCheck(app, new Date())
  await sumUpResolutions(app.db)
  await history.verify()
})

/** Ends all connections of the pools, and injects the fault into one of the new connections. */
async function injectIntoNewConnections(statement: string, fault: Fault): Promise<void> {
  const testbed = await createTestbed({ after })
  const history = new History(testbed)
  const load = await startLoad(testbed, history)
  testbed.proxy.inject({ statement }, fault)
  await testbed.service.sql(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'claimkeeper'`,
  )
  await load.stop()
  assert.ok(testbed.proxy.wasInjected())
  await settles(testbed)
  await runScheduledCheck(testbed.service.app, new Date())
  await history.verify()
}

/** Holds all that there are, and more callers of each share wait. Returns what lets them go. */
async function holdAllConnections({ service: { app } }: Testbed): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { db } = app
  let held = 0
  const hold = () => {
    held++
    return released
  }
  for (const share of [
    db.reads.for(SERVICE_ACCOUNT),
    db.writes.for(SERVICE_ACCOUNT),
    db.clocks.for(SERVICE_ACCOUNT),
    db.submissions.for(SERVICE_ACCOUNT),
    // One machine has half of those at most.
    ...(isOnCitus() ? [db.submissions.for('another machine')] : []),
    db.checks,
    db.identity,
  ]) {
    // Those that are too many are refused in time.
    for (let n = 0; n < POOL_SIZE; n++) share.withConnection(hold).catch(() => {})
  }
  // On distributed tables each machine but the first has connections besides, and a check's walk one.
  const besides = isOnCitus()
    ? MAX_SUBMISSION_GROUPS_PER_NODE * (Math.max(2, db.distribution.nodes) - 1) + 1
    : 0
  const all = POOL_SIZE + besides + (db.maxCheckBatches - 2)
  await eventually(async () => held === all)
  return release
}
