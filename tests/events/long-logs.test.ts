import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { assertError } from '../support/assert-error.ts'
import { runBatch } from '../support/run-batch.ts'
import { armWriteFaults } from '../support/write-faults.ts'
import { LONG_TEXT, startLongLogs } from './long-logs.ts'

/* Claims with long logs: their submissions are decided by the whole log, which is read aside, and only where it must. */

const { service, second, there, reads, claimWithLongLog, submit } = await startLongLogs({ after })
await armWriteFaults(service)

describe('a claim with a long log', () => {
  test('answers repeats and conflicts without reading the log', async () => {
    const id = await claimWithLongLog()
    const before = reads()
    const repeat = { value: 5, text: LONG_TEXT }
    const replay = await submit(id, '5', 'filler', repeat)
    assert.deepEqual([replay.status, replay.body.claim.status], [200, 'OPEN'])
    assertError(await submit(id, '5', 'filler', { value: 6 }), 409, 'EVENT_ID_CONFLICT')
    assert.equal(reads(), before)
    // What needed no log has left no copy that would be taken for one.
    const settled = await submit(id, 'last', 'last')
    assert.deepEqual([settled.status, settled.body.claim.status], [201, 'PENDING'])
    assert.equal(reads(), before + 1)
    assert.equal((await submit(id, '5', 'filler', repeat)).status, 200)
    assertError(await submit(id, 'late', 'last'), 422, 'CLAIM_NOT_OPEN')
    assert.equal(reads(), before + 1)
  })

  test('answers 500 to an event that the database rejects; other events are recorded, with a read each', async () => {
    const claims = [await claimWithLongLog(), await claimWithLongLog()]
    const before = reads()
    const events = claims.flatMap((claim_id) =>
      ['1', 'fault_XX000', '2'].map((type) => ({ claim_id, id: `new ${type}`, type })),
    )
    const results = await runBatch(there, '/v1/events/batch', events)
    assert.deepEqual(
      results.map(({ status }) => status),
      [201, 500, 201, 201, 500, 201],
    )
    assert.ok(reads() - before <= 2 * events.length, `${reads() - before} reads`)
  })

  test('is read once for all queued events, repeats included, and decided by the whole log', async () => {
    const id = await claimWithLongLog()
    const before = reads()
    const names = ['a', '3', 'b', '3', 'a', 'c']
    const events = names.map((name) => ({ claim_id: id, id: name, type: 'noise' }))
    const results = await runBatch(there, '/v1/events/batch', events)
    assert.deepEqual(
      results.map(({ status }) => status),
      [201, 409, 201, 409, 200, 201],
    )
    assert.equal((await submit(id, 'a', 'noise')).status, 200)
    assert.equal((await submit(id, 'd', 'noise')).status, 201)
    assert.equal(reads(), before + 1)
    assert.equal((await submit(id, 'last', 'last')).body.claim.status, 'PENDING')
    const { events: log } = await there.readClaim(id)
    assert.deepEqual(
      log.slice(40).map((event: { id: string }) => event.id),
      ['a', 'b', 'c', 'd', 'last'],
    )
  })

  test('that another server writes to meanwhile is read again', async () => {
    const id = await claimWithLongLog()
    assert.equal((await submit(id, 'a', 'noise')).status, 201)
    await service.api.post('/v1/events', { claim_id: id, id: 'b', type: 'noise' })
    assert.equal((await submit(id, 'b', 'noise')).status, 200)
    assert.equal((await submit(id, 'last', 'last')).body.claim.status, 'PENDING')
  })

  test('answers 404 to another account without reading the log', async () => {
    const id = await claimWithLongLog()
    const before = reads()
    const stranger = second.clientWith((await service.newAccount()).token)
    assertError(
      await stranger.post('/v1/events', { claim_id: id, id: '5', type: 'x' }),
      404,
      'CLAIM_NOT_FOUND',
    )
    assert.equal(reads(), before)
  })
})
