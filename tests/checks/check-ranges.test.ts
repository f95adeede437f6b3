import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { inAMinute } from '../support/check-time.ts'
import { eventually } from '../support/eventually.ts'
import { type CheckSizes, runScheduledCheck } from '../support/source/decisions.ts'
import { startTestService } from '../support/test-service.ts'
import { dueClaims } from './due-claims.ts'

/* A check lists what is due a stretch at a time, and looks at the stretches again. */

const service = await startTestService({ after })
const { app, api, sql } = service
const customer = await api.customer('acme')

const SMALL: CheckSizes = { list: 70, read: 30, pass: 150, listingMs: 60_000 }
const check = (sizes: CheckSizes, isOver = () => false) => runScheduledCheck(app, inAMinute(), isOver, sizes)

beforeEach(() => sql('TRUNCATE claims, claim_events CASCADE'))

const checkedOnce = async () =>
  (
    await sql(`SELECT count(*)::integer AS count FROM claims c
      WHERE status <> 'OPEN' AND 1 = (SELECT count(*) FROM claim_events e WHERE e.claim_id = c.id AND e.system)`)
  )[0]?.count

test('of many stretches and several walks each claim is moved, and once', async () => {
  await dueClaims(service, customer, 400)
  assert.equal(await check(SMALL), 400)
  assert.equal(await checkedOnce(), 400)
  assert.equal(await check(SMALL), 0)
})

test('if listing takes too long, the claims listed so far are moved first', async () => {
  await dueClaims(service, customer, 400)
  const hasty: CheckSizes = { list: 70, read: 1_000, pass: 1_000, listingMs: 0 }
  const moved = await check(hasty, () => true)
  assert.ok(moved > 0 && moved <= 70, `${moved}`)
  assert.equal(await check(hasty), 400 - moved)
  assert.equal(await checkedOnce(), 400)
})

test('a locked claim is found when its range is read again', async () => {
  await dueClaims(service, customer, 200)
  const [held] = await sql('SELECT id FROM claims ORDER BY id LIMIT 1')
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: holds, resolve: hold } = Promise.withResolvers<void>()
  const holding = app.db.writes.for('holder').transaction(async (connection) => {
    await connection.query({ text: 'SELECT FROM claims WHERE id = $1 FOR UPDATE', values: [held?.id] })
    hold()
    await released
  })
  await holds
  const checking = check(SMALL)
  await eventually(async () => (await checkedOnce()) === 199)
  release()
  await holding
  assert.equal(await checking, 200)
  assert.equal(await checkedOnce(), 200)
})

test('a check that is over leaves the rest to the next', async () => {
  await dueClaims(service, customer, 200)
  let calls = 0
  const moved = await check(SMALL, () => ++calls > 2)
  assert.ok(moved > 0 && moved < 200, `${moved}`)
  assert.equal(await checkedOnce(), moved)
  assert.equal(await check(SMALL), 200 - moved)
})
