import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Answer } from '../support/api-client.ts'
import { connectionOf } from '../support/connection-of.ts'
import { contractWith } from '../support/contracts.ts'
import { countDeadlocks } from '../support/deadlocks.ts'
import { holdClaims } from '../support/held-rows.ts'
import { newCandidate, newClaim } from '../support/new-records.ts'
import { runBatch } from '../support/run-batch.ts'
import { GroupCommit } from '../support/source/decisions.ts'
import { assertLogMatches, requestFor, submitAll } from '../support/submissions.ts'
import { startTestService } from '../support/test-service.ts'

/* Group commit: submissions that arrive while others are written go together, and disturb each other in nothing. */

const service = await startTestService({ after })
const { api, app } = service
const customer = await api.customer('acme')
const openClaim = async (): Promise<Answer['body']> => api.claim(customer, contractWith())

test('where 16 MiB of an account’s payloads wait, one more answers 503 at once; all that were taken are recorded', async (t) => {
  const claim = await openClaim()
  const held = await holdClaims(t, service.databaseUrl, [claim.id])
  const value = 'v'.repeat(256 * 1024 - '{"value":""}'.length)
  const requests = Array.from({ length: 64 }, (_, i) => requestFor(claim, `${i}`, { payload: { value } }))
  const waiting = submitAll(app.submissions, requests)
  await assert.rejects(app.submissions.submit(requestFor(claim, 'late')), { code: 'UNAVAILABLE' })
  await held.release()
  const outcomes = await waiting
  await app.submissions.submit(requestFor(claim, 'late'))
  outcomes.set('late', 'recorded')
  assertLogMatches(await api.eventIds(claim.id), [...outcomes.keys()], outcomes)
})

test('two servers and ten claims at once: nothing is lost or doubled, no deadlock, times never run backwards', async (t) => {
  const second = await startTestService(t, { databaseUrl: service.databaseUrl, withoutAccount: true })
  const there = second.clientWith(api.token)
  const claims = await Promise.all(
    Array.from({ length: 10 }, (_, i) => (i % 2 ? newClaim(api) : newCandidate(api))),
  )
  const addresses = claims.map(({ id, candidate_alias }) => (id ? { claim_id: id } : { candidate_alias }))
  const deadlocks = await countDeadlocks(service)
  const writers = Array.from({ length: 12 }, async (_, writer) => {
    const client = writer % 2 ? api : there
    for (let n = 0; n < 10; n++) {
      const events = Array.from({ length: 20 }, (_, i) => ({
        ...addresses[(writer + i * 3) % 10],
        id: `${writer}-${n}-${i}`,
        type: 'seen',
      }))
      // Every other batch is sent by two at once, as by a client that retries too early.
      const results = await Promise.all(
        [client, ...(n % 2 ? [api, there] : [])].map((one) => runBatch(one, '/v1/events/batch', events)),
      )
      assert.ok(results.flat().every(({ status }) => status === 201 || status === 200))
      for (const i of events.keys()) {
        assert.equal(results.filter((result) => result[i].status === 201).length, 1, 'recorded once')
      }
    }
  })
  await Promise.all(writers)
  const expected = writers.flatMap((_, writer) =>
    Array.from({ length: 200 }, (_, k) => ({
      claim: (writer + (k % 20) * 3) % 10,
      id: `${writer}-${Math.floor(k / 20)}-${k % 20}`,
    })),
  )
  for (const [n, { id, candidate_alias }] of claims.entries()) {
    const path = id ? `/v1/claims/${id}` : `/v1/candidates/${candidate_alias}`
    const { events } = (await api.get(path)).body
    assert.deepEqual(
      events.map((event: { id: string }) => event.id).sort(),
      expected
        .filter(({ claim }) => claim === n)
        .map((event) => event.id)
        .sort(),
    )
    const times = events.map((event: { created_at: string }) => event.created_at)
    assert.deepEqual(times, times.toSorted())
  }
  assert.equal(await countDeadlocks(service), deadlocks)
})

test('a conflict that lasts is retried with pauses, and reported in the end', async () => {
  const claim = await openClaim()
  const submissions = app.db.submissionsTo(0)
  let tries = 0
  const withConnection: typeof submissions.withConnection = (work) =>
    submissions.withConnection((connection) => {
      tries++
      const inTheWay = { text: "DO $$ BEGIN RAISE 'not here' USING ERRCODE = '40001'; END $$" }
      return work(connectionOf(() => connection.query(inTheWay), app.db.distribution))
    })
  const queue = new GroupCommit(
    Object.create(app.db, { submissionsTo: { value: () => ({ withConnection }) } }),
    app.lockedClocks,
    app.throttle,
  )
  await assert.rejects(queue.submit(requestFor(claim, '1')), { code: 'UNAVAILABLE' })
  assert.ok(tries > 2 && tries < 30, `${tries} tries`)
  assert.equal(queue.waiting, 0)
  assert.deepEqual(await api.eventIds(claim.id), [])
})
