import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../support/api-client.ts'
import { claimsOfOneShard } from '../support/claims-of-one-shard.ts'
import { contractWith } from '../support/contracts.ts'
import { holdClaims } from '../support/held-rows.ts'
import { runBatch } from '../support/run-batch.ts'
import { sharedService } from '../support/shared.ts'
import { GroupCommit } from '../support/source/decisions.ts'
import { assertLogMatches, requestFor, submitAll } from '../support/submissions.ts'

/* Group commit: submissions that arrive while others are written go together, and disturb each other in nothing. */

const service = await sharedService()
const { api, app } = service
const customer = await api.customer('acme')
const openClaim = async (): Promise<Answer['body']> => api.claim(customer, contractWith())
const submit = (events: readonly object[]) => runBatch(api, '/v1/events/batch', events)
const statuses = (results: Answer['body'][]): number[] => results.map(({ status }) => status)

/** While the test runs, the database refuses events of this type. */
async function refuseType(t: { after: (release: () => Promise<unknown>) => void }, type: string) {
  await service.sql(`
    CREATE FUNCTION refuse_${type}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'something secret'; END $$`)
  await service.sql(`
    CREATE TRIGGER refuse_${type} BEFORE INSERT ON claim_events
    FOR EACH ROW WHEN (NEW.type = '${type}') EXECUTE FUNCTION refuse_${type}()`)
  t.after(() => service.sql(`DROP FUNCTION refuse_${type} CASCADE`))
}

test('background work is throttled by the duration of writes, not of reads', async (t) => {
  const { id } = await openClaim()
  const { mock: noted } = t.mock.method(app.throttle, 'record')
  const statusesOf = async (...ids: string[]) =>
    statuses(await submit(ids.map((event) => ({ claim_id: id, id: event, type: 'seen' }))))
  assert.deepEqual(await statusesOf('1', '2'), [201, 201])
  assert.equal(noted.callCount(), 2)
  assert.deepEqual(await statusesOf('1', '2'), [200, 200])
  const other = { claim_id: id, id: '1', type: 'other' }
  assert.deepEqual(statuses(await submit([other])), [409])
  assert.equal(noted.callCount(), 2)
})

test('an event that the database rejects answers 500; the other events of its group are recorded in order', async (t) => {
  await refuseType(t, 'bomb')
  const [a, b, c] = await Promise.all([openClaim(), openClaim(), openClaim()])
  const of = (claim: { id: string }, id: string, type = 'seen') => ({ claim_id: claim.id, id, type })
  const results = await submit([
    of(a, '1'),
    of(b, '1'),
    of(a, 'bomb', 'bomb'),
    of(a, '2'),
    of(c, 'bomb', 'bomb'),
    of(b, '2', 'done'),
    of(b, '3'),
    of(a, '1'),
    of(a, '3'),
  ])
  assert.deepEqual(statuses(results), [201, 201, 500, 201, 500, 201, 422, 200, 201])
  for (const { error } of [results[2], results[4]]) {
    assert.equal(error.code, 'INTERNAL_ERROR')
    assert.doesNotMatch(JSON.stringify(error), /secret|claim_events|bomb/)
  }
  assert.deepEqual(await Promise.all([a, b, c].map(({ id }) => api.eventIds(id))), [
    ['1', '2', '3'],
    ['1', '2'],
    [],
  ])
  assert.deepEqual(statuses(await submit([of(a, '4'), of(c, '1', 'done')])), [201, 201])
})

test('an event that was refused by the database counts for nothing in later decisions', async (t) => {
  await refuseType(t, 'never')
  const terms = contractWith({
    fulfillment_condition: { op: 'AND', conditions: [{ event: 'a' }, { event: 'never' }] },
  })
  const { id: claim_id } = await api.claim(customer, terms)
  assert.equal((await api.post('/v1/events', { claim_id, type: 'a' })).status, 201)
  assert.equal((await api.post('/v1/events', { claim_id, type: 'never' })).status, 500)
  const { body } = await api.post('/v1/events', { claim_id, type: 'a' })
  assert.equal(body.claim.status, 'OPEN')
})

test('a claim is settled once by all events of a group, and at the time of the one that did it', async () => {
  const claims = await Promise.all(Array.from({ length: 5 }, openClaim))
  // At one go, so that all are in one group: a batch on a busy machine comes in several.
  const answers = await Promise.allSettled(
    Array.from({ length: 100 }, (_, i) =>
      app.submissions.submit(requestFor(claims[i % 5], `${i}`, { type: i < 20 ? 'noise' : 'done' })),
    ),
  )
  for (const [n, { id }] of claims.entries()) {
    const own = answers.filter((_, i) => i % 5 === n)
    const { events, status, status_since, due_at } = await api.readClaim(id)
    assert.deepEqual([status, events.length], ['PENDING', 5])
    assert.equal(status_since, events.at(-1).created_at)
    assert.equal(Date.parse(due_at), Date.parse(status_since) + 600_000)
    for (const [i, answer] of own.entries()) {
      if (i < 5) {
        assert.ok(answer.status === 'fulfilled')
        assert.equal(
          answer.value.event.createdAt.toISOString(),
          status_since,
          'a group is recorded at one time',
        )
      } else {
        assert.ok(answer.status === 'rejected')
        assert.equal(answer.reason.code, 'CLAIM_NOT_OPEN')
      }
    }
  }
})

test('where 5,000 events of an account wait, one more answers 503 at once with Retry-After; all that were taken are recorded', async (t) => {
  const [other, ...claims] = await claimsOfOneShard(service, 11)
  const held = await holdClaims(
    t,
    service.databaseUrl,
    claims.map(({ id }) => id),
  )
  const requests = Array.from({ length: 5_000 }, (_, i) => requestFor(claims[i % 10], `${i}`))
  const waiting = submitAll(app.submissions, requests)
  const late = { claim_id: other.id, id: 'late', type: 'seen' }
  // All at once, since the rows must be let go before the first has waited for too long.
  const [, answer, [inBatch]] = await Promise.all([
    assert.rejects(app.submissions.submit(requestFor(claims[0], 'late')), {
      code: 'UNAVAILABLE',
      headers: { 'Retry-After': '2' },
    }),
    api.post('/v1/events', late),
    submit([late]),
  ])
  await held.release()
  assert.equal(answer.status, 503)
  assert.equal(answer.headers.get('Retry-After'), '2')
  assert.match(answer.body.error.message, /This one was not/)
  assert.equal(inBatch.error.code, 'UNAVAILABLE')

  const outcomes = await waiting
  for (const [n, { id }] of claims.entries()) {
    const ids = requests.map(({ submission }) => submission.id).filter((_, i) => i % 10 === n)
    assertLogMatches(await api.eventIds(id), ids, outcomes)
  }
  assert.equal((await api.post('/v1/events', late)).status, 201)
  assert.deepEqual(await api.eventIds(other.id), ['late'])
})

test('a claim with a locked row delays no other claim, and its events stay in order', async (t) => {
  const [stuck, free] = [await openClaim(), await openClaim()]
  const held = await holdClaims(t, service.databaseUrl, [stuck.id])
  const waiting = ['1', '2', '3'].map((id) => app.submissions.submit(requestFor(stuck, id)))
  await held.untilStatementsWait()
  for (let i = 0; i < 5; i++) await app.submissions.submit(requestFor(free, `${i}`))
  await held.release()
  await Promise.all(waiting)
  assert.deepEqual(await api.eventIds(stuck.id), ['1', '2', '3'])
})

test('after an internal error each request of the group gets a response, and later requests are served', async () => {
  const claim = await openClaim()
  let isFaulty = true
  const submissions = app.db.submissionsTo(0)
  // It keeps silent about what it did not do.
  const withConnection: typeof submissions.withConnection = async (work) =>
    isFaulty ? (undefined as never) : submissions.withConnection(work)
  const queue = new GroupCommit(
    Object.create(app.db, { submissionsTo: { value: () => ({ withConnection }) } }),
    app.lockedClocks,
    app.throttle,
  )
  const both = await Promise.allSettled([
    queue.submit(requestFor(claim, '1')),
    queue.submit(requestFor(claim, '2')),
  ])
  assert.deepEqual(
    both.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.equal(queue.waiting, 0)
  isFaulty = false
  assert.equal((await queue.submit(requestFor(claim, '3'))).replayed, false)
  assert.deepEqual(await api.eventIds(claim.id), ['3'])
})
