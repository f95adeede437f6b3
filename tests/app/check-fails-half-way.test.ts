import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { runScheduledCheck } from '../../src/app/check/run-scheduled-check.ts'
import { sumUpResolutions } from '../../src/app/check/sum-up-resolutions.ts'
import { holdTotalsBefore } from '../../src/storage/overview/resolution-totals.ts'
import { inAMinute } from '../support/check-time.ts'
import { contractWith } from '../support/contracts.ts'
import { COPY_CLAIM } from '../support/copy-claims.ts'
import { isOnCitus } from '../support/database-nodes.ts'
import { eventually } from '../support/eventually.ts'
import { startStruckService } from '../support/struck-service.ts'

/*
 * A check that fails half way: nothing that is acknowledged afterwards is lost, the process lives, and the next check
 * does the rest.
 */

const service = await startStruckService({ after })
const { app, api, sql, proxy } = service
const { strike } = proxy
const customer = await api.customer('acme')

/** Claims whose activity windows have elapsed, in several batches of a check. */
async function dueClaims(count: number): Promise<void> {
  const { id } = await api.claim(customer, contractWith({ activity_window: 0.001, review_window: 3600 }))
  await sql(COPY_CLAIM, [id, count - 1])
}

const openDue = async () =>
  (await sql("SELECT count(*)::integer AS count FROM claims WHERE status = 'OPEN' AND due_at < now()"))[0]
    ?.count

/** Submits events over as many requests as all connections would serve, and looks for them from outside. */
async function nothingAcknowledgedIsLost(): Promise<void> {
  const { id } = await api.claim(customer, contractWith({ activity_window: 86_400 }))
  const ids = Array.from({ length: 40 }, () => randomUUID())
  const answers = await Promise.all(
    ids.map((event) => api.post('/v1/events', { claim_id: id, type: 'seen', id: event })),
  )
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
  const stored = await sql('SELECT id FROM claim_events WHERE claim_id = $1', [id])
  assert.deepEqual(new Set(stored.map((row) => row.id)), new Set(ids))
  const forgotten = await sql(`SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND state LIKE 'idle in transaction%'`)
  assert.deepEqual(forgotten, [])
}

async function theNextCheckDoesTheRest(): Promise<void> {
  await runScheduledCheck(app, inAMinute())
  assert.equal(await openDue(), 0)
}

test('a statement that the database refuses in the middle of a check', async () => {
  await dueClaims(2_500)
  await sql(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = '53100'; END $$`)
  await sql(
    'CREATE TRIGGER refused BEFORE INSERT ON claim_events FOR EACH ROW WHEN (NEW.system) EXECUTE FUNCTION refuse()',
  )
  await assert.rejects(runScheduledCheck(app, inAMinute()), { code: 'UNAVAILABLE' })
  await sql('DROP TRIGGER refused ON claim_events')
  await nothingAcknowledgedIsLost()
  await theNextCheckDoesTheRest()
})

const MOVES = isOnCitus() ? ['move_kinds_in_shards', 'notify_of_kinds_in_shards'] : ['move_kinds']
for (const statement of ['read_due_kinds', ...MOVES, 'hold_totals_before']) {
  for (const cut of ['cut before', 'cut during'] as const) {
    test(`a connection at its second ${statement}: ${cut}`, async () => {
      await dueClaims(2_500)
      strike({ statement, occurrence: 2 }, cut)
      await assert.rejects(runScheduledCheck(app, inAMinute()), { code: 'UNAVAILABLE' })
      await nothingAcknowledgedIsLost()
      await theNextCheckDoesTheRest()
    })
  }
}

test('while claims are being resolved nothing is summed up, and nothing is resolved at a time that is', async () => {
  const aWhileAgo = new Date(Date.now() - 600_000)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: held, resolve: hold } = Promise.withResolvers<boolean>()
  const resolving = app.db.checks.transaction(async (connection) => {
    hold(await holdTotalsBefore(connection, aWhileAgo))
    await released
  })
  assert.equal(await held, true)
  const summedUp = sumUpResolutions(app)
  await eventually(
    async () =>
      (
        await sql(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        )
      ).length > 0,
  )
  release()
  await Promise.all([resolving, summedUp])
  assert.equal(
    await app.db.checks.transaction((connection) => holdTotalsBefore(connection, aWhileAgo)),
    false,
  )
})
