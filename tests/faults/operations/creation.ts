import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Answer } from '../../support/api-client.ts'
import { calendarWith } from '../../support/calendars.ts'
import { isOnCitus } from '../../support/database-nodes.ts'
import { newClock, newSchema, uniqueName } from '../../support/new-records.ts'
import { candidateId, pairsOf } from '../../support/source/claims.ts'
import type { Operation } from '../fault-table.ts'
import { fateOf, type History } from '../history.ts'
import { nextNumber } from '../load.ts'
import { NEVER_SETTLED, type Testbed } from '../testbed.ts'

const creatingClaims: Operation = {
  name: 'creating claims',
  begin: async (testbed, history) => {
    const items = await newOfAllKinds(testbed)
    const { customer } = testbed
    const claims = items.map(({ source }) => ({
      customer_id: customer.id,
      metadata: { of: 'faults' },
      ...source,
    }))
    return {
      run: async () => note(history, items, await testbed.service.api.post('/v1/claims/batch', { claims })),
      finish: async () => {},
    }
  },
}

const creatingCandidates: Operation = {
  name: 'creating candidates',
  begin: async (testbed, history) => {
    const items = await newOfAllKinds(testbed)
    const { customer } = testbed
    const candidates = items.map(({ source }) => ({
      candidate_alias: aliasOfFirstShard(testbed),
      customer_uuid: customer.externalId,
      ...source,
    }))
    return {
      run: async () =>
        note(history, items, await testbed.service.api.post('/v1/candidates/batch', { candidates })),
      finish: async () => {},
    }
  },
}

const creatingWithKey: Operation = {
  name: 'creating claims with a key',
  skip: isOnCitus() && 'their ids may be of any shards',
  begin: async (testbed, history) => {
    const { service, customer } = testbed
    const items = await newOfAllKinds(testbed)
    const claims = items.map(({ source }) => ({ customer_id: customer.id, ...source }))
    const key = { 'Idempotency-Key': randomUUID() }
    const create = () => service.api.post('/v1/claims/batch', { claims }, key)
    let answered: Answer | null = null
    return {
      run: async () => {
        answered = await create()
        note(history, items, answered)
      },
      finish: async () => {
        const again = await create()
        assert.equal(again.status, 200, JSON.stringify(again.body))
        for (const [i, { status, claim }] of again.body.results.entries()) {
          assert.equal(status, 201)
          const before = answered?.body.results?.[i]
          if (before?.status === 201) assert.deepEqual(claim, before.claim)
        }
        note(history, items, again)
        await history.verify()
      },
    }
  },
}

const creatingSchema: Operation = {
  name: 'creating a schema with a key',
  begin: async ({ service: { api, sql } }) => {
    const price = nextNumber()
    const key = { 'Idempotency-Key': randomUUID() }
    const create = () => api.post('/v1/schemas', { contract: { ...NEVER_SETTLED, price } }, key)
    const count = async () =>
      (
        await sql("SELECT count(*)::int FROM claim_schemas WHERE (contract->>'price')::float8 = $1", [price])
      )[0]?.count
    let answered: Answer | null = null
    return {
      run: async () => {
        answered = await create()
        const fate = fateOf(answered)
        if (fate !== 'unknown') assert.equal(await count(), fate === 'done' ? 1 : 0)
      },
      finish: async () => {
        const again = await create()
        assert.equal(again.status, 201, JSON.stringify(again.body))
        if (answered?.status === 201) assert.deepEqual(again.body, answered.body)
        assert.equal(await count(), 1)
      },
    }
  },
}

const changingSchema: Operation = {
  name: 'changing a schema',
  begin: async ({ service: { api, sql } }) => {
    const prices = [nextNumber(), nextNumber()] as const
    const { id } = await newSchema(api, { price: prices[0] })
    const change = () => api.patch(`/v1/schemas/${id}`, { contract: { ...NEVER_SETTLED, price: prices[1] } })
    const stored = async () =>
      (
        await sql(
          `SELECT version_number AS number, (contract->>'price')::float8 AS price FROM claim_schemas WHERE id = $1
            UNION ALL SELECT number, (contract->>'price')::float8 FROM claim_schema_versions WHERE schema_id = $1
            ORDER BY number`,
          [id],
        )
      ).map(({ price }) => price)
    return {
      run: async () => {
        const fate = fateOf(await change())
        if (fate !== 'unknown') assert.deepEqual(await stored(), fate === 'done' ? prices : [prices[0]])
      },
      finish: async () => {
        assert.equal((await change()).status, 200)
        assert.deepEqual(await stored(), prices, 'the change makes one version, however often it is sent')
      },
    }
  },
}

const changingMetadata: Operation = {
  name: 'changing metadata',
  begin: async ({ service: { api, sql }, customer }) => {
    const [before, after] = [uniqueName('before'), uniqueName('after')]
    const metadata = { mark: before, of: 'x' }
    const claim = { customer_id: customer.id, contract: NEVER_SETTLED, metadata }
    const created = [
      { kind: 'claim', ...(await api.post('/v1/claims', claim)).body },
      {
        kind: 'customer',
        ...(await api.post('/v1/customers', { external_id: uniqueName('c'), metadata })).body,
      },
    ] as const
    const change = ({ kind, id }: (typeof created)[number]) =>
      api.patch(`/v1/${kind}s/${id}`, { metadata: { mark: after } })
    const assertIs = async ({ kind, id, user_id }: (typeof created)[number], mark: string) => {
      const [row] = await sql(`SELECT metadata FROM ${kind}s WHERE id = $1`, [id])
      assert.deepEqual(row?.metadata, { mark, of: 'x' })
      const found = await sql(`SELECT pair FROM ${kind}_metadata WHERE ${kind}_id = $1`, [id])
      assert.deepEqual(
        new Set(found.map(({ pair }) => pair)),
        new Set(pairsOf(user_id, kind, { mark, of: 'x' })),
      )
    }
    return {
      run: async () => {
        for (const one of created) {
          const fate = fateOf(await change(one))
          if (fate !== 'unknown') await assertIs(one, fate === 'done' ? after : before)
        }
      },
      finish: async () => {
        for (const one of created) {
          assert.equal((await change(one)).status, 200)
          await assertIs(one, after)
        }
      },
    }
  },
}

const creatingOthers: Operation = {
  name: 'creating customers, schemas and test clocks',
  begin: async ({ service: { api } }) => {
    const requests = [
      ['/v1/customers', { external_id: uniqueName('customer') }],
      ['/v1/schemas', { contract: NEVER_SETTLED }],
      ['/v1/test_clocks', { frozen_time: '2026-01-01T00:00:00Z' }],
    ] as const
    const created: string[] = []
    return {
      run: async () => {
        for (const [path, body] of requests) {
          const answer = await api.post(path, body)
          if (fateOf(answer) === 'done') created.push(`${path}/${answer.body.id}`)
        }
      },
      finish: async () => {
        for (const path of created) fateOf(await api.get(path))
      },
    }
  },
}

/** An alias of the first shard: only records of one shard are stored together. */
function aliasOfFirstShard({ service: { app } }: Testbed): string {
  for (;;) {
    const alias = uniqueName('candidate')
    if (app.db.distribution.shardOf(candidateId(alias)) === 0) return alias
  }
}

interface New {
  price: number
  source: object
}

/** Two records with new contracts, one from a schema, one on a test clock. Each has a unique price. */
async function newOfAllKinds({ service }: Testbed): Promise<New[]> {
  const contract = () => ({ ...NEVER_SETTLED, price: nextNumber() })
  const [first, second, third, fourth] = [contract(), contract(), contract(), contract()]
  const schema = await newSchema(service.api, third)
  const clock = await newClock(service.api)
  const { body: calendar } = await service.api.post('/v1/calendars', calendarWith())
  const byCalendar = () => ({ ...contract(), clock: { calendar: { id: calendar.id, version: 1 } } })
  const [fifth, sixth] = [byCalendar(), byCalendar()]
  return [
    { price: first.price, source: { contract: first } },
    { price: second.price, source: { contract: second } },
    { price: third.price, source: { schema_id: schema.id } },
    { price: fourth.price, source: { contract: fourth, test_clock_id: clock } },
    { price: fifth.price, source: { contract: fifth } },
    { price: sixth.price, source: { contract: sixth, test_clock_id: clock } },
  ]
}

function note(history: History, items: readonly New[], answer: Answer): void {
  const { results } = answer.body
  for (const [i, { price }] of items.entries())
    history.noteClaim(price, results ? { status: results[i].status, body: results[i] } : answer)
}

export const CREATION_OPERATIONS: readonly Operation[] = [
  creatingClaims,
  creatingCandidates,
  creatingWithKey,
  creatingSchema,
  changingSchema,
  changingMetadata,
  creatingOthers,
]
