import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { readCheckTime } from '../../src/checks/check-jobs.ts'
import { inAMinute } from '../support/check-time.ts'
import { contractWith } from '../support/contracts.ts'
import { COPY_CLAIM } from '../support/copy-claims.ts'
import { holdBy, waitsForLock } from '../support/held-rows.ts'
import { movedBy } from '../support/moved-times.ts'
import { atScheduledCheck, holdTotalsBefore } from '../support/source/claims.ts'
import type { Contract } from '../support/source/contracts.ts'
import { lockShards, runScheduledCheck, sumUpResolutions } from '../support/source/decisions.ts'
import { startTestService } from '../support/test-service.ts'
import { failingChecks } from './failing-checks.ts'

const service = await startTestService({ after })
const { app, api } = service
const customer = await api.customer('acme')

const open = (terms: Partial<Contract>) => api.claim(customer, contractWith(terms))
/** Whole minutes well after everything that happens here, each always the same however long the tests take. */
const START = Math.floor(Date.now() / 60_000) + 10
const inMinutes = (minutes: number) => new Date((START + minutes) * 60_000)
const statusOf = async (id: string) => (await api.readClaim(id)).status

test('a claim that times out goes PENDING, then to its timeout_outcome, with both system events in its log (§6 rule 2)', async () => {
  for (const [timeout_outcome, outcome] of [
    ['fail', 'FAILED'],
    ['confirm', 'CONFIRMED'],
  ] as const) {
    const { id } = await open({ activity_window: 60, review_window: 120, timeout_outcome })
    const [t2, t4] = [inMinutes(2), inMinutes(4)]

    await runScheduledCheck(app, t2)
    const pending = await api.readClaim(id)
    assert.equal(pending.status, 'PENDING')
    assert.equal(pending.scheduled_outcome, outcome)
    assert.equal(pending.status_since, t2.toISOString())
    assert.equal(pending.due_at, new Date(t2.getTime() + 120_000).toISOString())

    await runScheduledCheck(app, inMinutes(3))
    assert.equal(await statusOf(id), 'PENDING', 'the review window is measured from status_since')

    await runScheduledCheck(app, t4)
    const { status, due_at, scheduled_outcome, status_since, events } = await api.readClaim(id)
    assert.deepEqual(
      [status, scheduled_outcome, due_at, status_since],
      [outcome, outcome, null, t4.toISOString()],
    )
    assert.deepEqual(
      events.map(({ id: _, ...rest }: { id: string }) => rest),
      [
        { type: 'activity_window_elapsed', created_at: t2.toISOString(), system: true },
        { type: 'review_window_elapsed', created_at: t4.toISOString(), system: true },
      ],
    )
  }
})

test('a settled claim is CONFIRMED once its review window has elapsed', async () => {
  const { id } = await open({ review_window: 30 })
  await api.post('/v1/events', { claim_id: id, type: 'done' })
  await runScheduledCheck(app, inMinutes(2))
  assert.equal(await statusOf(id), 'CONFIRMED')
})

test('terminal is terminal: later checks change nothing (§3 rule 4)', async () => {
  const { id } = await open({ activity_window: 1, review_window: 0 })
  for (const minutes of [2, 3]) await runScheduledCheck(app, inMinutes(minutes))
  const before = await api.readClaim(id)
  assert.equal(before.status, 'FAILED')
  await runScheduledCheck(app, inMinutes(600))
  assert.deepEqual(await api.readClaim(id), before)
})

test('a claim makes one transition a check, and the next at a later minute', async () => {
  const { id } = await open({ activity_window: 1, review_window: 0 })
  await runScheduledCheck(app, inMinutes(5))
  await runScheduledCheck(app, inMinutes(5))
  assert.equal(await statusOf(id), 'PENDING')
  await runScheduledCheck(app, inMinutes(6))
  assert.equal(await statusOf(id), 'FAILED')
})

test('until the check, an OPEN claim whose window has elapsed still accepts events (§3 rules 1 and 2)', async () => {
  const { id } = await open({ activity_window: 0.001 })
  const answer = await api.post('/v1/events', { claim_id: id, type: 'done' })
  assert.equal(answer.status, 201)
  assert.equal(answer.body.claim.scheduled_outcome, 'CONFIRMED')
})

test('an event recorded after the minute began does not end up behind the state that the check gives', async () => {
  const { id } = await open({ activity_window: 0.001 })
  const { body } = await api.post('/v1/events', { claim_id: id, type: 'other' })
  // The check of a minute between the creation and the event, run after the event was recorded.
  await service.sql(`UPDATE claims SET ${movedBy('-1 hour', ['status_since', 'due_at'])} WHERE id = $1`, [id])
  const checkTime = new Date(Date.parse(body.event.created_at) - 1)
  await runScheduledCheck(app, checkTime)
  const { status, status_since, events } = await api.readClaim(id)
  assert.equal(status, 'PENDING')
  assert.equal(status_since, body.event.created_at)
  assert.equal(events.at(-1).created_at, body.event.created_at)
})

test('a server that was down for an hour catches up at its first check, and no review window is shortened', async () => {
  const { id } = await open({ activity_window: 60, review_window: 300 })
  await runScheduledCheck(app, inMinutes(60))
  assert.equal(await statusOf(id), 'PENDING')
  await runScheduledCheck(app, inMinutes(64))
  assert.equal(await statusOf(id), 'PENDING')
  await runScheduledCheck(app, inMinutes(65))
  assert.equal(await statusOf(id), 'FAILED')
})

test('candidates go through the same checks', async () => {
  const alias = `candidate-${Date.now()}`
  await api.post('/v1/candidates', {
    candidate_alias: alias,
    customer_uuid: 'acme',
    contract: contractWith({ activity_window: 1, review_window: 1, timeout_outcome: 'confirm' }),
  })
  for (const minutes of [2, 4]) await runScheduledCheck(app, inMinutes(minutes))
  const { body } = await api.get(`/v1/candidates/${alias}`)
  assert.equal(body.status, 'CONFIRMED')
  assert.equal(body.events.length, 2)
})

test('due claims are moved in sets, each once, by several servers at the same time', async (t) => {
  const other = await startTestService(t, { databaseUrl: service.databaseUrl, withoutAccount: true })
  const account = await service.newAccount()
  const { id } = await account.claim(
    await account.customer('bulk'),
    contractWith({ activity_window: 1, review_window: 0 }),
  )
  await service.sql(COPY_CLAIM, [id, 299])
  const sizes = { list: 100, read: 40, pass: 200, listingMs: 60_000 }
  const checkOnAll = (time: Date) =>
    Promise.all(
      [app, other.app, app, other.app].map((server) => runScheduledCheck(server, time, () => false, sizes)),
    )
  const moved = await checkOnAll(inMinutes(7))
  const total = moved.reduce((sum, count) => sum + count)
  assert.ok(total >= 300)

  await checkOnAll(inMinutes(8))
  const counts = await service.sql(
    `SELECT c.status, c.event_count, count(*)::int AS claims, sum((SELECT count(*) FROM claim_events e WHERE e.claim_id = c.id))::int AS events
     FROM claims c JOIN customers USING (user_id) WHERE external_id = 'bulk' GROUP BY 1, 2`,
  )
  assert.deepEqual(counts, [{ status: 'FAILED', event_count: 2, claims: 300, events: 600 }])
})

test('a check that exceeds its minute leaves the other claims to a later check, which records them at its own time', async () => {
  const account = await service.newAccount()
  const terms = contractWith({ activity_window: 1, review_window: 600 })
  const { id } = await account.claim(await account.customer('long'), terms)
  // More claims than a check moves before it asks whether its minute is over.
  await service.sql(COPY_CLAIM, [id, 1_250 * app.db.maxCheckBatches - 1])
  const [t9, t10] = [inMinutes(9), inMinutes(10)]
  await runScheduledCheck(app, t9, () => true)
  await runScheduledCheck(app, t10)
  const counts = await service.sql(
    `SELECT c.status_since, count(*)::int AS claims FROM claims c JOIN customers USING (user_id)
     WHERE external_id = 'long' GROUP BY 1 ORDER BY 1`,
  )
  assert.equal(counts.length, 2)
  assert.deepEqual(
    counts.map(({ status_since }) => status_since),
    [t9, t10],
  )
})

test('claims of many kinds in one check: each makes the transition that the domain decides for it', async () => {
  const checkTime = inMinutes(20)
  const from = (ms: number) => new Date(checkTime.getTime() + ms)
  const kind = fc.record({
    terms: fc.record({
      timeout_outcome: fc.constantFrom('fail' as const, 'confirm' as const),
      review_window: fc.constantFrom(0.0001, 1.1, 60, 3_600.0005),
    }),
    status: fc.constantFrom('OPEN' as const, 'PENDING' as const),
    outcome: fc.constantFrom('CONFIRMED' as const, 'FAILED' as const),
    since: fc.constantFrom(-60_000, -1, 0).map(from),
    due: fc.constantFrom(-1, 0, 1).map(from),
    lastEvent: fc.constantFrom(null, from(-1), from(0), from(1), from(999)),
  })
  const claims = fc.sample(kind, { numRuns: 2_500, seed: 7 }).map((kind) => ({
    ...kind,
    id: randomUUID(),
    contract: contractWith(kind.terms),
    outcome: kind.status === 'OPEN' ? null : kind.outcome,
    events: kind.lastEvent ? 1 : 0,
  }))
  const template = await open({})
  await service.sql(
    `INSERT INTO claim_events (claim_id, seq, id, type, payload, system, created_at)
     SELECT id, 1, 'an event', 'seen', '{}', false, "lastEvent"
     FROM json_to_recordset($1) AS g (id uuid, events integer, "lastEvent" timestamptz) WHERE events = 1`,
    [JSON.stringify(claims)],
  )
  await service.sql(
    `INSERT INTO claims (id, user_id, customer_id, contract, decisive_event_types, price, status, scheduled_outcome,
       status_since, due_at, event_count, created_at)
     SELECT g.id, t.user_id, t.customer_id, g.contract, t.decisive_event_types, (g.contract->>'price')::numeric,
       g.status, g.outcome, g.since, g.due, g.events, t.created_at
     FROM claims t, json_to_recordset($2) AS g (id uuid, contract json, status text, outcome text, since timestamptz,
       due timestamptz, events integer)
     WHERE t.id = $1`,
    [template.id, JSON.stringify(claims)],
  )

  await runScheduledCheck(app, checkTime)
  const stored = await service.sql(
    `SELECT c.id, status, scheduled_outcome AS outcome, status_since AS since, due_at AS due, event_count AS events,
       e.type, e.created_at AS at
     FROM claims c LEFT JOIN claim_events e ON e.claim_id = c.id AND e.seq = c.event_count AND e.system
     WHERE c.id = ANY ($1)`,
    [claims.map(({ id }) => id)],
  )
  const found = new Map(stored.map((row) => [row.id, row]))
  let moved = 0
  for (const { id, terms, status, outcome, since, due, events, lastEvent } of claims) {
    const before = { status, scheduledOutcome: outcome, statusSince: since, dueAt: due }
    const transition = atScheduledCheck(before, terms, checkTime, status === 'OPEN' ? lastEvent : null)
    const state = transition?.state ?? before
    assert.deepEqual(found.get(id), {
      id,
      status: state.status,
      outcome: state.scheduledOutcome,
      since: state.statusSince,
      due: state.dueAt,
      events: events + (transition ? 1 : 0),
      type: transition?.systemEventType ?? null,
      at: transition?.state.statusSince ?? null,
    })
    if (transition) moved++
  }
  assert.ok(moved > 500 && moved < claims.length - 500)
})

test('a check waits for the check of another server, and gives up when its minute is over', async () => {
  const { promise: taken, resolve: take } = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const other = app.db.transaction(async (connection) => {
    const shards = connection.distribution.allShards()
    assert.equal((await lockShards(connection, shards, shards.length)).length, shards.length)
    take()
    await released
  })
  await taken
  const { id } = await open({ activity_window: 60 })
  const t25 = inMinutes(25)
  assert.equal(await runScheduledCheck(app, t25, () => true), 0)
  assert.equal(await statusOf(id), 'OPEN')
  let calls = 0
  const waiting = runScheduledCheck(app, t25, () => {
    if (++calls === 2) release()
    return false
  })
  await Promise.all([waiting, other])
  assert.equal(await statusOf(id), 'PENDING')
})

test('after concurrent events and checks, the log explains the outcome', async () => {
  const claims = await Promise.all(
    Array.from({ length: 50 }, () => open({ activity_window: 0.001, review_window: 86_400 })),
  )
  const submissions = claims.map(({ id }) => api.post('/v1/events', { claim_id: id, type: 'done' }))
  const [answers] = await Promise.all([Promise.all(submissions), runScheduledCheck(app, inMinutes(1))])
  for (const [i, { id }] of claims.entries()) {
    const { status, scheduled_outcome, events } = await api.readClaim(id)
    assert.equal(status, 'PENDING')
    const accepted = answers[i]?.status === 201
    assert.equal(scheduled_outcome, accepted ? 'CONFIRMED' : 'FAILED')
    assert.deepEqual(
      events.map(({ type }: { type: string }) => type),
      [accepted ? 'done' : 'activity_window_elapsed'],
    )
  }
})

test('the time of a check is the current whole minute of the database’s clock', async () => {
  // The database runs on this machine, so both clocks are the same.
  const startedAt = Date.now()
  const time = (await readCheckTime(app.db)).getTime()
  assert.equal(time % 60_000, 0)
  assert.ok(time <= Date.now(), 'the minute has started')
  assert.ok(time > startedAt - 60_000, 'the minute had not ended at the call')
})

test('a check that the database interrupts loses nothing, and the next check completes it', async () => {
  const { dueClaims, assertNothingAcknowledgedIsLost, assertNextCheckDoesTheRest } =
    await failingChecks(service)
  await dueClaims(100)
  await service.sql(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = '53100'; END $$`)
  await service.sql(
    'CREATE TRIGGER refused BEFORE INSERT ON claim_events FOR EACH ROW WHEN (NEW.system) EXECUTE FUNCTION refuse()',
  )
  await assert.rejects(runScheduledCheck(app, inAMinute()), { code: 'UNAVAILABLE' })
  await service.sql('DROP TRIGGER refused ON claim_events')
  await assertNothingAcknowledgedIsLost()
  await assertNextCheckDoesTheRest()
})

test('resolutions are not added to the totals while claims are resolved, and no claim is resolved at a time that the totals already include', async () => {
  const aWhileAgo = new Date(Date.now() - 600_000)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: held, resolve: hold } = Promise.withResolvers<boolean>()
  const resolving = app.db.checks.transaction(async (connection) => {
    hold(await holdTotalsBefore(connection, aWhileAgo))
    await released
  })
  assert.equal(await held, true)
  const summedUp = sumUpResolutions(app.db)
  await waitsForLock(service.sql)
  release()
  await Promise.all([resolving, summedUp])
  assert.equal(
    await app.db.checks.transaction((connection) => holdTotalsBefore(connection, aWhileAgo)),
    false,
  )
})

test('if two servers add resolutions to the totals at the same time, each resolution is counted once', async (t) => {
  const { id } = await open({ activity_window: 60 })
  await service.sql(
    "UPDATE claims SET status = 'FAILED', scheduled_outcome = 'FAILED', due_at = NULL, status_since = now() - interval '10 minutes' WHERE id = $1",
    [id],
  )
  await service.sql('DELETE FROM resolution_totals')
  await service.sql("UPDATE resolution_mark SET up_to = now() - interval '1 hour'")
  const held = await holdBy(t, service.databaseUrl, 'LOCK TABLE resolution_totals IN SHARE MODE', [])
  const first = sumUpResolutions(app.db)
  await held.untilStatementsWait()
  const second = sumUpResolutions(app.db)
  await Promise.race([second, held.untilStatementsWait(2)])
  await held.release()
  await Promise.all([first, second])
  const [total] = await service.sql('SELECT sum(count)::int AS count FROM resolution_totals')
  assert.equal(total?.count, 1)
})
