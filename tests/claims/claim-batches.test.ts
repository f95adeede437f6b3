import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { Answer } from '../support/api-client.ts'
import { assertError } from '../support/assert-error.ts'
import { contractWith } from '../support/contracts.ts'
import { isOnCitus } from '../support/database-nodes.ts'
import {
  candidateBody,
  candidatePath,
  newCandidate,
  newCustomer,
  newSchema,
  uniqueName,
} from '../support/new-records.ts'
import { readPages } from '../support/read-pages.ts'
import { asSingle, errorOf, runBatch, runBatchOfTexts } from '../support/run-batch.ts'
import { sharedService } from '../support/shared.ts'
import type { ErrorCode } from '../support/source/errors.ts'
import type { Json, JsonObject } from '../support/source/json.ts'
import { assertStoresNothing } from '../support/stored-rows.ts'

/* POST /v1/claims/batch and POST /v1/candidates/batch: each item stands alone, as in the single form. */

const service = await sharedService()
const { api } = service
const JSON_TYPE = { 'Content-Type': 'application/json' }
const FROZEN = '2026-01-01T09:00:00.000Z'

const customer = await newCustomer(api)
const schema = await newSchema(api, { price: 7 })
const stranger = await service.newAccount()
const foreign = {
  customer: await newCustomer(stranger),
  schema: await newSchema(stranger),
  clock: (await stranger.post('/v1/test_clocks', { frozen_time: FROZEN })).body,
}
const taken = uniqueName('taken')
await newCandidate(api, { alias: taken, customer })

/** The two endpoints, and how their records differ. */
const KINDS = {
  claim: {
    single: '/v1/claims',
    owner: { customer_id: customer.id } as JsonObject,
    foreignOwner: { customer_id: foreign.customer.id } as JsonObject,
    unknownOwner: { customer_id: randomUUID() } as JsonObject,
    ownerField: 'customer_id',
    name: () => ({}) as JsonObject,
    nameOf: (record: Answer['body']): string => record.id,
    read: (record: Answer['body']) => api.get(`/v1/claims/${record.id}`),
  },
  candidate: {
    single: '/v1/candidates',
    owner: { customer_uuid: customer.external_id } as JsonObject,
    foreignOwner: { customer_uuid: foreign.customer.external_id } as JsonObject,
    unknownOwner: { customer_uuid: uniqueName() } as JsonObject,
    ownerField: 'customer_uuid',
    name: () => ({ candidate_alias: uniqueName('alias') }) as JsonObject,
    nameOf: (record: Answer['body']): string => record.candidate_alias,
    read: (record: Answer['body']) => api.get(candidatePath(record.candidate_alias)),
  },
}

for (const [
  kind,
  { single, owner, foreignOwner, unknownOwner, ownerField, name, nameOf, read },
] of Object.entries(KINDS)) {
  const path = `${single}/batch`
  const list = `${kind}s`
  const item = (fields: JsonObject = {}): JsonObject => ({
    ...name(),
    ...owner,
    ...('schema_id' in fields ? {} : { contract: contractWith() }),
    ...fields,
  })
  const create = (items: readonly unknown[]) => runBatch(api, path, items)
  const priced = (price: number) => item({ contract: contractWith({ price }) })
  // Candidates of one batch are in several shards, each of which stores its own; within one they are in their order.
  const isInOrder = kind === 'claim' || !isOnCitus()
  const asStored = (names: string[]) => (isInOrder ? names : names.toSorted())
  const namesIn = (results: Answer['body'][]): string[] => results.map((result) => nameOf(result[kind]))

  describe(`POST ${path}`, () => {
    test('a result is 201 with the record as the single form answers it', async () => {
      const results = await create([item(), item({ schema_id: schema.id })])
      for (const [i, { status, [kind]: record, ...rest }] of results.entries()) {
        assert.deepEqual([status, rest], [201, {}])
        const { body } = await read(record)
        assert.deepEqual(record, body)
        assert.equal(record.schema_id, i === 1 ? schema.id : null)
        const alike = (await api.post(single, item(i === 1 ? { schema_id: schema.id } : {}))).body
        assert.deepEqual(Object.keys(record), Object.keys(alike))
        assert.deepEqual(record.contract, alike.contract)
      }
    })

    test('one and 1000 items are accepted; lists show them after earlier claims, in the order of the batch', async () => {
      const account = await service.newAccount()
      const { id, external_id } = await newCustomer(account)
      const own = kind === 'claim' ? { customer_id: id } : { customer_uuid: external_id }
      const items = Array.from({ length: 1000 }, (_, price) => ({ ...priced(price), ...own }))
      const created = [
        ...(await runBatch(
          account,
          path,
          items.slice(0, 1).map((it) => ({ ...it, ...name() })),
        )),
        ...(await runBatch(account, path, items)),
      ]
      assert.ok(created.every(({ status }) => status === 201))
      assert.deepEqual(
        created.slice(1).map((result) => result[kind].contract.price),
        items.map((_, price) => price),
      )
      const listed = (await readPages(account, single, { limit: 100 })).flat()
      assert.equal(nameOf(listed[0]), namesIn(created)[0])
      const names = listed.map(nameOf)
      assert.deepEqual(asStored(names), asStored(namesIn(created)))
      if (isInOrder) {
        assert.deepEqual(
          listed.map(({ contract }) => contract.price).slice(1),
          items.map((_, price) => price),
        )
      }
      const newest = (await readPages(account, single, { limit: 100, order: 'desc' })).flat()
      assert.deepEqual(newest.map(nameOf), names.toReversed())
    })

    test('claims created in a batch accept events, and are due after their own activity windows', async () => {
      const windows = [90, 60, 120]
      const results = await create(
        windows.map((activity_window) => item({ contract: contractWith({ activity_window }) })),
      )
      for (const [i, { [kind]: record }] of results.entries()) {
        const stored = (await read(record)).body
        assert.equal(
          Date.parse(stored.due_at) - Date.parse(stored.created_at),
          1_000 * (windows[i] as number),
        )
        assert.equal(stored.due_at, record.due_at)
        const address =
          kind === 'claim' ? { claim_id: record.id } : { candidate_alias: record.candidate_alias }
        const { status, body } = await api.post('/v1/events', { ...address, type: 'done' })
        assert.deepEqual([status, body.claim.status], [201, 'PENDING'])
      }
    })

    test('if the database rejects an item, exactly the items answered with 201 are stored', async (t) => {
      await service.sql(`
        CREATE FUNCTION refuse_item() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'something secret'; END $$`)
      await service.sql(`
        CREATE TRIGGER refuse_item BEFORE INSERT ON claims
        FOR EACH ROW WHEN (NEW.price = 666) EXECUTE FUNCTION refuse_item()`)
      t.after(() => service.sql('DROP FUNCTION refuse_item CASCADE'))
      const { id: test_clock_id } = (await api.post('/v1/test_clocks', { frozen_time: FROZEN })).body
      const items = [priced(1), { ...priced(666), test_clock_id }, priced(2), { ...priced(3), test_clock_id }]
      const count = async () => (await service.sql('SELECT count(*)::int AS claims FROM claims'))[0]?.claims
      const before = Number(await count())
      const { status, body } = await api.post(path, { [list]: items })
      const opened = status === 200 ? body.results.filter((it: Answer['body']) => it.status === 201) : []
      assert.equal(await count(), before + opened.length, `answered ${status} as a whole`)
    })

    test('items on several test clocks, and on none, are each opened at their own time', async () => {
      const times = ['2026-01-01T00:00:00.000Z', '2031-07-01T12:00:00.500Z', '1999-12-31T23:59:59.999Z']
      const clocks = await Promise.all(
        times.map(async (frozen_time) => (await api.post('/v1/test_clocks', { frozen_time })).body.id),
      )
      const live = { test_clock_id: null, time: null }
      const turns = Array.from({ length: 24 }, (_, i) =>
        i % 4 === 3 ? live : { test_clock_id: clocks[i % 4], time: times[i % 4] },
      )
      const results = await create(
        turns.map(({ test_clock_id }) => item(test_clock_id === null ? {} : { test_clock_id })),
      )
      for (const [i, { test_clock_id, time }] of turns.entries()) {
        const record = results[i][kind]
        assert.equal(record.test_clock_id, test_clock_id)
        if (time) assert.deepEqual([record.created_at, record.status_since], [time, time])
        else assert.ok(record.created_at > '2026-01-01T00:00:01', record.created_at)
        assert.deepEqual((await read(record)).body, record)
      }
    })

    /** Items that are refused, as JSON text: each with the status, the code and the path of the single form. */
    type Refused = [item: string, status: number, code: ErrorCode, path?: string]
    const invalid = (fields: JsonObject | Json, at: string): Refused => [
      JSON.stringify(fields),
      400,
      'VALIDATION_ERROR',
      at,
    ]
    const text = (from: string, to: string, at: string): Refused => [
      JSON.stringify(item()).replace(from, to),
      400,
      'VALIDATION_ERROR',
      at,
    ]
    const bad = (contract: object, at: string) => invalid(item({ contract: contract as JsonObject }), at)
    const CONDITION = 'contract.fulfillment_condition'
    const REFUSED: Record<string, Refused> = {
      null: invalid(null, 'body'),
      'a number': invalid(1, 'body'),
      'an array': invalid([item()], 'body'),
      'an empty object': invalid({}, ownerField),
      'an owner that is null': invalid(item({ [ownerField]: null }), ownerField),
      'neither contract nor schema_id': invalid({ ...name(), ...owner }, 'body'),
      'both contract and schema_id': invalid({ ...item(), schema_id: schema.id }, 'body'),
      'an unknown field': invalid(item({ price: 3 }), 'price'),
      'a schema_id that is no UUID': invalid(item({ schema_id: 'x' }), 'schema_id'),
      'a test_clock_id that is no UUID': invalid(item({ test_clock_id: 'x' }), 'test_clock_id'),
      'a contract that is null': invalid({ ...name(), ...owner, contract: null }, 'contract'),
      'an empty contract': bad({}, 'contract.price'),
      'a negative price': bad(contractWith({ price: -1 }), 'contract.price'),
      'an activity window of 0': bad(contractWith({ activity_window: 0 }), 'contract.activity_window'),
      'an unknown field of the contract': bad({ ...contractWith(), x: 1 }, 'contract.x'),
      'a condition of no kind': bad({ ...contractWith(), fulfillment_condition: {} }, CONDITION),
      'a condition that is wrong deep inside': bad(
        {
          ...contractWith(),
          fulfillment_condition: {
            op: 'AND',
            conditions: [{ event: 'a' }, { op: 'NOT', condition: { event: 5 } }],
          },
        },
        `${CONDITION}.conditions[1].condition.event`,
      ),
      'U+0000 in the contract': text('"done"', '"\\u0000"', `${CONDITION}.event`),
      'a lone surrogate in the contract': text('"done"', '"\\udc00"', `${CONDITION}.event`),
      'a price beyond a double': text('"price":10', '"price":1e999', 'contract.price'),
      'a price that a double would change': text('"price":10', '"price":9007199254740993', 'contract.price'),
      'the key __proto__': text('"price":10', '"__proto__":10', 'contract.__proto__'),
      'a contract over 64 KiB': bad(
        contractWith({ fulfillment_condition: { event: 'e', match: { m: 'm'.repeat(65_536) } } }),
        'contract',
      ),
      'an unknown customer': [JSON.stringify(item(unknownOwner)), 404, 'CUSTOMER_NOT_FOUND'],
      'another account’s customer': [JSON.stringify(item(foreignOwner)), 404, 'CUSTOMER_NOT_FOUND'],
      'an unknown schema': [JSON.stringify(item({ schema_id: randomUUID() })), 404, 'SCHEMA_NOT_FOUND'],
      'another account’s schema': [
        JSON.stringify(item({ schema_id: foreign.schema.id })),
        404,
        'SCHEMA_NOT_FOUND',
      ],
      'an unknown test clock': [
        JSON.stringify(item({ test_clock_id: randomUUID() })),
        404,
        'TEST_CLOCK_NOT_FOUND',
      ],
      'another account’s test clock': [
        JSON.stringify(item({ test_clock_id: foreign.clock.id })),
        404,
        'TEST_CLOCK_NOT_FOUND',
      ],
      ...(kind === 'candidate'
        ? {
            'an alias that is taken': [
              JSON.stringify(item({ candidate_alias: taken })),
              409,
              'CANDIDATE_ALIAS_CONFLICT',
            ] as Refused,
            'an alias of 7 characters': invalid(item({ candidate_alias: '1234567' }), 'candidate_alias'),
            'U+0000 in the alias': text('"alias-', '"\\u0000-', 'candidate_alias'),
          }
        : {}),
    }

    for (const [what, [refused, status, code, at]] of Object.entries(REFUSED)) {
      test(`${what}: ${status} ${code} as in the single form, and its neighbours are opened`, async () => {
        const expected = await api.send('POST', single, refused, JSON_TYPE)
        assertError(expected, status, code, at)
        const [first, last] = [JSON.stringify(priced(1)), JSON.stringify(priced(2))]
        const results = await runBatchOfTexts(api, path, [first, refused, last, refused])
        assert.deepEqual(
          results.map((result) => result.status),
          [201, status, 201, status],
        )
        for (const result of [results[1], results[3]]) assert.deepEqual(asSingle(result), errorOf(expected))
        for (const [i, price] of [
          [0, 1],
          [2, 2],
        ] as const) {
          const { body } = await read(results[i][kind])
          assert.equal(body.contract.price, price)
        }
      })
    }

    test('all of them in one batch with good ones between: each has its own result', async () => {
      const refused = Object.values(REFUSED)
      const texts = refused.flatMap(([bad], price) => [bad, JSON.stringify(priced(price))])
      const results = await runBatchOfTexts(api, path, texts)
      assert.deepEqual(
        results.map(({ status, error, [kind]: record }) => [status, error?.code ?? record.contract.price]),
        refused.flatMap(([, status, code], price) => [
          [status, code],
          [201, price],
        ]),
      )
    })

    test('a batch of refused items alone answers 200, and stores nothing', async () => {
      await assertStoresNothing(service, async () => {
        const texts = Object.values(REFUSED).map(([text]) => text)
        const results = await runBatchOfTexts(api, path, texts)
        assert.ok(results.every(({ status }) => status >= 400))
      })
    })

    test('no item, 1001 items, no list, unknown fields and a body that is no object are rejected as a whole', async () => {
      const bodies: [body: Json, at: string][] = [
        [{ [list]: [] }, list],
        [{ [list]: Array(1001).fill({}) }, list],
        [{}, list],
        [{ [list]: [item()], customer_id: customer.id }, 'customer_id'],
        [{ [list]: { 0: item() } }, list],
        [{ [list]: null }, list],
        [[item()], 'body'],
        [null, 'body'],
        [{ events: [item()] }, list],
      ]
      await assertStoresNothing(service, async () => {
        for (const [body, at] of bodies) assertError(await api.post(path, body), 400, 'VALIDATION_ERROR', at)
      })
    })

    test('a body of more than 8 MiB answers 413 and names the limit', async () => {
      const body = JSON.stringify({ [list]: [item()] })
      const limit = 8 * 1024 * 1024
      await assertStoresNothing(service, async () => {
        const refused = await api.send('POST', path, body.padEnd(limit + 1), JSON_TYPE)
        assertError(refused, 413, 'PAYLOAD_TOO_LARGE')
        assert.match(refused.body.error.message, /8 MiB/)
      })
      assert.equal((await api.send('POST', path, body.padEnd(limit), JSON_TYPE)).status, 200)
    })

    test('lists stay in the order of each batch while several batches are taken at once', async () => {
      const account = await service.newAccount()
      const { id, external_id } = await newCustomer(account)
      const own = kind === 'claim' ? { customer_id: id } : { customer_uuid: external_id }
      const batches = await Promise.all(
        Array.from({ length: 4 }, () =>
          runBatch(
            account,
            path,
            Array.from({ length: 40 }, () => ({ ...item(), ...own })),
          ),
        ),
      )
      const listed = (await readPages(account, single, { limit: 100 })).flat().map(nameOf)
      for (const results of batches) {
        const names = namesIn(results)
        assert.deepEqual(asStored(listed.filter((one) => names.includes(one))), asStored(names))
      }
      assert.equal(listed.length, 160)
    })
  })
}

describe('aliases in POST /v1/candidates/batch', () => {
  const { name } = KINDS.candidate
  const of = (alias: string, price: number) => candidateBody(alias, customer, { price })
  const alias = () => name().candidate_alias as string

  test('of two items with the same alias the first is opened, the other is answered 409', async () => {
    const twice = alias()
    const results = await runBatch(api, '/v1/candidates/batch', [of(twice, 1), of(alias(), 2), of(twice, 3)])
    assert.deepEqual(
      results.map(({ status }) => status),
      [201, 201, 409],
    )
    const { body } = await api.get(candidatePath(twice))
    assert.deepEqual(body, results[0].candidate)
    assert.equal(body.contract.price, 1)
  })

  test('so it is for many aliases, each several times, in any order', async () => {
    const aliases = Array.from({ length: 50 }, alias)
    const items = Array.from({ length: 300 }, (_, i) => of(aliases[(i * 7) % 50] as string, i))
    const results = await runBatch(api, '/v1/candidates/batch', items)
    assert.deepEqual(
      results.map(({ status }) => status),
      items.map((_, i) => (i < 50 ? 201 : 409)),
    )
    for (const { candidate } of results.slice(0, 50)) {
      assert.deepEqual((await api.get(candidatePath(candidate.candidate_alias))).body, candidate)
    }
  })

  test('an alias on a test clock and the same one on none, in one batch, are one alias', async () => {
    const { id } = (await api.post('/v1/test_clocks', { frozen_time: FROZEN })).body
    const one = alias()
    const results = await runBatch(api, '/v1/candidates/batch', [
      { ...of(one, 1), test_clock_id: id },
      of(one, 2),
      of(alias(), 3),
      { ...of(one, 4), test_clock_id: id },
    ])
    assert.deepEqual(
      results.map(({ status }) => status),
      [201, 409, 201, 409],
    )
    assert.deepEqual((await api.get(candidatePath(one))).body, results[0].candidate)
  })

  test('where it is on none first, and on a clock later, the first is opened too', async () => {
    const { id } = (await api.post('/v1/test_clocks', { frozen_time: FROZEN })).body
    const [one, other] = [alias(), alias()]
    const results = await runBatch(api, '/v1/candidates/batch', [
      { ...of(other, 0), test_clock_id: id },
      of(one, 1),
      { ...of(one, 2), test_clock_id: id },
    ])
    assert.deepEqual(
      results.map(({ status }) => status),
      [201, 201, 409],
    )
  })

  test('deleting the clock frees the aliases that a batch took on it', async () => {
    const { id } = (await api.post('/v1/test_clocks', { frozen_time: FROZEN })).body
    const items = Array.from({ length: 20 }, () => ({ ...of(alias(), 1), test_clock_id: id }))
    const create = () => runBatch(api, '/v1/candidates/batch', items)
    assert.ok((await create()).every(({ status }) => status === 201))
    assert.ok((await create()).every(({ status }) => status === 409))
    assert.equal((await api.delete(`/v1/test_clocks/${id}`)).status, 204)
    const results = await create()
    assert.ok(results.every(({ error }) => error?.code === 'TEST_CLOCK_NOT_FOUND'))
  })
})
