import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { Answer, ApiClient } from '../support/api-client.ts'
import { asAnswered } from '../support/as-answered.ts'
import { assertError } from '../support/assert-error.ts'
import { all } from '../support/contracts.ts'
import { candidatePath, newCandidate, newClaim, uniqueName } from '../support/new-records.ts'
import { asSingle, errorOf, runBatch, runBatchOfTexts } from '../support/run-batch.ts'
import { sharedService } from '../support/shared.ts'
import type { ErrorCode } from '../support/source/errors.ts'
import type { Json } from '../support/source/json.ts'
import { assertStoresNothing } from '../support/stored-rows.ts'

/* POST /v1/events/batch with JSON (§4.3): each submission stands alone, as in the single form. */

const service = await sharedService()
const { api } = service
const PATH = '/v1/events/batch'
const JSON_TYPE = { 'Content-Type': 'application/json' }
const KIB = 1024

const submit = (events: readonly unknown[], headers?: Record<string, string>) =>
  runBatch(api, PATH, events, headers)
const statuses = (results: Answer['body'][]): number[] => results.map(({ status }) => status)
const idsOf = (events: { id: string }[]): string[] => events.map(({ id }) => id)
const logOf = async (id: string): Promise<string[]> => idsOf((await api.readClaim(id)).events)

describe('a result', () => {
  test('of a new event is 201 with the event and the claim as the single form answers them', async () => {
    const [claim, candidate] = [await newClaim(api), await newCandidate(api)]
    const results = await submit([
      { claim_id: claim.id.toUpperCase(), id: 'a', type: 'rated', value: 4, note: 'fine' },
      { candidate_alias: candidate.candidate_alias, type: 'rated' },
    ])
    assert.deepEqual(
      results.map((result) => Object.keys(result)),
      [
        ['status', 'event', 'claim'],
        ['status', 'event', 'claim'],
      ],
    )
    assert.deepEqual(statuses(results), [201, 201])
    assert.deepEqual(results[0].claim, asAnswered(claim))
    assert.deepEqual(results[1].claim, asAnswered(candidate))
    const { created_at } = results[0].event
    const expected = { id: 'a', type: 'rated', created_at, system: false, value: 4, note: 'fine' }
    assert.deepEqual(results[0].event, expected)
    assert.deepEqual((await api.readClaim(claim.id)).events, [expected])
    const { events } = (await api.get(candidatePath(candidate.candidate_alias))).body
    assert.deepEqual(events, [results[1].event])
  })

  test('of a repeated event is 200 with the recorded one, in a later batch and in the same one', async () => {
    const { id } = await newClaim(api)
    const event = { claim_id: id, id: 'e', type: 'a', value: { b: 1, c: 2 } }
    const reordered = { ...event, value: { c: 2, b: 1 } }
    const [first, second] = await submit([event, reordered])
    assert.deepEqual([first.status, second.status], [201, 200])
    const [third] = await submit([event])
    for (const again of [second, third]) assert.deepEqual(again, { ...first, status: 200 })
    assert.deepEqual(await logOf(id), ['e'])
  })

  test('of an event that settles the claim shows it PENDING, and those after it are refused (§3 rule 2)', async () => {
    const claim = await newClaim(api, { fulfillment_condition: all({ event: 'a' }, { event: 'b' }) })
    const other = await newClaim(api)
    const of = (id: string, type: string, claim_id = claim.id) => ({ claim_id, id, type })
    const results = await submit([
      of('1', 'a'),
      of('2', 'b'),
      of('3', 'c'),
      of('o', 'x', other.id),
      of('2', 'b'),
      of('1', 'other'),
      of('1', 'a'),
    ])
    assert.deepEqual(statuses(results), [201, 201, 422, 201, 200, 409, 200])
    assert.equal(results[0].claim.status, 'OPEN')
    const settled = results[1].claim
    assert.deepEqual([settled.status, settled.scheduled_outcome], ['PENDING', 'CONFIRMED'])
    assert.equal(settled.status_since, results[1].event.created_at)
    assert.match(results[2].error.message, /PENDING/)
    for (const replayed of [results[4], results[6]]) assert.deepEqual(replayed.claim, settled)
    const stored = await api.readClaim(claim.id)
    assert.deepEqual(asAnswered(stored), settled)
    assert.deepEqual(idsOf(stored.events), ['1', '2'])
  })

  test('with Prefer: return=minimal is 204 alone for a new event and for a repeated one; errors keep their body', async () => {
    const { id } = await newClaim(api)
    const event = { claim_id: id, id: 'e', type: 'a' }
    const [recorded, repeated, unknown] = await submit([event, event, { ...event, claim_id: randomUUID() }], {
      Prefer: 'return=minimal',
    })
    assert.deepEqual([recorded, repeated], [{ status: 204 }, { status: 204 }])
    assert.equal(unknown.error.code, 'CLAIM_NOT_FOUND')
    assert.deepEqual(await logOf(id), ['e'])
  })
})

describe('order', () => {
  test('results are in the order of the items, and each claim’s log in the order of its items', async () => {
    const claims = await Promise.all(Array.from({ length: 7 }, () => newClaim(api)))
    const items = Array.from({ length: 200 }, (_, i) => ({
      claim_id: claims[(i * i) % 7].id,
      id: `event-${i}`,
      type: 'seen',
      value: i,
    }))
    const results = await submit(items)
    assert.deepEqual(
      results.map(({ status, event, claim }) => [status, event.id, claim.id]),
      items.map(({ id, claim_id }) => [201, id, claim_id]),
    )
    for (const { id } of claims) {
      assert.deepEqual(await logOf(id), idsOf(items.filter(({ claim_id }) => claim_id === id)))
    }
  })

  test('a batch of one and a batch of 1000 are taken', async () => {
    const { id } = await newClaim(api)
    const items = Array.from({ length: 1000 }, (_, i) => ({ claim_id: id, id: `${i}`, type: 'seen' }))
    assert.deepEqual(statuses(await submit([items[0]])), [201])
    assert.deepEqual(statuses(await submit(items)), [200, ...Array(999).fill(201)])
    assert.deepEqual(await logOf(id), idsOf(items))
  })

  test('events without an id get one each', async () => {
    const { id } = await newClaim(api)
    const results = await submit([
      { claim_id: id, type: 'a' },
      { claim_id: id, type: 'a' },
    ])
    assert.notEqual(results[0].event.id, results[1].event.id)
    assert.deepEqual(await logOf(id), [results[0].event.id, results[1].event.id])
  })
})

/** Items that are refused, as JSON text: each with the status, the code and the path of the single form. */
type Refused = [item: string, status: number, code: ErrorCode, path?: string]

const claim = await newClaim(api)
const candidate = await newCandidate(api)
const settled = await newClaim(api)
await api.post('/v1/events', { claim_id: settled.id, id: 'first', type: 'done' })
const full = await newClaim(api)
await service.sql('UPDATE claims SET event_count = 10000 WHERE id = $1', [full.id])
const foreign = await newClaim(await service.newAccount())
await api.post('/v1/events', { claim_id: claim.id, id: 'taken', type: 'a', value: 1 })

const to = (fields: Record<string, Json>) => JSON.stringify({ claim_id: claim.id, type: 'a', ...fields })
const invalid = (item: string, path: string): Refused => [item, 400, 'VALIDATION_ERROR', path]

const REFUSED: Record<string, Refused> = {
  null: invalid('null', 'body'),
  'a number': invalid('5', 'body'),
  text: invalid('"text"', 'body'),
  'true or false': invalid('true', 'body'),
  'an empty array': invalid('[]', 'body'),
  'an array of an event': invalid(`[${to({})}]`, 'body'),
  'an empty object': invalid('{}', 'type'),
  'no type': invalid(`{"claim_id":"${claim.id}"}`, 'type'),
  'an empty type': invalid(to({ type: '' }), 'type'),
  'a type that is a number': invalid(to({ type: 5 }), 'type'),
  'a type of 256 characters': invalid(to({ type: 't'.repeat(256) }), 'type'),
  'a reserved type': invalid(to({ type: 'activity_window_elapsed' }), 'type'),
  'the other reserved type': invalid(to({ type: 'review_window_elapsed' }), 'type'),
  'an id that is null': invalid(to({ id: null }), 'id'),
  'an empty id': invalid(to({ id: '' }), 'id'),
  'an id of 256 characters': invalid(to({ id: 'i'.repeat(256) }), 'id'),
  'the field created_at': invalid(to({ created_at: '2026-01-01T00:00:00Z' }), 'created_at'),
  'the field system': invalid(to({ system: false }), 'system'),
  'neither claim_id nor candidate_alias': invalid('{"type":"a"}', 'body'),
  'both claim_id and candidate_alias': invalid(to({ candidate_alias: candidate.candidate_alias }), 'body'),
  'a claim_id that is no UUID': invalid(to({ claim_id: 'x' }), 'claim_id'),
  'a candidate_alias of 7 characters': invalid('{"candidate_alias":"1234567","type":"a"}', 'candidate_alias'),
  'U+0000 in a value': invalid(`{"claim_id":"${claim.id}","type":"a","value":"a\\u0000"}`, 'value'),
  'U+0000 in a type': invalid(`{"claim_id":"${claim.id}","type":"a\\u0000"}`, 'type'),
  'U+0000 in a key': invalid(`{"claim_id":"${claim.id}","type":"a","o":{"k\\u0000":1}}`, 'o'),
  'a lone surrogate': invalid(`{"claim_id":"${claim.id}","type":"a","o":[0,"\\ud800"]}`, 'o[1]'),
  'the key __proto__': invalid(`{"claim_id":"${claim.id}","type":"a","__proto__":1}`, '__proto__'),
  'an integer that a double would change': invalid(
    `{"claim_id":"${claim.id}","type":"a","value":9007199254740993}`,
    'value',
  ),
  'a number beyond a double': invalid(`{"claim_id":"${claim.id}","type":"a","o":{"n":[1e999]}}`, 'o.n[0]'),
  'arrays of 129 levels': invalid(
    `{"claim_id":"${claim.id}","type":"a","value":${'['.repeat(128)}${']'.repeat(128)}}`,
    `value${'[0]'.repeat(127)}`,
  ),
  'an unknown claim': [to({ claim_id: randomUUID() }), 404, 'CLAIM_NOT_FOUND'],
  'another account’s claim': [to({ claim_id: foreign.id }), 404, 'CLAIM_NOT_FOUND'],
  'an unknown candidate': [
    JSON.stringify({ candidate_alias: uniqueName(), type: 'a' }),
    404,
    'CANDIDATE_NOT_FOUND',
  ],
  'an id that is taken': [to({ id: 'taken', value: 2 }), 409, 'EVENT_ID_CONFLICT'],
  'a payload over 256 KiB': [to({ value: 'v'.repeat(256 * KIB) }), 413, 'PAYLOAD_TOO_LARGE'],
  'a claim that is not OPEN': [to({ claim_id: settled.id }), 422, 'CLAIM_NOT_OPEN'],
  'a claim whose log is full': [to({ claim_id: full.id }), 422, 'EVENT_LIMIT_REACHED'],
}

describe('a refused item', () => {
  for (const [what, [item, status, code, path]] of Object.entries(REFUSED)) {
    test(`${what}: ${status} ${code} as in the single form, and its neighbours are recorded`, async () => {
      const { id } = await newClaim(api)
      const neighbour = (n: number) => JSON.stringify({ claim_id: id, id: `n${n}`, type: 'seen', value: n })
      const single = await api.send('POST', '/v1/events', item, JSON_TYPE)
      assertError(single, status, code, path)
      const before = await stored()
      const results = await runBatchOfTexts(api, PATH, [neighbour(1), item, neighbour(2), item, neighbour(3)])
      assert.deepEqual(statuses(results), [201, status, 201, status, 201])
      for (const refused of [results[1], results[3]]) assert.deepEqual(asSingle(refused), errorOf(single))
      assert.deepEqual(await logOf(id), ['n1', 'n2', 'n3'])
      assert.deepEqual(await stored(), before)
    })
  }

  test('all of them in one batch with good ones between: each has its own result', async () => {
    const { id } = await newClaim(api)
    const refused = Object.values(REFUSED)
    const texts = refused.flatMap(([item], i) => [
      item,
      JSON.stringify({ claim_id: id, id: `${i}`, type: 'seen' }),
    ])
    const results = await runBatchOfTexts(api, PATH, texts)
    assert.deepEqual(
      results.map(({ status, error }) => [status, error?.code]),
      refused.flatMap(([, status, code]) => [
        [status, code],
        [201, undefined],
      ]),
    )
    assert.deepEqual(
      await logOf(id),
      refused.map((_, i) => `${i}`),
    )
  })

  test('one of 100,000 levels is refused alone, beside a long number too', async () => {
    const { id } = await newClaim(api)
    const deep = `{"claim_id":"${claim.id}","type":"a","value":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    const good = JSON.stringify({ claim_id: id, id: '1', type: 'seen', value: 1234567890123456 })
    const results = await runBatchOfTexts(api, PATH, [good, deep])
    assert.deepEqual(statuses(results), [201, 400])
  })

  test('a batch of refused items alone answers 200, and stores nothing', async () => {
    await assertStoresNothing(service, async () => {
      const results = await submit(Array(1000).fill(null))
      assert.ok(results.every(({ status }) => status === 400))
    })
  })

  /** The logs of the claims that the refused items name. */
  async function stored(): Promise<unknown> {
    const ids = [claim, settled, full, foreign].map(({ id }) => id)
    return service.sql('SELECT claim_id, id FROM claim_events WHERE claim_id = ANY ($1) ORDER BY 1, 2', [ids])
  }
})

describe('a batch that is none is refused whole', () => {
  const event = { claim_id: claim.id, type: 'a' }
  const TEXTS: Record<string, [body: string, path: string]> = {
    'no item': ['{"events":[]}', 'events'],
    '1001 items': [JSON.stringify({ events: Array(1001).fill(event) }), 'events'],
    'no list': ['{}', 'events'],
    'an unknown field beside the list': [JSON.stringify({ events: [event], claim_id: claim.id }), 'claim_id'],
    'U+0000 beside the list': [`{"events":[${to({})}],"x":"\\u0000"}`, 'x'],
    'a list that is an object': [JSON.stringify({ events: { 0: event } }), 'events'],
    'a list that is null': ['{"events":null}', 'events'],
    'a list that is text': ['{"events":"x"}', 'events'],
    'a list that is a number beyond a double': ['{"events":1e999}', 'events'],
    'the list alone': [JSON.stringify([event]), 'body'],
    'a single event': [JSON.stringify(event), 'events'],
    null: ['null', 'body'],
    text: ['"events"', 'body'],
    'no JSON': ['{"events":[', 'body'],
    'no JSON in a list that another replaces': [
      `{"events":[x],${' '.repeat(200 * KIB)}"events":[${JSON.stringify(event)}]}`,
      'body',
    ],
    'JSON by lines': [`${JSON.stringify(event)}\n${JSON.stringify(event)}`, 'body'],
  }
  for (const [what, [body, path]] of Object.entries(TEXTS)) {
    test(`${what} answers 400 at ${path}`, async () => {
      await assertStoresNothing(service, async () => {
        assertError(await api.send('POST', PATH, body, JSON_TYPE), 400, 'VALIDATION_ERROR', path)
      })
    })
  }

  test('an empty body answers 400 at body', async () => {
    assertError(await api.send('POST', PATH, '', JSON_TYPE), 400, 'VALIDATION_ERROR', 'body')
    assertError(await api.send('POST', PATH), 400, 'VALIDATION_ERROR', 'body')
  })

  test('invalid UTF-8 anywhere answers 400 at body', async () => {
    const bytes = Buffer.from(`{"events":[${to({ value: 'x' })}]}`)
    bytes[bytes.length - 5] = 0xff
    await assertStoresNothing(service, async () => {
      const answer = await api.send('POST', PATH, new Uint8Array(bytes), JSON_TYPE)
      assertError(answer, 400, 'VALIDATION_ERROR', 'body')
    })
  })
})

describe('the size of a batch', () => {
  const padded = (bytes: number) =>
    JSON.stringify({ events: [{ claim_id: claim.id, type: 'a' }] }).padEnd(bytes)

  test('of exactly 8 MiB is read; one byte more answers 413 and names the limit', async () => {
    const limit = 8 * KIB * KIB
    const taken = await api.send('POST', PATH, padded(limit), JSON_TYPE)
    assert.deepEqual([taken.status, taken.body.results[0].status], [200, 201])
    await assertStoresNothing(service, async () => {
      const refused = await api.send('POST', PATH, padded(limit + 1), JSON_TYPE)
      assertError(refused, 413, 'PAYLOAD_TOO_LARGE')
      assert.match(refused.body.error.message, /8 MiB/)
    })
  })
})

describe('what is not for batches', () => {
  test('a compressed body and other media types answer 415', async () => {
    const body = JSON.stringify({ events: [{ claim_id: claim.id, type: 'a' }] })
    for (const headers of [
      { ...JSON_TYPE, 'Content-Encoding': 'gzip' },
      { 'Content-Type': 'text/plain' },
      { 'Content-Type': 'application/xml' },
    ] as Record<string, string>[]) {
      assertError(await api.send('POST', PATH, body, headers), 415, 'UNSUPPORTED_MEDIA_TYPE')
    }
  })

  test('other methods answer 405', async () => {
    assertError(await api.get(PATH), 405, 'METHOD_NOT_ALLOWED')
  })

  test('another account’s items reach nothing of this one, in a batch of both', async () => {
    const stranger: ApiClient = await service.newAccount()
    const own = await newClaim(stranger)
    const results = await runBatch(stranger, PATH, [
      { claim_id: claim.id, id: 'taken', type: 'a', value: 1 },
      { claim_id: own.id, type: 'a' },
      { candidate_alias: candidate.candidate_alias, type: 'a' },
    ])
    assert.deepEqual(statuses(results), [404, 201, 404])
  })
})
