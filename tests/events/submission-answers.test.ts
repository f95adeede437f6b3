import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { contractWith } from '../support/contracts.ts'
import { isOnCitus } from '../support/database-nodes.ts'
import { LAST_WRITE, LAST_WRITE_OF_CHANGE } from '../support/event-writes.ts'
import { newClock } from '../support/new-records.ts'
import { startProxiedService } from '../support/proxied-service.ts'
import { runBatch } from '../support/run-batch.ts'
import { sharedService } from '../support/shared.ts'
import { FAILURES, type Home, mixedBatches, statusesOf } from './mixed-batches.ts'

/*
 * A batch for live claims and for claims on test clocks is written by several statements. Whichever of them fails, and
 * however, each answer says what was written.
 */

const { databaseUrl } = await sharedService()
const service = await startProxiedService({ after }, { databaseUrl })
const { api, proxy } = service
const { customer, newClaim, assertResultsMatchLog, assertFailureIsReported } = await mixedBatches(service)

describe('a failed write does not affect the results of other writes', () => {
  for (const failure of FAILURES)
    test(failure.type, () =>
      assertFailureIsReported({ ...failure, homes: ['live', 'clock', 'clock', 'live'], known: true }),
    )

  test('several to one claim: the rejected events get a response as well as the faulty one', async () => {
    const [live, other] = [await newClaim('live', true), await newClaim('clock', true)]
    const events = [
      { claim_id: live, id: 'x1', type: 'a' },
      { claim_id: other, id: 'y1', type: 'a' },
      { claim_id: other, id: 'y2', type: 'fault_22012' },
      { claim_id: other, id: 'y3', type: 'goal' },
      { claim_id: live, id: 'x2', type: 'goal' },
      { claim_id: other, id: 'y4', type: 'a' },
    ]
    const results = await runBatch(api, '/v1/events/batch', events)
    assert.deepEqual(statusesOf(results), [201, 201, 500, 201, 201, 422])
    assert.deepEqual(await api.eventIds(live), ['first', 'x1', 'x2'])
    assert.deepEqual(await api.eventIds(other), ['first', 'y1', 'y3'])
  })
})

describe('a connection that is lost', () => {
  const CUTS = ['cut before', 'cut during'] as const

  test('twice, once while it is written and once while it is looked for: still answered 201', async () => {
    const [a, b] = [await newClaim('live', true), await newClaim('clock', true)]
    const events = [a, b].map((claim_id) => ({ claim_id, id: 'twice', type: 'goal' }))
    proxy.inject({ statement: LAST_WRITE_OF_CHANGE }, 'cut during')
    let looks = 0
    proxy.onStatement((statement) => {
      if (statement === 'read_claims_to_decide' && looks++ === 0)
        proxy.inject({ statement: 'read_claims_to_decide' }, 'cut before')
    })
    const results = await runBatch(api, '/v1/events/batch', events)
    proxy.onStatement(null)
    assert.ok(looks > 1)
    assert.ok(proxy.wasInjected())
    await assertResultsMatchLog(events, results)
    assert.equal(results[0].status, 201)
  })

  test('if the connection is cut while events are retried individually, each result agrees with the log', async () => {
    for (const cut of CUTS) {
      // On a busy machine the first of a batch may go before the others are there, and then none is written one by one.
      let wasCut = false
      for (let tries = 0; tries < 10 && !wasCut; tries++) wasCut = await cutOneByOne(cut)
      assert.ok(wasCut)
    }
  })

  /** Whether they were written together at first. */
  async function cutOneByOne(cut: (typeof CUTS)[number]): Promise<boolean> {
    const claims = await Promise.all(
      ['live', 'live', 'live', 'clock'].map((home) => newClaim(home as Home, true)),
    )
    const events = claims.map((claim_id, i) => ({
      claim_id,
      id: 'one',
      type: i === 0 ? 'fault_22012' : 'a',
    }))
    // The first write is of all live claims, the second of the clock's, then come those of each one.
    let writes = 0
    proxy.onStatement((statement) => {
      if (!(isOnCitus() ? /^write_to_shards/ : /^append_events/).test(statement)) return
      writes++
      if (writes === 4) proxy.inject({ statement: LAST_WRITE }, cut)
    })
    const results = await runBatch(api, '/v1/events/batch', events)
    proxy.onStatement(null)
    await assertResultsMatchLog(events, results)
    assert.deepEqual(statusesOf(results), [500, 201, 201, 201])
    assert.ok(proxy.wasInjected())
    return writes >= 4
  }
})

test('a claim that is deleted between the look at its log and the look at a repeated event answers 404, and its neighbours as they were written', async () => {
  const clock = await newClock(api)
  const body = { customer_id: customer, contract: contractWith(), test_clock_id: clock }
  const { id: doomed } = (await api.post('/v1/claims', body)).body
  const live = await newClaim('live', true)
  await api.post('/v1/events', { claim_id: doomed, id: 'first', type: 'a' })
  let deleted: Promise<unknown> | null = null
  proxy.onStatement((statement) => {
    if (statement !== 'read_events') return null
    deleted ??= service.sql(
      `WITH gone AS (DELETE FROM claims WHERE id = '${doomed}') DELETE FROM claim_events WHERE claim_id = '${doomed}'`,
    )
    return deleted
  })
  const results = await runBatch(api, '/v1/events/batch', [
    { claim_id: doomed, id: 'first', type: 'a' },
    { claim_id: live, id: 'beside', type: 'a' },
  ])
  proxy.onStatement(null)
  assert.ok(deleted)
  assert.deepEqual(statusesOf(results), [404, 201])
  assert.deepEqual(await api.eventIds(live), ['first', 'beside'])
})
