import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { assertError } from '../support/assert-error.ts'
import { connectionOf } from '../support/connection-of.ts'
import { all, contractWith } from '../support/contracts.ts'
import { namedEvents } from '../support/named-events.ts'
import { newClaim } from '../support/new-records.ts'
import { runBatch } from '../support/run-batch.ts'
import type { Contract } from '../support/source/contracts.ts'
import type { Connection } from '../support/source/database.ts'
import {
  ClaimCache,
  type EventRequest,
  newSnapshot,
  PendingDecision,
  PendingSubmission,
  readClaimsToDecide,
  recordBatch,
  type SubmissionResult,
} from '../support/source/decisions.ts'
import { startTestService } from '../support/test-service.ts'

/* Claims under long contracts, or with much of a log to read: no group is held up by reading hundreds of them. */

const service = await startTestService({ after })
const { app, api } = service
const customer = await api.customer('acme')
const KIB = 1024
const [owner] = await service.sql('SELECT user_id FROM customers WHERE id = $1', [customer])
const userId = owner?.user_id as string

/** Each of its own, and of some 25 KiB. */
const longContract = (n: number, keys = 2_700): Contract =>
  contractWith({
    fulfillment_condition: all(
      { event: 'done' },
      { event: 'a', match: Object.fromEntries(Array.from({ length: keys }, (_, i) => [`${n}-${i}`, 1])) },
    ),
  })

async function claimsUnder(contracts: readonly Contract[]): Promise<string[]> {
  const items = contracts.map((contract) => ({ customer_id: customer, contract }))
  return (await runBatch(api, '/v1/claims/batch', items)).map(({ claim }) => claim.id)
}
const heavyClaims = (count: number) => claimsUnder(Array.from({ length: count }, (_, n) => longContract(n)))

const submit = (events: readonly object[], client = api) => runBatch(client, '/v1/events/batch', events)

const requestOf = (claimId: string, type = 'none', id = type): EventRequest => ({
  userId,
  address: { kind: 'claim', id: claimId },
  submission: { id, type, payload: {}, payloadBytes: 2 },
  payloadJson: '{}',
})

const nobody = () => {}
const pending = (request: EventRequest) => new PendingSubmission(request, nobody)

describe('a group', () => {
  const attempt = async (claims: readonly string[]) => {
    const group = claims.map((claimId) => ({
      claimId,
      submissions: [pending(requestOf(claimId))] as const,
    }))
    await app.db
      .submissionsTo(0)
      .withConnection((connection) =>
        recordBatch(connection, { cache: new ClaimCache(), calendarTimes: service.app.calendarTimes }, group),
      )
    return group.map(({ submissions: [{ result }] }) => result as SubmissionResult)
  }

  test('of many reads as many heavy claims as it may, of the rest how heavy they are, and all others', async () => {
    const heavy = await heavyClaims(40)
    const light = await claimsUnder(Array.from({ length: 10 }, () => contractWith()))
    const outcomes = await attempt([...heavy, ...light])
    const waiting = outcomes.slice(0, 40).filter((outcome) => 'reason' in outcome)
    // Of 25 KiB each in 128.
    assert.ok(waiting.length >= 34 && waiting.length <= 36, `${waiting.length}`)
    for (const outcome of waiting) {
      assert.ok('bytes' in outcome && outcome.reason === 'oversized')
      assert.ok(Number(outcome.bytes) > 20 * KIB && Number(outcome.bytes) < 40 * KIB)
    }
    const decided = outcomes.filter((outcome) => 'event' in outcome)
    assert.equal(decided.length + waiting.length, 50)
    for (const outcome of outcomes.slice(40)) assert.ok('event' in outcome)
  })

  test('of oversized claims decides each of them: the longest is not deferred until its timeout', async () => {
    const [shorter, longer] = [3_200, 4_700]
    const claims = await claimsUnder([
      ...Array.from({ length: 12 }, (_, n) => longContract(100 + n, shorter)),
      longContract(200, longer),
    ])
    await Promise.all(claims.map((id) => app.submissions.submit(requestOf(id))))
  })

  test('reads a contract once that many claims share, whatever else has its length', async () => {
    // Of one length each, and a hundred would be 2.5 MB.
    const contracts = [longContract(10), longContract(11)] as const
    const claims = await claimsUnder(Array.from({ length: 100 }, (_, n) => contracts[n % 2] as Contract))
    for (const outcome of await attempt(claims)) assert.ok('event' in outcome)
    const { claims: read } = await readClaimsToDecide(app.db.checks, namedEvents(claims), 512 * KIB)
    const found = new Map([...read].map(({ claim }) => [claim.id, claim.contract]))
    for (const [n, id] of claims.entries()) assert.deepEqual(found.get(id), contracts[n % 2])
  })

  test('of a few heavy claims reads and decides them', async () => {
    const claims = await heavyClaims(4)
    for (const outcome of await attempt(claims)) assert.ok('event' in outcome)
  })

  test('asks for no contract that it knows', async () => {
    const claims = await claimsUnder(Array.from({ length: 20 }, () => longContract(20)))
    let queries = 0
    const query: Connection['query'] = (...statement) => {
      queries++
      return app.db.checks.query(...statement)
    }
    for (const statements of [2, 1]) {
      queries = 0
      const { claims: read } = await readClaimsToDecide(
        { ...connectionOf(query), distribution: app.db.distribution },
        namedEvents(claims),
        100 * KIB,
      )
      assert.deepEqual([[...read].length, queries], [20, statements])
    }
  })

  test('counts a part of a log that is no long one too', async () => {
    const claims = await claimsUnder(Array.from({ length: 20 }, () => contractWith()))
    await submit(claims.map((claim_id) => ({ claim_id, type: 'seen', text: 'x'.repeat(10_000) })))
    // As an older version left them.
    await service.sql('UPDATE claims SET log_digest = NULL')
    const read = async (most: number) => {
      const { claims: found, oversized } = await readClaimsToDecide(app.db.checks, namedEvents(claims), most)
      return { found: [...found], oversized }
    }
    const little = await read(20_000)
    assert.equal(little.found.length + little.oversized.size, 20)
    assert.ok(little.found.length >= 4 && little.found.length <= 7, `${little.found.length}`)
    for (const bytes of little.oversized.values()) assert.ok(bytes > 2_600 && bytes < 2_900, `${bytes}`)
    const enough = await read(60_000)
    assert.deepEqual([enough.found.length, enough.oversized.size], [20, 0])
    for (const { eventIds } of enough.found) assert.equal(eventIds.length, 1)
  })

  test('takes the length of a contract that is not compressed for what it is', async () => {
    const x = randomBytes(900).toString('hex')
    const contract = contractWith({ fulfillment_condition: { event: 'a', match: { x } } })
    const { length } = JSON.stringify(contract)
    const { oversized } = await readClaimsToDecide(
      app.db.checks,
      namedEvents(await claimsUnder([contract, contract])),
      500,
    )
    for (const bytes of oversized.values())
      assert.ok(Math.abs(bytes - length) < 300, `${bytes} for ${length}`)
    assert.equal(oversized.size, 2)
  })
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

test('a decision has a step for each submission with a large payload', async () => {
  const [claimId] = (await claimsUnder([contractWith()])) as [string]
  const { claims } = await readClaimsToDecide(app.db.checks, namedEvents([claimId]))
  const [read] = [...claims]
  assert.ok(read)
  const submissions = ['1', '2', '3'].map((id) => {
    const request = requestOf(claimId, 'none', id)
    return pending({ ...request, submission: { ...request.submission, payloadBytes: 2_000 } })
  })
  const steps = PendingDecision.of(newSnapshot(read), submissions, new Set())
  for (let i = 0; i < 3; i++) assert.equal(steps.next().done, false)
  const { done, value } = steps.next()
  assert.ok(done && value.writes)
})
