import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { assertError } from '../support/assert-error.ts'
import { eventually } from '../support/eventually.ts'
import { newClaim } from '../support/new-records.ts'
import { startLongLogs } from './long-logs.ts'

/* Claims with long logs: their submissions are decided by the whole log, which is read aside, and only where it must. */

const { service, second, reads, holdNextRead, claimWithLongLog, submit } = await startLongLogs({
  after,
})

describe('a claim with a long log', () => {
  for (const statement of ['read_long_log', 'read_evidence']) {
    for (const fault of ['cut before', 'cut during', { refused: '53100' }] as const) {
      const name = typeof fault === 'string' ? fault : `refused with ${fault.refused}`
      test(`does not delay other claims, and is answered if ${statement} is ${name}`, async () => {
        const stranger = second.clientWith((await service.newAccount()).token)
        const other = await newClaim(stranger)
        const ids = await Promise.all([1, 2, 3].map(claimWithLongLog))
        second.proxy.inject({ statement }, fault)
        const settling = ids.map((id) => submit(id, 'last', 'last'))
        for (let i = 0; i < 20; i++) {
          const answer = await stranger.post('/v1/events', { claim_id: other.id, id: `${i}`, type: 'a' })
          assert.equal(answer.status, 201)
        }
        for (const { status, body } of await Promise.all(settling)) {
          assert.deepEqual([status, body.claim?.status], [201, 'PENDING'])
        }
        assert.ok(second.proxy.wasInjected())
      })
    }
  }

  test('is not read for a submission that has timed out', async () => {
    const [slow, unwanted, next] = await Promise.all([
      claimWithLongLog(),
      claimWithLongLog(),
      claimWithLongLog(),
    ])
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const before = reads()
    holdNextRead(released)
    const first = submit(slow, 'a', 'noise')
    await eventually(async () => reads() === before + 1)
    const answers = await Promise.all([first, submit(unwanted, 'a', 'noise')])
    for (const answer of answers) assertError(answer, 503, 'UNAVAILABLE')
    release()
    assert.equal((await submit(next, 'a', 'noise')).status, 201)
    assert.equal(reads(), before + 2)
  })
})
