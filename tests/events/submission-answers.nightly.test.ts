import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { EVENT_WRITES } from '../support/event-writes.ts'
import { startProxiedService } from '../support/proxied-service.ts'
import { runBatch } from '../support/run-batch.ts'
import { FAILURES, type Home, mixedBatches, statusesOf } from './mixed-batches.ts'

/*
 * A batch for live claims and for claims on test clocks is written by several statements. Whichever of them fails, and
 * however, each answer says what was written.
 */

const service = await startProxiedService({ after })
const { api, proxy } = service
const { newClaim, assertResultsMatchLog, assertFailureIsReported } = await mixedBatches(service)

/** Where the faulty event stands among others: alone in its statement, or together with others. */
const ORDERS: Record<string, Home[]> = {
  'a clock after live claims': ['live', 'live', 'clock'],
  'live claims after a clock': ['clock', 'live', 'live'],
  'a clock between': ['live', 'clock', 'clock', 'live'],
}

describe('a failed write does not affect the results of other writes', () => {
  for (const [order, homes] of Object.entries(ORDERS))
    for (const known of [true, false])
      for (const failure of FAILURES)
        test(`${failure.type}, ${order}, ${known ? 'of copies' : 'read first'}`, () =>
          assertFailureIsReported({ ...failure, homes, known }))
})

describe('a connection that is lost', () => {
  const STATEMENTS = ['read_claims_to_decide', 'read_events', ...EVENT_WRITES]
  const CUTS = ['cut before', 'cut during'] as const
  for (const statement of STATEMENTS) {
    for (const cut of CUTS) {
      for (const known of [true, false]) {
        const name = `at ${statement}, ${cut}, ${known ? 'of copies' : 'read first'}`
        test(`${name}: answers follow what was written`, async () => {
          const [a, b] = [await newClaim('live', known), await newClaim('clock', known)]
          const repeated = await newClaim('live', true)
          const events = [
            { claim_id: a, id: '1', type: 'a' },
            { claim_id: b, id: '1', type: 'a' },
            // Without an id of the caller's.
            { claim_id: a, type: 'a' },
            { claim_id: b, type: 'a' },
          ]
          const repeat = { claim_id: repeated, id: 'first', type: 'a' }
          proxy.inject({ statement }, cut)
          const results = await runBatch(api, '/v1/events/batch', [...events, repeat])
          assert.ok(proxy.wasInjected() || (known && statement === 'read_claims_to_decide'), 'was not cut')
          const again = results.pop()
          await assertResultsMatchLog(events, results)
          assert.ok([200, 503].includes(again.status))
          if (EVENT_WRITES.includes(statement)) {
            assert.deepEqual(statusesOf([...results, again]), [201, 201, 201, 201, 200])
          }
        })
      }
    }
  }
})
