import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { ClaimCopies, copyOf } from '../../src/app/claim-copies.ts'
import { ClaimDraft } from '../../src/app/claim-draft.ts'
import type { EventRequest } from '../../src/app/submit-event.ts'
import { submitGroup } from '../../src/app/submit-group.ts'
import type { Contract } from '../../src/domain/contract.ts'
import { readClaimsToDecide } from '../../src/storage/claims-to-decide.ts'
import type { Answer } from '../support/api-client.ts'
import { assertError } from '../support/assert-error.ts'
import { all, contractWith } from '../support/contracts.ts'
import { newClaim } from '../support/new-records.ts'
import { runBatch } from '../support/run-batch.ts'
import { startTestService } from '../support/test-service.ts'

/* Claims under long contracts, or with much of a log to read: no group is held up by reading hundreds of them. */

const service = await startTestService({ after })
const second = await startTestService({ after }, { databaseUrl: service.databaseUrl })
const { app, api } = service
const customer = await api.customer('acme')
const KIB = 1024
const [owner] = await service.sql('SELECT user_id FROM customers WHERE id = $1', [customer])
const userId = owner?.user_id as string

/** Each of its own, and of some 25 KiB. */
const longContract = (n: number): Contract =>
  contractWith({
    fulfillment_condition: all(
      { event: 'done' },
      { event: 'a', match: Object.fromEntries(Array.from({ length: 2_700 }, (_, i) => [`${n}-${i}`, 1])) },
    ),
  })

async function claimsUnder(contracts: readonly Contract[]): Promise<string[]> {
  const items = contracts.map((contract) => ({ customer_id: customer, contract }))
  return (await runBatch(api, '/v1/claims/batch', items)).map(({ claim }) => claim.id)
}
const heavyClaims = (count: number) => claimsUnder(Array.from({ length: count }, (_, n) => longContract(n)))

const submit = (events: readonly object[], client = api) => runBatch(client, '/v1/events/batch', events)
const statuses = (results: Answer['body'][]): number[] => results.map(({ status }) => status)

const requestOf = (claimId: string, type = 'none', id = type): EventRequest => ({
  userId,
  address: { kind: 'claim', id: claimId },
  submission: { id, type, payload: {}, payloadBytes: 2 },
  payloadJson: '{}',
})

describe('a group', () => {
  test('of many reads nothing of heavy claims but how heavy they are, and of the others all', async () => {
    const heavy = await heavyClaims(40)
    const light = await claimsUnder(Array.from({ length: 10 }, () => contractWith()))
    const outcomes = await app.db.submissions.withConnection((connection) =>
      submitGroup(
        connection,
        new ClaimCopies(),
        [...heavy, ...light].map((claimId) => ({ claimId, requests: [requestOf(claimId)] })),
      ),
    )
    for (const [outcome] of outcomes.slice(0, 40)) {
      assert.ok(outcome && 'again' in outcome && outcome.again === 'is heavy')
      assert.ok(Number(outcome.bytes) > 10 * KIB && Number(outcome.bytes) < 128 * KIB)
    }
    for (const [outcome] of outcomes.slice(40)) assert.ok(outcome && 'event' in outcome)
  })

  test('of those that are known to be heavy reads and decides them', async () => {
    const claims = await heavyClaims(20)
    const outcomes = await app.db.submissions.withConnection((connection) =>
      submitGroup(
        connection,
        new ClaimCopies(),
        claims.map((claimId) => ({
          claimId,
          requests: [requestOf(claimId)],
          heavyBytes: 40 * KIB,
        })),
      ),
    )
    for (const [outcome] of outcomes) assert.ok(outcome && 'event' in outcome)
  })

  test('counts a log that is no long one too', async () => {
    const claims = await claimsUnder(Array.from({ length: 20 }, () => contractWith()))
    await submit(claims.map((claim_id) => ({ claim_id, type: 'seen', text: 'x'.repeat(10_000) })))
    const read = (most: number) => readClaimsToDecide(app.db.checks, claims, [], most)
    const little = await read(1_000)
    assert.deepEqual([[...little.claims], little.heavy.size], [[], 20])
    for (const bytes of little.heavy.values()) assert.ok(bytes > 10_000 && bytes < 11_000)
    const all = await read(3_000)
    assert.deepEqual([[...all.claims].length, all.heavy.size], [20, 0])
  })
})

test('submissions to heavy claims are answered as any others, whatever becomes of them', async () => {
  const claims = await heavyClaims(60)
  const eventsOf = (id: string, type: string) => claims.map((claim_id) => ({ claim_id, id, type }))
  assert.deepEqual(statuses(await submit(eventsOf('1', 'none'))), Array(60).fill(201))
  const there = second.clientWith(api.token)
  // The other server has no copies, and after it the first one has stale ones.
  assert.deepEqual(statuses(await submit(eventsOf('1', 'none'), there)), Array(60).fill(200))
  assert.deepEqual(statuses(await submit(eventsOf('1', 'other'), there)), Array(60).fill(409))
  assert.deepEqual(statuses(await submit(eventsOf('2', 'done'), there)), Array(60).fill(201))
  const both = [...eventsOf('2', 'done'), ...eventsOf('3', 'none')]
  assert.deepEqual(statuses(await submit(both)), [...Array(60).fill(200), ...Array(60).fill(201)])
  const lengths = await Promise.all(claims.map(async (id) => (await api.readClaim(id)).events.length))
  assert.deepEqual(lengths, Array(60).fill(3))

  const stranger = await service.newAccount()
  const strange = await submit(eventsOf('4', 'none'), stranger)
  for (const { status } of strange) assert.equal(status, 404)
})

test('one that waits behind many events to heavy claims of another account is recorded', async () => {
  const other = await service.newAccount()
  const live = await newClaim(other)
  const claims = await heavyClaims(100)
  const flooding = submit(claims.map((claim_id) => ({ claim_id, type: 'a' })))
  for (let i = 0; i < 10; i++) {
    const answer = await other.post('/v1/events', { claim_id: live.id, id: `${i}`, type: 'a' })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
  }
  for (const result of await flooding) {
    if (result.status !== 201) assertError(result, 503, 'UNAVAILABLE')
  }
})

test('a draft is made step by step, one for each submission whose payload is not small', async () => {
  const [claimId] = (await claimsUnder([contractWith()])) as [string]
  const { claims } = await readClaimsToDecide(app.db.checks, [claimId], [])
  const [read] = [...claims]
  assert.ok(read)
  const requests = ['1', '2', '3'].map((id) => {
    const request = requestOf(claimId, 'none', id)
    return { ...request, submission: { ...request.submission, payloadBytes: 2_000 } }
  })
  const steps = ClaimDraft.of(copyOf(read), requests, new Set())
  for (let i = 0; i < 3; i++) assert.equal(steps.next().done, false)
  const { done, value } = steps.next()
  assert.ok(done && value.writes)
})
