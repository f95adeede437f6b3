import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Answer } from '../support/api-client.ts'
import { assertError } from '../support/assert-error.ts'
import { claimsOfOneShard } from '../support/claims-of-one-shard.ts'
import { contractWith } from '../support/contracts.ts'
import { contractIsMissing } from '../support/source/claims.ts'
import { type EventRequest, PendingSubmission, type SubmissionRetry } from '../support/source/decisions.ts'
import { startTestService } from '../support/test-service.ts'
import { armWriteFaults } from '../support/write-faults.ts'

/* A machine has a claim and not yet its contract. Concurrent requests for other claims are not affected. */

// Its own: the scheduled check fails on a claim without a contract.
const service = await startTestService({ after })
const { api, app, sql } = service
await armWriteFaults(service)

let prices = 1_000_000
/** A contract that no other test has, of other files neither. */
const ownContract = () => contractWith({ price: ++prices })

/** Claims of one shard: some of this account, one of another account, and one whose contract is removed. */
async function claimsAndOneInDoubt(count: number) {
  const claims = await claimsOfOneShard(service, count, ownContract())
  const strangers = await claimsOfOneShard({ app, api: await service.newAccount() }, 1, ownContract())
  const contract = ownContract()
  const [inDoubt] = await claimsOfOneShard(service, 1, contract)
  const [row] = await sql('SELECT contract_hash FROM claims WHERE id = $1', [inDoubt.id])
  await sql('DELETE FROM contracts WHERE hash = $1', [row?.contract_hash])
  const bringBack = () => claimsOfOneShard(service, 1, contract)
  return { claims: [...claims, ...strangers], inDoubt, bringBack }
}

const requestFor = ({ id, user_id: userId }: Answer['body'], type: string): EventRequest => ({
  userId,
  address: { kind: 'claim', id },
  submission: { id: 'an-event', type, payload: {}, payloadBytes: 2 },
  payloadJson: '{}',
})

const nobody = () => {}
const pending = (request: EventRequest) => new PendingSubmission(request, nobody)

/** At one go, so that all are in one group. What came of each, an error as its code. */
async function submit(claims: readonly Answer['body'][], type: string): Promise<string[]> {
  const settled = await Promise.allSettled(
    claims.map((claim) => app.submissions.submit(requestFor(claim, type))),
  )
  return settled.map((one) => {
    if (one.status === 'rejected') return one.reason.code
    return one.value.replayed ? 'replayed' : 'recorded'
  })
}

describe('of submissions that go together', () => {
  test('those to a claim in doubt answer 503, all others are recorded and found again', async () => {
    const { claims, inDoubt, bringBack } = await claimsAndOneInDoubt(2)
    const [first, ...others] = claims
    const group = [first, inDoubt, ...others, inDoubt]
    assert.deepEqual(await submit(group, 'seen'), [
      'recorded',
      'UNAVAILABLE',
      'recorded',
      'recorded',
      'UNAVAILABLE',
    ])
    assert.equal((await submit(group, 'seen')).filter((outcome) => outcome === 'replayed').length, 3)
    const event = { claim_id: inDoubt.id, id: 'an-event', type: 'seen' }
    const answer = await api.post('/v1/events', event)
    assertError(answer, 503, 'UNAVAILABLE')
    assert.equal(answer.headers.get('retry-after'), '2')

    await bringBack()
    assert.equal((await api.post('/v1/events', event)).status, 201)
  })

  test('the database refuses one: it fails alone, beside a claim in doubt too', async () => {
    const { claims, inDoubt } = await claimsAndOneInDoubt(2)
    const [bomb, ...others] = claims
    const settled = await Promise.allSettled([
      app.submissions.submit(requestFor(inDoubt, 'seen')),
      app.submissions.submit(requestFor(bomb, 'fault_P0001')),
      ...others.map((claim) => app.submissions.submit(requestFor(claim, 'seen'))),
    ])
    const errors = settled.map((one) => (one.status === 'rejected' ? one.reason.code : null))
    assert.deepEqual(errors, ['UNAVAILABLE', 'P0001', null, null])
  })
})

test('reads that go together with that of a claim in doubt are answered', async () => {
  const { claims, inDoubt } = await claimsAndOneInDoubt(2)
  const read = ({ id, user_id: userId }: Answer['body']) =>
    app.shortClaims.submit(userId, { userId, address: { kind: 'claim', id } })
  const [ofDoubt, ...found] = await Promise.all([inDoubt, ...claims].map(read))
  assert.equal(ofDoubt, 'long', 'it is read alone')
  for (const [i, one] of found.entries()) {
    assert.ok(one !== null && one !== 'long')
    assert.equal(one.claim.id, claims[i].id)
  }
  assertError(await api.get(`/v1/claims/${inDoubt.id}`), 503, 'UNAVAILABLE')
})

test('after a write with an unknown outcome, a contract in doubt does not mean that the event was not recorded', () => {
  const one = pending(requestFor({ id: '1', user_id: '1' }, 'seen'))
  const unknown: SubmissionRetry = { reason: 'outcome unknown' }
  one.result = unknown
  assert.equal(one.takeResult(), unknown)
  one.result = contractIsMissing()
  assert.equal(one.takeResult(), unknown)
})
