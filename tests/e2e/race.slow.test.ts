import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Answer } from '../support/api-client.ts'
import { clientOf } from '../support/client-of.ts'
import { all, contractWith } from '../support/contracts.ts'
import { startServeProcess } from '../support/serve-process.ts'
import { createTestDatabase } from '../support/test-database.ts'

/* §3 rule 3 for real: two servers in processes of their own, one database, one claim. */

const DATABASE_URL = await createTestDatabase({ after })
const first = await startServeProcess({ after }, { DATABASE_URL })
const second = await startServeProcess({ after }, { DATABASE_URL })
const one = await clientOf(first)
const two = await clientOf({ url: second.url, token: first.token })
const customer = await one.customer('acme')

/** Submits all events at once, in turn to each server. */
const submitAll = (claimId: string, types: string[]): Promise<Answer[]> =>
  Promise.all(
    types.map((type, i) =>
      (i % 2 ? one : two).post('/v1/events', { claim_id: claimId, id: `event-${i}`, type }),
    ),
  )

test('of hundreds of submissions at once, exactly one moves the claim and all later ones get CLAIM_NOT_OPEN (§3 rule 3)', async () => {
  const claim = await one.claim(customer, contractWith({ fulfillment_condition: all({ event: 'settle' }) }))
  const types = Array.from({ length: 400 }, (_, i) => (i === 200 ? 'settle' : 'noise'))
  const answers = await submitAll(claim.id, types)

  const recorded = answers.filter(({ status }) => status === 201)
  const refused = answers.filter(({ status }) => status === 422)
  assert.equal(recorded.length + refused.length, types.length)
  assert.ok(refused.every(({ body }) => body.error.code === 'CLAIM_NOT_OPEN'))
  assert.equal(recorded.filter(({ body }) => body.claim.status === 'PENDING').length, 1)

  const { events, ...settled } = await two.readClaim(claim.id)
  assert.equal(settled.status, 'PENDING')
  assert.equal(settled.scheduled_outcome, 'CONFIRMED')
  assertLogHoldsExactly(events, recorded)
  assert.equal(events.at(-1).type, 'settle')
  assert.equal(settled.status_since, events.at(-1).created_at)
})

test('of many events at once that would each settle the claim, one does (§3 rule 3)', async () => {
  const claim = await one.claim(
    customer,
    contractWith({ fulfillment_condition: all({ event: 'a' }, { event: 'b' }) }),
  )
  const answers = await submitAll(
    claim.id,
    Array.from({ length: 100 }, (_, i) => (i % 4 < 2 ? 'a' : 'b')),
  )
  const recorded = answers.filter(({ status }) => status === 201)
  assert.equal(recorded.filter(({ body }) => body.claim.status === 'PENDING').length, 1)

  const { events } = await one.readClaim(claim.id)
  assertLogHoldsExactly(events, recorded)
  const types = events.map(({ type }: { type: string }) => type)
  assert.equal(new Set(types.slice(0, -1)).size, 1, 'before the last event the condition did not hold')
  assert.equal(new Set(types).size, 2, 'with it, it did')
})

test('the same event sent many times at once is recorded once: one 201, the others 200', async () => {
  const claim = await one.claim(customer, contractWith())
  const event = { claim_id: claim.id, id: 'same', type: 'done', value: 1 }
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, i) => (i % 2 ? one : two).post('/v1/events', event)),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array(59).fill(200), 201])
  assert.equal((await one.readClaim(claim.id)).events.length, 1)
})

test('submissions to many claims at once do not disturb each other', async () => {
  const claims = await Promise.all(Array.from({ length: 20 }, () => one.claim(customer, contractWith())))
  const answers = await Promise.all(
    claims.flatMap(({ id }, i) =>
      ['x', 'y', 'z'].map((type) => (i % 2 ? one : two).post(`/v1/claims/${id}/events`, { type })),
    ),
  )
  assert.ok(answers.every(({ status }) => status === 201))
  for (const { id } of claims) assert.equal((await two.readClaim(id)).events.length, 3)
})

function assertLogHoldsExactly(events: { id: string; created_at: string }[], recorded: Answer[]): void {
  assert.deepEqual(events.map(({ id }) => id).sort(), recorded.map(({ body }) => body.event.id).sort())
  const times = events.map(({ created_at }) => created_at)
  assert.deepEqual(times, [...times].sort(), 'times do not run backwards')
}
