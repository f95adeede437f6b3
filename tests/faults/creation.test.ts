import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { candidateId } from '../../src/storage/claims/candidate-id.ts'
import type { Answer } from '../support/api-client.ts'
import { newSchema, uniqueName } from '../support/new-records.ts'
import { testFaults } from './fault-table.ts'
import { fateOf, type Ledger } from './ledger.ts'
import { nextNumber } from './load.ts'
import { NEVER_SETTLED, newClock, type World } from './world.ts'

testFaults({
  name: 'creating claims',
  begin: async (world, ledger) => {
    const items = await newOfAllKinds(world)
    const { customer } = world
    const claims = items.map(({ source }) => ({ customer_id: customer.id, ...source }))
    return {
      run: async () => note(ledger, items, await world.service.api.post('/v1/claims/batch', { claims })),
      finish: async () => {},
    }
  },
})

testFaults({
  name: 'creating candidates',
  begin: async (world, ledger) => {
    const items = await newOfAllKinds(world)
    const { customer } = world
    const candidates = items.map(({ source }) => ({
      candidate_alias: aliasOfFirstShard(world),
      customer_uuid: customer.externalId,
      ...source,
    }))
    return {
      run: async () =>
        note(ledger, items, await world.service.api.post('/v1/candidates/batch', { candidates })),
      finish: async () => {},
    }
  },
})

testFaults({
  name: 'creating claims with a key',
  begin: async (world, ledger) => {
    const { service, customer } = world
    const items = await newOfAllKinds(world)
    const claims = items.map(({ source }) => ({ customer_id: customer.id, ...source }))
    const key = { 'Idempotency-Key': randomUUID() }
    const create = () => service.api.post('/v1/claims/batch', { claims }, key)
    let answered: Answer | null = null
    return {
      run: async () => {
        answered = await create()
        note(ledger, items, answered)
      },
      finish: async () => {
        const again = await create()
        assert.equal(again.status, 200, JSON.stringify(again.body))
        if (answered?.status === 200) {
          assert.deepEqual(again.body, answered.body)
          assert.equal(again.headers.get('idempotent-replayed'), 'true')
        }
        note(ledger, items, again)
        await ledger.verify()
      },
    }
  },
})

testFaults({
  name: 'creating what claims need',
  begin: async ({ service: { api } }) => {
    const requests = [
      ['/v1/customers', { external_id: uniqueName('customer') }],
      ['/v1/schemas', { contract: NEVER_SETTLED }],
      ['/v1/test_clocks', { frozen_time: '2026-01-01T00:00:00Z' }],
    ] as const
    const made: string[] = []
    return {
      run: async () => {
        for (const [path, body] of requests) {
          const answer = await api.post(path, body)
          if (fateOf(answer) === 'done') made.push(`${path}/${answer.body.id}`)
        }
      },
      finish: async () => {
        for (const path of made) fateOf(await api.get(path))
      },
    }
  },
})

/** What is stored together is of one shard. */
function aliasOfFirstShard({ service: { app } }: World): string {
  for (;;) {
    const alias = uniqueName('candidate')
    if (app.db.distribution.shardOf(candidateId(alias)) === 0) return alias
  }
}

interface New {
  price: number
  source: object
}

/** Two with contracts of their own, one from a schema, one on a clock; each of a price that nothing else has. */
async function newOfAllKinds({ service }: World): Promise<New[]> {
  const contract = () => ({ ...NEVER_SETTLED, price: nextNumber() })
  const [first, second, third, fourth] = [contract(), contract(), contract(), contract()]
  const schema = await newSchema(service.api, third)
  const clock = await newClock(service)
  return [
    { price: first.price, source: { contract: first } },
    { price: second.price, source: { contract: second } },
    { price: third.price, source: { schema_id: schema.id } },
    { price: fourth.price, source: { contract: fourth, test_clock_id: clock } },
  ]
}

function note(ledger: Ledger, items: readonly New[], answer: Answer): void {
  const { results } = answer.body
  for (const [i, { price }] of items.entries())
    ledger.noteClaim(price, results ? { status: results[i].status, body: results[i] } : answer)
}
