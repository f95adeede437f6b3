import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { isOnCitus } from '../support/database-nodes.ts'
import { eventually } from '../support/eventually.ts'
import type { Blow } from '../support/fault-proxy.ts'
import { newClock } from '../support/new-records.ts'
import { LANES_OF_MACHINE } from '../support/source/database.ts'
import { runScheduledCheck, sumUpResolutions } from '../support/source/decisions.ts'
import { POOL_SIZE } from '../support/test-service.ts'
import { fateOf, Ledger } from './ledger.ts'
import { startLoad } from './load.ts'
import { createWorld, settles, type World } from './world.ts'

/* Connections that cannot be had: new ones fail, or all are in use. */

const SETTINGS = 'connection_settings'
const BLOWS: Record<string, Blow> = {
  'is cut before': 'cut before',
  'is cut during': 'cut during',
  'is cut behind its answer': 'cut after',
  'finds no memory': { refused: '53200' },
  'finds too many connections': { refused: '53300' },
}

describe('a connection that is made', () => {
  for (const [what, blow] of Object.entries(BLOWS)) {
    test(`its settings: ${what}`, () => strikeNewConnections(SETTINGS, blow))
  }
  test('it is refused', () => strikeNewConnections('connect', 'cut before'))
  test('it is cut while it signs in', () => strikeNewConnections('connect', 'cut during'))
})

test('a full pool: whoever waits in vain is told so, nothing of it is stored, and all goes on afterwards', async () => {
  const world = await createWorld({ after })
  const { app, api, sql } = world.service
  const clock = await newClock(world.service.api)
  const ledger = new Ledger(world)
  const letGo = await holdAllConnections(world)
  const load = startLoad(world, ledger)
  const [check, summingUp, advance, removal] = await Promise.all([
    runScheduledCheck(app, new Date()).catch(() => 'refused'),
    sumUpResolutions(app).catch(() => 'refused'),
    api.post(`/v1/test_clocks/${clock}/advance`, { frozen_time: '2026-01-02T00:00:00Z' }),
    api.delete(`/v1/test_clocks/${clock}`),
    load,
  ])
  assert.deepEqual([check, summingUp], ['refused', 'refused'])
  assert.deepEqual([advance, removal].map(fateOf), ['refused', 'refused'])
  letGo()
  await (await load).stop()
  await settles(world)
  const [row] = await sql('SELECT frozen_time FROM test_clocks WHERE id = $1', [clock])
  assert.deepEqual(row?.frozen_time, new Date('2026-01-01T00:00:00Z'))
  await runScheduledCheck(app, new Date())
  await sumUpResolutions(app)
  await ledger.verify()
})

/** Ends all of the pools' connections, and strikes one of those that are made in their place. */
async function strikeNewConnections(statement: string, blow: Blow): Promise<void> {
  const world = await createWorld({ after })
  const ledger = new Ledger(world)
  const load = await startLoad(world, ledger)
  world.proxy.strike({ statement }, blow)
  await world.service.sql(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'claimkeeper'`,
  )
  await load.stop()
  assert.ok(world.proxy.hasStruck())
  await settles(world)
  await runScheduledCheck(world.service.app, new Date())
  await ledger.verify()
}

/** Holds all that there are, and more callers of each share wait. Returns what lets them go. */
async function holdAllConnections({ service: { app } }: World): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { db } = app
  let held = 0
  const hold = () => {
    held++
    return released
  }
  for (const share of [
    db.reads.for(''),
    db.writes.for(''),
    db.clocks.for(''),
    db.submissions.for(''),
    // One machine has half of those at most.
    ...(isOnCitus() ? [db.submissions.for('another machine')] : []),
    db.checks,
    db.identity,
  ]) {
    // Those that are too many are refused in time.
    for (let n = 0; n < POOL_SIZE; n++) share.withConnection(hold).catch(() => {})
  }
  // On distributed tables each machine but the first has connections besides, and a check's walk one.
  const besides = isOnCitus() ? LANES_OF_MACHINE * (Math.max(2, db.distribution.machines) - 1) + 1 : 0
  const all = POOL_SIZE + besides + (db.moves - 2)
  await eventually(async () => held === all)
  return release
}
