import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ApiClient } from '../support/api-client.ts'
import { all, contractWith } from '../support/contracts.ts'
import { holdClaims } from '../support/held-rows.ts'
import { MOVE_CONTRACTS_BACK_TO_CLAIMS, SKIP_ON_CITUS } from '../support/old-claims.ts'
import { moveContracts } from '../support/source/claims.ts'
import { runScheduledCheck } from '../support/source/decisions.ts'
import { startTestService } from '../support/test-service.ts'

/*
 * Claims that an older version made hold their contracts in their rows. They are what they were, before, while and after
 * the contracts are moved.
 */

const service = await startTestService({ after })
const second = await startTestService({ after }, { databaseUrl: service.databaseUrl, withoutAccount: true })
const { app, api, sql } = service
const customer = await api.customer('acme')
const never = () => false

const WHERE_THEY_ARE = `SELECT count(*) FILTER (WHERE contract IS NOT NULL AND decisive_event_types IS NOT NULL)::int AS own,
  count(contract_hash)::int AS shared FROM claims`

async function putBack(): Promise<void> {
  for (const statement of MOVE_CONTRACTS_BACK_TO_CLAIMS) await sql(statement)
}
const whereTheyAre = async () => (await sql(WHERE_THEY_ARE))[0]

/** Every representation of the claims. */
async function readAll(client: ApiClient, ids: readonly string[]) {
  const each = ids.map(async (id) => [
    await client.readClaim(id),
    (await client.get(`/v1/claims/${id}/explanation`)).body,
  ])
  return [
    await Promise.all(each),
    (await client.get('/v1/claims?limit=100')).body,
    (await client.get('/v1/overview')).body.next_due,
  ]
}

const odd =
  '{"price":0.10,"activity_window":1e3,"review_window":60,"timeout_outcome":"fail","fulfillment_condition":{"event":"done","match":{"10":1,"2":"\\u20ac"}}}'
const contracts = [
  contractWith({ price: 12.34 }),
  contractWith({ fulfillment_condition: all({ event: 'a' }, { event: 'done', gte: 3 }) }),
  JSON.parse(odd),
  contractWith({ fulfillment_condition: { event: 'done', match: { long: 'x'.repeat(9_000) } } }),
]
let ids: string[] = []
before(async () => {
  const created = await Promise.all(
    Array.from({ length: 12 }, (_, n) => api.claim(customer, contracts[n % 4])),
  )
  ids = created.map(({ id }) => id)
})

describe('contracts in the rows of claims', SKIP_ON_CITUS, () => {
  test('are returned unchanged before and after the move', async () => {
    const original = await readAll(api, ids)
    await putBack()
    assert.deepEqual(await whereTheyAre(), { own: 12, shared: 0 })
    assert.deepEqual(await readAll(api, ids), original)
    assert.deepEqual(await moveContracts(app, never), { moved: 12, totalMoved: 12, isDone: true })
    assert.deepEqual(await whereTheyAre(), { own: 0, shared: 12 })
    assert.deepEqual(await readAll(api, ids), original)
    assert.deepEqual(await sql('SELECT count(*)::int AS count FROM contracts'), [{ count: 4 }])
    assert.deepEqual(await moveContracts(app, never), { moved: 0, totalMoved: 12, isDone: true })
  })

  test('are the same that new claims have', async () => {
    await putBack()
    await moveContracts(app, never)
    const moved = await sql(
      'SELECT hash, bytes, event_types, review_window, timeout_outcome FROM contracts ORDER BY hash',
    )
    await sql('DELETE FROM contracts')
    await Promise.all(contracts.map((contract) => api.claim(customer, contract)))
    const created = await sql(
      'SELECT hash, bytes, event_types, review_window, timeout_outcome FROM contracts ORDER BY hash',
    )
    assert.deepEqual(created, moved)
  })

  test('are decided by, whether they were moved or not', async () => {
    for (const isMoved of [false, true]) {
      const claims = await Promise.all(contracts.map((contract) => api.claim(customer, contract)))
      const due = await api.claim(
        customer,
        contractWith({ activity_window: 0.001, review_window: 60, timeout_outcome: 'confirm' }),
      )
      await putBack()
      if (isMoved) await moveContracts(app, never)
      // The other server knows none of them.
      const there = second.clientWith(api.token)
      const statuses = await Promise.all(
        claims.map(async ({ id }) => {
          const events = [
            { type: 'a' },
            { type: 'done', value: 2, '10': 1, '2': '€', long: 'x'.repeat(9_000) },
            { type: 'done', value: 3 },
          ]
          for (const event of events) await there.post('/v1/events', { claim_id: id, ...event })
          return (await api.readClaim(id)).status
        }),
      )
      assert.equal(statuses[1], 'PENDING')
      assert.equal(statuses[0], 'PENDING')
      await runScheduledCheck(app, new Date(Date.now() + 60_000))
      const { status, scheduled_outcome } = await api.readClaim(due.id)
      assert.deepEqual([status, scheduled_outcome], ['PENDING', 'CONFIRMED'])
      assert.deepEqual(await whereTheyAre().then((row) => (isMoved ? row?.own : row?.shared)), 0)
    }
  })

  test('of a claim that somebody holds wait for the next round, and nobody waits for it', async (t) => {
    await putBack()
    const held = await holdClaims(t, service.databaseUrl, [ids[7] as string])
    let rounds = 0
    const first = await moveContracts(app, () => ++rounds === 1)
    assert.equal(first?.isDone, false)
    assert.equal((await whereTheyAre())?.own, 1)
    await held.release()
    const last = await moveContracts(app, never)
    assert.deepEqual([last?.moved, last?.isDone], [1, true])
    assert.equal((await whereTheyAre())?.own, 0)
  })

  test('are moved by one server at a time, while events come in', async () => {
    await putBack()
    const one = contractWith({ activity_window: 86_400 })
    const claims = await Promise.all(Array.from({ length: 20 }, () => api.claim(customer, one)))
    await putBack()
    const submitting = Promise.all(
      claims.map(async ({ id }, n) => {
        for (const type of ['seen', 'seen again']) {
          assert.equal(
            (await (n % 2 ? api : second.clientWith(api.token)).post('/v1/events', { claim_id: id, type }))
              .status,
            201,
          )
        }
      }),
    )
    const moves = await Promise.all([moveContracts(app, never), moveContracts(second.app, never)])
    await submitting
    await moveContracts(app, never)
    assert.ok(moves.some((one) => one?.isDone))
    assert.equal((await whereTheyAre())?.own, 0)
    for (const { id } of claims) assert.equal((await api.readClaim(id)).events.length, 2)
  })
})

test('a server of an older version may still add claims', SKIP_ON_CITUS, async () => {
  const [created] = await sql(
    `INSERT INTO claims (id, user_id, customer_id, contract, decisive_event_types, status, status_since, due_at, created_at)
     SELECT gen_random_uuid(), user_id, customer_id, $2, '{done}', 'OPEN', status_since, due_at, created_at
     FROM claims WHERE id = $1 RETURNING id, price::text`,
    [ids[0], odd],
  )
  assert.equal(created?.price, '0.10')
  const { contract } = await api.readClaim(created?.id as string)
  assert.deepEqual(contract, JSON.parse(odd))
})
