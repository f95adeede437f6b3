import assert from 'node:assert/strict'
import { takeBackTotals } from '../../support/source/claims.ts'
import { runScheduledCheck, sumUpResolutions } from '../../support/source/decisions.ts'
import type { Operation } from '../fault-table.ts'
import { eventOf } from '../history.ts'
import { nextNumber } from '../load.ts'
import { openClaims, type Testbed } from '../testbed.ts'
import { countReminders, REMIND_AT } from './reminders.ts'

/** More claims than a batch of the check moves. */
const DUE = 1_100
const MINUTE_MS = 60_000

/**
 * Claims that became due half an hour before $3. Each claim is OPEN with timeout_outcome `fail` (price 0), OPEN with `confirm`
 * (price 1) or PENDING (price 2).
 */
const MAKE_DUE = `INSERT INTO claims (id, user_id, customer_id, contract, decisive_event_types, price, status,
    scheduled_outcome, status_since, due_at, created_at)
  SELECT gen_random_uuid(), user_id, customer_id,
    json_build_object('price', n % 3, 'activity_window', 60, 'review_window', 86400,
      'fulfillment_condition', json_build_object('event', 'other'),
      'timeout_outcome', CASE n % 3 WHEN 0 THEN 'fail' ELSE 'confirm' END),
    '{other}', n % 3, CASE n % 3 WHEN 2 THEN 'PENDING' ELSE 'OPEN' END, CASE n % 3 WHEN 2 THEN 'CONFIRMED' END,
    $3::timestamptz - interval '50 minutes', $3::timestamptz - interval '30 minutes', $3::timestamptz - interval '50 minutes'
  FROM claims, generate_series(1, $2) AS n WHERE id = $1 RETURNING id, price::int AS kind`

/** Claims that were resolved at $3. */
const MAKE_RESOLVED = `INSERT INTO claims (id, user_id, customer_id, contract, decisive_event_types, price, status,
    scheduled_outcome, status_since, created_at)
  SELECT gen_random_uuid(), user_id, customer_id, json_build_object('price', n), '{}', n, 'FAILED', 'FAILED',
    $3::timestamptz, $3::timestamptz - n * interval '1 minute'
  FROM claims, generate_series(1, $2) AS n WHERE id = $1 RETURNING id`

const FORGET = [
  'DELETE FROM claim_events WHERE claim_id = ANY ($1)',
  'DELETE FROM claims WHERE id = ANY ($1)',
]

/** The number of claims of each kind that have the same state and log. */
const STANDING = `SELECT kind, status, outcome, since, log, count(*)::int AS claims FROM (
    SELECT c.price::int AS kind, c.status, c.scheduled_outcome AS outcome, c.status_since AS since,
      array(SELECT type FROM claim_events WHERE claim_id = c.id ORDER BY seq) AS log
    FROM claims c WHERE c.id = ANY ($1)
  ) each GROUP BY 1, 2, 3, 4, 5`

/** The stored totals, and the totals computed from the claims, up to `resolution_mark`. They must be equal. */
const SUMS = `SELECT
    (SELECT json_agg(t ORDER BY quarter, status) FROM (
      SELECT quarter, status, count, amount::float8 FROM resolution_totals) t) AS summed,
    (SELECT json_agg(t ORDER BY quarter, status) FROM (
      SELECT date_bin('15 minutes', status_since, '2000-01-01Z') AS quarter, status, count(*), sum(price)::float8 AS amount
      FROM claims, resolution_mark WHERE due_at IS NULL AND test_clock_id IS NULL AND status_since <= up_to GROUP BY 1, 2) t) AS counted,
    (SELECT sum(count)::int FROM resolution_durations) AS durations,
    (SELECT sum(count)::int FROM resolution_totals) AS resolved`

const scheduledCheck: Operation = {
  name: 'a scheduled check',
  begin: async (testbed, history) => {
    const { app, api, sql } = testbed.service
    // A late check: the totals already contain the resolutions of its minute, and must be taken back.
    const checkTime = new Date(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 10 * MINUTE_MS)
    await sumUpResolutions(app.db)
    const created = await makeDue(testbed, checkTime)
    const submit = async (claimId: string) => {
      const id = `beside-${nextNumber()}`
      history.noteEvent(claimId, id, await api.post('/v1/events', eventOf(claimId, id)))
    }
    const settled = created.filter(({ kind }) => kind === 0).slice(0, 8)
    return {
      checkTime,
      run: () => runScheduledCheck(app, checkTime).catch(() => {}),
      beside: () => Promise.all(settled.map((claim) => submit(claim.id))),
      finish: async () => {
        const standing = await sql(STANDING, [created.map(({ id }) => id)])
        assert.equal(
          standing.reduce((sum, { claims }) => sum + Number(claims), 0),
          created.length,
        )
        for (const { kind, status, outcome, since, log } of standing) {
          const isSettled = (log as string[])[0] === 'other'
          const expected = isSettled ? SETTLED : [...(CHECKED[kind as number] as unknown[]), checkTime]
          assert.deepEqual([status, outcome, log, ...(isSettled ? [] : [since])], expected)
        }
        await assertSumsAreTrue(testbed)
        for (const text of FORGET) await sql(text, [created.map(({ id }) => id)])
        await forgetSums(testbed)
      },
    }
  },
}

const sendingReminders: Operation = {
  name: 'a scheduled check that sends reminders',
  begin: async ({ service, customer }) => {
    const { app, sql } = service
    const claims = await openClaims(service, customer.id, 3, null)
    // After the times of all other claims, and before these claims are due.
    const checkTime = new Date(Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS)
    await sql(REMIND_AT, [claims, checkTime])
    const check = () => runScheduledCheck(app, checkTime)
    return {
      checkTime,
      run: () => check().catch(() => {}),
      finish: async () => {
        await check()
        assert.deepEqual(await countReminders(service, claims), [1, 1, 1])
      },
    }
  },
}

const summingUp: Operation = {
  name: 'adding resolutions to the totals',
  begin: async (testbed) => {
    const { app, sql } = testbed.service
    await sumUpResolutions(app.db)
    // As after a late check.
    const time = new Date(Date.now() - 20 * MINUTE_MS)
    await app.db.transaction((connection) => takeBackTotals(connection, time))
    const created = await sql(MAKE_RESOLVED, [testbed.claims[0], 50, time])
    return {
      run: () => sumUpResolutions(app.db).catch(() => {}),
      finish: async () => {
        await assertSumsAreTrue(testbed)
        await sql('DELETE FROM claims WHERE id = ANY ($1)', [created.map(({ id }) => id)])
        await forgetSums(testbed)
      },
    }
  },
}

const SETTLED = ['PENDING', 'CONFIRMED', ['other']]
/** Expected state and log of each kind after the check. */
const CHECKED = [
  ['PENDING', 'FAILED', ['activity_window_elapsed']],
  ['PENDING', 'CONFIRMED', ['activity_window_elapsed']],
  ['CONFIRMED', 'CONFIRMED', ['review_window_elapsed']],
]

async function makeDue({ service, claims }: Testbed, at: Date): Promise<{ id: string; kind: number }[]> {
  return (await service.sql(MAKE_DUE, [claims[0], DUE, at])) as { id: string; kind: number }[]
}

async function assertSumsAreTrue({ service }: Testbed): Promise<void> {
  await sumUpResolutions(service.app.db)
  const [row] = await service.sql(SUMS)
  assert.deepEqual(row?.summed, row?.counted)
  assert.equal(row?.durations, row?.resolved)
}

/** Deletes the totals of claims that the test has deleted. */
const forgetSums = ({ service }: Testbed) =>
  service.sql('WITH gone AS (DELETE FROM resolution_durations) DELETE FROM resolution_totals')

export const CHECK_OPERATIONS: readonly Operation[] = [scheduledCheck, sendingReminders, summingUp]
