import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Answer } from '../support/api-client.ts'
import { assertError } from '../support/assert-error.ts'
import { all, contractWith } from '../support/contracts.ts'
import { eventually } from '../support/eventually.ts'
import { newClaim } from '../support/new-records.ts'
import { runBatch } from '../support/run-batch.ts'
import { startStruckService } from '../support/struck-service.ts'
import { startTestService } from '../support/test-service.ts'
import { armWriteFaults } from '../support/write-faults.ts'

/* Claims with long logs: their submissions are decided by the whole log, which is read aside, and only where it must. */

let reads = 0
const service = await startTestService({ after })
/** Another server, which has no copies of what the first one wrote. */
const second = await startStruckService({ after }, { databaseUrl: service.databaseUrl })
const { proxy } = second
proxy.listen((statement) => {
  if (statement === 'read_long_log') reads++
})
await armWriteFaults(service)
const there = second.clientWith(service.api.token)
const customer = await service.api.customer('acme')
const terms = contractWith({ fulfillment_condition: all({ event: 'filler', gte: 39 }, { event: 'last' }) })

/** Of 2 MiB, decisive. */
async function claimWithLongLog(): Promise<string> {
  const { id } = await service.api.claim(customer, terms)
  const events = Array.from({ length: 40 }, (_, i) => ({
    claim_id: id,
    id: `${i}`,
    type: i % 4 === 0 ? 'noise' : 'filler',
    value: i,
    text: 'v'.repeat(50_000),
  }))
  for (let i = 0; i < 40; i += 10) {
    const results = await runBatch(service.api, '/v1/events/batch', events.slice(i, i + 10))
    assert.ok(results.every(({ status }) => status === 201))
  }
  return id
}

const submit = (claim_id: string, id: string, type: string, fields = {}): Promise<Answer> =>
  there.post('/v1/events', { claim_id, id, type, ...fields })

describe('a claim with a long log', () => {
  test('answers repeats and conflicts without a look at the log', async () => {
    const id = await claimWithLongLog()
    const before = reads
    const repeat = { value: 5, text: 'v'.repeat(50_000) }
    const replay = await submit(id, '5', 'filler', repeat)
    assert.deepEqual([replay.status, replay.body.claim.status], [200, 'OPEN'])
    assertError(await submit(id, '5', 'filler', { value: 6 }), 409, 'EVENT_ID_CONFLICT')
    assert.equal(reads, before)
    // What needed no log has left no copy that would be taken for one.
    const settled = await submit(id, 'last', 'last')
    assert.deepEqual([settled.status, settled.body.claim.status], [201, 'PENDING'])
    assert.equal(reads, before + 1)
    assert.equal((await submit(id, '5', 'filler', repeat)).status, 200)
    assertError(await submit(id, 'late', 'last'), 422, 'CLAIM_NOT_OPEN')
    assert.equal(reads, before + 1)
  })

  test('answers an event that the database refuses 500 alone: those beside it are recorded, with a read each', async () => {
    const claims = [await claimWithLongLog(), await claimWithLongLog()]
    const before = reads
    const events = claims.flatMap((claim_id) =>
      ['1', 'fault_XX000', '2'].map((type) => ({ claim_id, id: `new ${type}`, type })),
    )
    const results = await runBatch(there, '/v1/events/batch', events)
    assert.deepEqual(
      results.map(({ status }) => status),
      [201, 500, 201, 201, 500, 201],
    )
    assert.ok(reads - before <= 2 * events.length, `${reads - before} reads`)
  })

  test('is read once for all that comes, repeats among them, and decided by all of it', async () => {
    const id = await claimWithLongLog()
    const before = reads
    const names = ['a', '3', 'b', '3', 'a', 'c']
    const events = names.map((name) => ({ claim_id: id, id: name, type: 'noise' }))
    const results = await runBatch(there, '/v1/events/batch', events)
    assert.deepEqual(
      results.map(({ status }) => status),
      [201, 409, 201, 409, 200, 201],
    )
    assert.equal((await submit(id, 'a', 'noise')).status, 200)
    assert.equal((await submit(id, 'd', 'noise')).status, 201)
    assert.equal(reads, before + 1)
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

  for (const statement of ['read_long_log', 'read_evidence']) {
    for (const blow of ['cut before', 'cut during', { refused: '53100' }] as const) {
      const name = typeof blow === 'string' ? blow : `refused with ${blow.refused}`
      test(`does not hold up those of others, and is answered where ${statement} is ${name}`, async () => {
        const stranger = second.clientWith((await service.newAccount()).token)
        const other = await newClaim(stranger)
        const ids = await Promise.all([1, 2, 3].map(claimWithLongLog))
        proxy.strike({ statement }, blow)
        const settling = ids.map((id) => submit(id, 'last', 'last'))
        for (let i = 0; i < 20; i++) {
          const answer = await stranger.post('/v1/events', { claim_id: other.id, id: `${i}`, type: 'a' })
          assert.equal(answer.status, 201)
        }
        for (const { status, body } of await Promise.all(settling)) {
          assert.deepEqual([status, body.claim?.status], [201, 'PENDING'])
        }
        assert.ok(proxy.hasStruck())
      })
    }
  }

  test('is nobody else’s: a stranger’s submission answers 404 without a look at the log', async () => {
    const id = await claimWithLongLog()
    const before = reads
    const stranger = second.clientWith((await service.newAccount()).token)
    assertError(
      await stranger.post('/v1/events', { claim_id: id, id: '5', type: 'x' }),
      404,
      'CLAIM_NOT_FOUND',
    )
    assert.equal(reads, before)
  })

  test('is not read where nobody waits for it any more: an account cannot pile up such work', async () => {
    const [slow, unwanted, next] = await Promise.all([
      claimWithLongLog(),
      claimWithLongLog(),
      claimWithLongLog(),
    ])
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const before = reads
    proxy.listen((statement) => {
      if (statement === 'read_long_log' && ++reads === before + 1) return released
    })
    const first = submit(slow, 'a', 'noise')
    await eventually(async () => reads === before + 1)
    const answers = await Promise.all([first, submit(unwanted, 'a', 'noise')])
    for (const answer of answers) assertError(answer, 503, 'UNAVAILABLE')
    release()
    assert.equal((await submit(next, 'a', 'noise')).status, 201)
    assert.equal(reads, before + 2)
  })
})
