import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Answer } from '../support/api-client.ts'
import { contractWith } from '../support/contracts.ts'
import { movedBy, TIMES_OF_CLAIM } from '../support/moved-times.ts'
import { runBatch } from '../support/run-batch.ts'
import { sharedService } from '../support/shared.ts'
import type { Contract } from '../support/source/contracts.ts'
import { runScheduledCheck } from '../support/source/decisions.ts'

/*
 * The database's clock is set back: what is stored is from the future. Times in a log never run backwards all the same.
 */

const service = await sharedService()
const { api } = service
const customer = await api.customer('acme')
const HOUR_MS = 3_600_000

/** A claim of which all is an hour older than it is, and that the server has a copy of or not. */
async function claimFromTheFuture(known: boolean, terms: Partial<Contract> = {}, withEvents = true) {
  const { id } = await api.claim(customer, contractWith(terms))
  if (withEvents) await submit(id, 'first')
  // The copy that the service keeps is of the claim as it is: so the version is raised, and the copy is made anew.
  await service.sql(`UPDATE claims SET ${movedBy('1 hour', TIMES_OF_CLAIM)} WHERE id = $1`, [id])
  await service.sql(`UPDATE claim_events SET ${movedBy('1 hour', ['created_at'])} WHERE claim_id = $1`, [id])
  if (withEvents) {
    // Another server's write, so that what this one has in memory is stale.
    await service.sql(
      `INSERT INTO claim_events (claim_id, seq, id, type, payload, system, created_at)
       VALUES ($1, 2, 'second', 'a', '{}', false, clock_timestamp() + interval '1 hour')`,
      [id],
    )
    await service.sql('UPDATE claims SET event_count = event_count + 1 WHERE id = $1', [id])
  }
  if (known) await submit(id, 'third')
  return id
}

const submit = async (claim_id: string, id: string, type = 'a'): Promise<Answer['body']> => {
  const { status, body } = await api.post('/v1/events', { claim_id, id, type })
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

async function assertMonotone(id: string): Promise<Answer['body']> {
  const claim = await api.readClaim(id)
  const times = [claim.created_at, ...claim.events.map((event: { created_at: string }) => event.created_at)]
  assert.deepEqual(times, times.toSorted())
  assert.ok(Date.parse(claim.status_since) >= Date.parse(claim.created_at))
  assert.ok(Date.parse(times[0]) > Date.now() + HOUR_MS / 2)
  return claim
}

for (const known of [true, false]) {
  describe(`submissions to a claim from the future, ${known ? 'of a copy' : 'read first'}`, () => {
    test('are recorded no earlier than the events in its log, with the same time in the response', async () => {
      const id = await claimFromTheFuture(known)
      const { event, claim } = await submit(id, 'goal', 'done')
      const stored = await assertMonotone(id)
      assert.deepEqual(stored.events.at(-1).created_at, event.created_at)
      assert.deepEqual(
        [claim.status, claim.status_since, claim.due_at],
        [stored.status, stored.status_since, stored.due_at],
      )
      assert.equal(stored.status_since, event.created_at)
      assert.equal(Date.parse(stored.due_at), Date.parse(stored.status_since) + 600_000)
    })

    test('of a batch do not change the times of other claims', async () => {
      const [late, other] = [await claimFromTheFuture(known), (await api.claim(customer, contractWith())).id]
      const before = Date.now() + HOUR_MS / 2
      const results = await runBatch(
        api,
        '/v1/events/batch',
        ['x', 'y'].flatMap((name) => [late, other].map((claim_id) => ({ claim_id, id: name, type: 'a' }))),
      )
      assert.ok(results.every(({ status }) => status === 201))
      await assertMonotone(late)
      for (const i of [1, 3]) assert.ok(Date.parse(results[i].event.created_at) < before)
      for (const i of [0, 2]) assert.ok(Date.parse(results[i].event.created_at) > before)
      const replays = await runBatch(api, '/v1/events/batch', [{ claim_id: late, id: 'x', type: 'a' }])
      assert.equal(replays[0].event.created_at, results[0].event.created_at)
    })
  })
}

test('a claim without events is not settled before it was created', async () => {
  const id = await claimFromTheFuture(false, {}, false)
  await submit(id, 'goal', 'done')
  await assertMonotone(id)
})

test('a scheduled check moves it no earlier than its last event was recorded', async () => {
  const id = await claimFromTheFuture(true, { activity_window: 0.001 })
  const created = Date.parse((await api.readClaim(id)).created_at)
  await service.sql(`UPDATE claims SET ${movedBy('-2 hours', TIMES_OF_CLAIM)} WHERE id = $1`, [id])
  await runScheduledCheck(service.app, new Date(Math.floor(Date.now() / 60_000) * 60_000))
  const { status, status_since, events } = await api.readClaim(id)
  assert.equal(status, 'PENDING')
  const times = events.map((event: { created_at: string }) => event.created_at)
  assert.deepEqual(times, times.toSorted())
  assert.equal(status_since, times.at(-1))
  assert.ok(Date.parse(status_since) >= created)
})
