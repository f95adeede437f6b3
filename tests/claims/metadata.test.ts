import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import type { Answer } from '../support/api-client.ts'
import { assertError } from '../support/assert-error.ts'
import { candidatePath, uniqueName } from '../support/new-records.ts'
import { readPages } from '../support/read-pages.ts'
import {
  api,
  contract,
  create,
  customer,
  filteredBy,
  KINDS,
  type Metadata,
  newCandidate,
  newClaim,
  pathOf,
  service,
} from './records-with-metadata.ts'

/** What decides the id of a claim or a candidate. */
const nameOf: Record<string, (name: string) => object> = {
  claim: (reference) => ({ reference }),
  candidate: (candidate_alias) => ({ candidate_alias }),
}

/** Whatever JSON, an array or SQL could take for its own. */
const ODD = {
  'a "key", {b}': 'x\\"y', // escapes
  ключ: 'значение 🙂',
  'a]b[c': '{"a":1}',
  "'; DROP": '%_',
  '\u0001': '\t\n',
  constructor: 'x',
}

for (const { kind, list, make, at } of KINDS) {
  describe(`the metadata of a ${kind} (§2.14)`, () => {
    test('is what it was created with, wherever it is read', async () => {
      const record = await make(ODD)
      assert.deepEqual(record.metadata, ODD)
      assert.deepEqual((await api.get(at(record))).body.metadata, ODD)
      const { body: page } = await api.get(`${list}?order=desc&limit=1`)
      assert.deepEqual(page.data[0].metadata, ODD)
    })

    test('changes key by key, and the rest of the record does not (§2.14 rule 1)', async () => {
      const record = await make({ a: '1', b: '2' })
      const { events: _, ...before } = (await api.get(at(record))).body
      const { status, body } = await api.patch(at(record), { metadata: { b: null, c: '3', d: null } })
      assert.equal(status, 200, JSON.stringify(body))
      assert.deepEqual(body, { ...before, metadata: { a: '1', c: '3' } })
      const { events: __, ...read } = (await api.get(at(record))).body
      assert.deepEqual(read, body)
      assert.deepEqual((await api.patch(at(record), { metadata: null })).body.metadata, {})
    })

    test('finds records by any of its pairs, and by several at once (§2.14 rule 3)', async () => {
      const mark = uniqueName('mark')
      const one = await make({ mark, order: 'A-1', ...ODD })
      const two = await make({ mark, order: 'A-2' })
      const found = async (metadata: Metadata) => {
        const { status, body } = await api.get(`${list}?${filteredBy(metadata)}`)
        assert.equal(status, 200, JSON.stringify(body))
        return body.data.map(at)
      }
      assert.deepEqual(await found({ mark }), [at(one), at(two)])
      assert.deepEqual(await found({ mark, order: 'A-2' }), [at(two)])
      assert.deepEqual(await found({ mark, ...ODD }), [at(one)])
      assert.deepEqual(await found({ mark: mark.toUpperCase() }), [])
      assert.deepEqual(await found({ order: mark }), [])
      await api.patch(at(two), { metadata: { mark: 'another' } })
      assert.deepEqual(await found({ mark }), [at(one)])
      const other = await service.newAccount()
      assert.deepEqual((await other.get(`${list}?${filteredBy({ mark })}`)).body.data, [])
    })

    test('is changed once with a key, and only from the ETag that is expected', async () => {
      const record = await make({ a: '1' })
      const { headers } = await api.get(at(record))
      const etag = headers.get('etag') as string
      const key = { 'Idempotency-Key': randomUUID() }
      const first = await api.patch(at(record), { metadata: { a: '2' } }, { ...key, 'If-Match': etag })
      assert.equal(first.status, 200)
      await api.patch(at(record), { metadata: { a: '3' } })
      const again = await api.patch(at(record), { metadata: { a: '2' } }, { ...key, 'If-Match': etag })
      assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [200, 'true'])
      assert.deepEqual(again.body, first.body)
      assert.deepEqual((await api.get(at(record))).body.metadata, { a: '3' })
      const late = await api.patch(at(record), { metadata: { a: '4' } }, { 'If-Match': etag })
      assertError(late, 412, 'PRECONDITION_FAILED')
      const now = (await api.get(at(record))).headers.get('etag') as string
      assert.equal((await api.get(at(record), { 'If-None-Match': now })).status, 304)
      assert.equal((await api.get(at(record), { 'If-None-Match': etag })).status, 200)
    })

    test('is what all changes at the same time have made of it (§2.14 rule 2)', async () => {
      const record = await make({})
      const keys = Array.from({ length: 10 }, (_, i) => `key-${i}`)
      const answers = await Promise.all(
        keys.map((key) => api.patch(at(record), { metadata: { [key]: key } })),
      )
      for (const { status } of answers) assert.equal(status, 200)
      assert.deepEqual(
        (await api.get(at(record))).body.metadata,
        Object.fromEntries(keys.map((key) => [key, key])),
      )
    })

    if (kind !== 'customer')
      test('of a record that is gone is not found with the one that has its name now', async () => {
        const clock = await create('/v1/test_clocks', { frozen_time: '2026-01-01T00:00:00Z' })
        const mark = uniqueName('mark')
        const named = uniqueName('named')
        const again = (metadata: Metadata, more = {}) => make(metadata, { ...nameOf[kind]?.(named), ...more })
        const gone = await again({ mark, former: mark }, { test_clock_id: clock.id })
        const entries = await service.sql('SELECT * FROM claim_metadata WHERE claim_id = $1', [gone.id])
        const { headers } = await api.get(at(gone))
        assert.equal((await api.delete(`/v1/test_clocks/${clock.id}`)).status, 204)
        // A server of an older version leaves them behind.
        for (const one of entries)
          await service.sql(
            'INSERT INTO claim_metadata (user_id, pair, position, claim_id) VALUES ($1, $2, $3, $4)',
            [one.user_id, one.pair, one.position, one.claim_id],
          )
        const record = await again({ mark })
        const found = async (filter: Metadata) =>
          (await readPages(api, list, filter)).flat().map(({ id }) => id)
        assert.deepEqual(await found({ 'metadata[mark]': mark }), [record.id])
        assert.deepEqual(await found({ 'metadata[former]': mark }), [])
        // The same by its id, its metadata and the number of its events, but another.
        await api.patch(at(record), { metadata: { former: mark } })
        assert.deepEqual(await found({ 'metadata[former]': mark }), [record.id])
        const tag = `${headers.get('etag')}`
        assert.equal((await api.get(at(record), { 'If-None-Match': tag })).status, 200)
        assertError(
          await api.patch(at(record), { metadata: {} }, { 'If-Match': tag }),
          412,
          'PRECONDITION_FAILED',
        )
      })

    test('has its limits, and beyond them nothing is stored', async () => {
      const full = Object.fromEntries(
        Array.from({ length: 50 }, (_, i) => [
          `${String(i).padStart(2, '0')}${'🙂'.repeat(38)}`,
          '🙂'.repeat(500),
        ]),
      )
      const record = await make({})
      const refused = async (metadata: unknown, path: string) => {
        const answer = await api.patch(at(record), { metadata })
        assertError(answer, 400, 'VALIDATION_ERROR')
        assert.match(JSON.stringify(answer.body), new RegExp(`"path":"${path}`))
      }
      await refused({ ['x'.repeat(41)]: 'x' }, 'metadata')
      await refused({ '': 'x' }, 'metadata')
      await refused({ x: 'x'.repeat(501) }, 'metadata')
      await refused({ x: 1 }, 'metadata')
      await refused({ x: { y: 'z' } }, 'metadata')
      await refused(['x'], 'metadata')
      await refused('x', 'metadata')
      assert.deepEqual((await api.get(at(record))).body.metadata, {})
      assertError(await api.patch(at(record), {}), 400, 'VALIDATION_ERROR')
      const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, 'x']))
      assert.equal((await api.patch(at(record), { metadata: many })).status, 200)
      await refused({ another: 'x' }, 'metadata')
      assert.equal((await api.patch(at(record), { metadata: { another: 'x', k0: null } })).status, 200)
      const long = await make(full)
      assert.deepEqual((await api.get(at(long))).body.metadata, full)
      const { body: page } = await api.get(`${list}?order=desc&limit=2`)
      assert.deepEqual(page.data[0].metadata, full)
    })
  })
}

describe('metadata beside decisions', () => {
  test('a claim without any has none, and an answer to a submission says nothing of it', async () => {
    const plain = await newClaim()
    assert.deepEqual(plain.metadata, {})
    const noted = await newClaim({ a: '1' })
    for (const claim of [plain, noted]) {
      const { status, body } = await api.post(`${pathOf(claim)}/events`, { type: 'other' })
      assert.equal(status, 201)
      assert.equal('metadata' in body.claim, false)
    }
    assert.deepEqual((await api.get(pathOf(noted))).body.metadata, { a: '1' })
  })

  test('it can be changed in any status, and a change is no event (§2.14 rules 1 and 2)', async () => {
    const claim = await newClaim({ a: '1' })
    const types = ['satisfaction', 'satisfaction']
    for (const type of types) await api.post(`${pathOf(claim)}/events`, { type, value: 5 })
    const before = (await api.get(pathOf(claim))).body
    await api.patch(pathOf(claim), { metadata: { b: '2' } })
    const { metadata, ...rest } = (await api.get(pathOf(claim))).body
    assert.deepEqual(metadata, { a: '1', b: '2' })
    assert.deepEqual({ ...rest, metadata: { a: '1' } }, before)
  })

  test('submissions and changes at the same time do not get in each other’s way', async () => {
    const claim = await newClaim()
    const events = Array.from({ length: 20 }, (_, i) =>
      api.post(`${pathOf(claim)}/events`, { type: 'other', id: `e${i}` }),
    )
    const changes = Array.from({ length: 10 }, (_, i) =>
      api.patch(pathOf(claim), { metadata: { [`k${i}`]: 'x' } }),
    )
    for (const { status } of await Promise.all(events)) assert.equal(status, 201)
    for (const { status } of await Promise.all(changes)) assert.equal(status, 200)
    const { body } = await api.get(pathOf(claim))
    assert.deepEqual([body.events.length, Object.keys(body.metadata).length], [20, 10])
  })

  test('an ETag is another after an event, and If-Match does not mind', async () => {
    const created = await api.post('/v1/claims', { customer_id: customer.id, contract })
    const etag = created.headers.get('etag') as string
    assert.equal((await api.get(pathOf(created.body))).headers.get('etag'), etag)
    await api.post(`${pathOf(created.body)}/events`, { type: 'other' })
    assert.equal((await api.get(pathOf(created.body), { 'If-None-Match': etag })).status, 200)
    const changed = await api.patch(pathOf(created.body), { metadata: { a: '1' } }, { 'If-Match': etag })
    assert.equal(changed.status, 200)
  })

  test('each of a batch has its own, and a creation that is sent again answers the first', async () => {
    const key = { 'Idempotency-Key': randomUUID() }
    const claims = [{ a: '1' }, undefined, { b: '2', ...ODD }].map((metadata) => ({
      customer_id: customer.id,
      contract,
      ...(metadata ? { metadata } : {}),
    }))
    const send = async () => (await api.post('/v1/claims/batch', { claims }, key)).body.results
    const first = await send()
    assert.deepEqual(
      first.map(({ claim }: Answer['body']) => claim.metadata),
      [{ a: '1' }, {}, { b: '2', ...ODD }],
    )
    await api.patch(pathOf(first[0].claim), { metadata: { a: 'changed' } })
    assert.deepEqual(await send(), first)
    const bad = await api.post('/v1/claims/batch', {
      claims: [{ ...claims[0], metadata: { x: 1 } }, claims[0]],
    })
    assert.deepEqual(
      bad.body.results.map(({ status }: Answer['body']) => status),
      [400, 201],
    )
  })

  test('while its test clock is held, a change answers 503 (§2.14 rule 2)', async () => {
    const clock = await create('/v1/test_clocks', { frozen_time: '2026-01-01T00:00:00Z' })
    const claim = await create('/v1/claims', { customer_id: customer.id, contract, test_clock_id: clock.id })
    const change = () => api.patch(pathOf(claim), { metadata: { a: '1' } })
    await service.app.db.transaction(async (connection) => {
      await connection.query({ text: 'SELECT FROM test_clocks WHERE id = $1 FOR UPDATE', values: [clock.id] })
      assertError(await change(), 503, 'UNAVAILABLE')
    })
    assert.equal((await change()).status, 200)
    assert.equal((await api.delete(`/v1/test_clocks/${clock.id}`)).status, 204)
    assertError(await change(), 404, 'CLAIM_NOT_FOUND')
    assert.deepEqual(await service.sql('SELECT FROM claim_metadata WHERE claim_id = $1', [claim.id]), [])
  })

  test('changing another account’s record or a missing record answers 404', async () => {
    const claim = await newClaim()
    const candidate = await newCandidate({})
    const other = await service.newAccount()
    const change = { metadata: { a: '1' } }
    assertError(await other.patch(pathOf(claim), change), 404, 'CLAIM_NOT_FOUND')
    assertError(
      await other.patch(candidatePath(candidate.candidate_alias), change),
      404,
      'CANDIDATE_NOT_FOUND',
    )
    assertError(await api.patch(pathOf({ id: randomUUID() }), change), 404, 'CLAIM_NOT_FOUND')
    const etag = { 'If-Match': '"x"' }
    assertError(await api.patch(pathOf({ id: randomUUID() }), change, etag), 404, 'CLAIM_NOT_FOUND')
  })

  test('exports have it as JSON, overviews and notifications as it is when they are read (§2.14 rule 4)', async () => {
    const mark = uniqueName('mark')
    const claim = await newClaim({ mark })
    const { body } = await api.get(`/v1/claims/export?${filteredBy({ mark })}`)
    assert.deepEqual(body.split('\n').length, 3)
    assert.match(body.split('\n')[0], /,metadata$/)
    assert.match(body.split('\n')[1], new RegExp(`"\\{""mark"": ""${mark}""\\}"$`))
    const long = { mark, ...Object.fromEntries([1, 2, 3].map((n) => [`long-${n}`, 'x'.repeat(500)])) }
    await api.patch(pathOf(claim), { metadata: long })
    for (const more of ['', '&price_from=0', '&sort=due_at']) {
      const { body: file } = await api.get(`/v1/claims/export?${filteredBy({ mark })}${more}`)
      const [row] = parse(file, { columns: true }) as { metadata: string }[]
      assert.deepEqual(JSON.parse(row?.metadata ?? ''), long, more)
    }
    await api.patch(pathOf(claim), { metadata: { mark, 'long-1': null, 'long-2': null, 'long-3': null } })
    const { body: overview } = await api.get('/v1/overview')
    const listed = overview.recent.find(({ id }: Answer['body']) => id === claim.id)
    assert.deepEqual(listed.metadata, { mark })
    const { body: feed } = await api.get(`/v1/notifications?claim_id=${claim.id}`)
    assert.deepEqual(feed.data[0].claim.metadata, { mark })
  })
})

describe('the filter', () => {
  test('goes with the others, and with any order', async () => {
    const mark = uniqueName('mark')
    const [first, second] = [await newClaim({ mark }), await newClaim({ mark })]
    await newClaim({ other: mark })
    const ids = async (more: string) => {
      const { status, body } = await api.get(`/v1/claims?${filteredBy({ mark })}&${more}`)
      assert.equal(status, 200, JSON.stringify(body))
      return body.data.map(({ id }: Answer['body']) => id)
    }
    assert.deepEqual(await ids('order=desc'), [second.id, first.id])
    assert.deepEqual(await ids('status=OPEN&price_from=0'), [first.id, second.id])
    assert.deepEqual(await ids('status=FAILED'), [])
    assert.deepEqual(await ids('sort=due_at&order=desc'), [second.id, first.id])
    assert.deepEqual(await ids('sort=status_since'), [first.id, second.id])
    assert.deepEqual(await ids(`customer_id=${customer.id}`), [first.id, second.id])
    const { body: page } = await api.get(`/v1/claims?${filteredBy({ mark })}&limit=1`)
    assert.equal(page.next_cursor, first.id)
    assert.deepEqual(await ids(`after=${page.next_cursor}`), [second.id])
  })

  test('is counted with, alone and with others', async () => {
    const mark = uniqueName('mark')
    for (const [path, make] of [
      ['/v1/claims', newClaim],
      ['/v1/candidates', newCandidate],
    ] as const) {
      await make({ mark, kind: 'a' })
      await make({ mark, kind: 'b' })
      const countOf = async (metadata: Metadata, more = '') =>
        (await api.get(`${path}?${filteredBy(metadata)}${more}&limit=1&total=true`)).body.total
      assert.deepEqual(await countOf({ mark }), { count: 2, is_exact: true })
      assert.deepEqual(await countOf({ mark, kind: 'b' }, '&status=OPEN'), { count: 1, is_exact: true })
      assert.deepEqual(await countOf({ mark }, '&price_from=1000000'), { count: 0, is_exact: true })
    }
  })

  test('refuses what is no key and value, with its place', async () => {
    const many = Array.from({ length: 11 }, (_, i) => `metadata[k${i}]=x`).join('&')
    const tooLong = `metadata[${'k'.repeat(41)}]=x`
    for (const query of ['metadata=x', 'metadata[]=x', tooLong, 'metadata[%00]=x', many]) {
      for (const path of ['/v1/claims', '/v1/candidates/export', '/v1/customers'])
        assertError(await api.get(`${path}?${query}`), 400, 'VALIDATION_ERROR')
    }
    assertError(await api.get(`/v1/claims?metadata[a]=${'x'.repeat(501)}`), 400, 'VALIDATION_ERROR')
    assertError(await api.get('/v1/claims?metadata[a]=1&metadata[a]=2'), 400, 'VALIDATION_ERROR')
    assertError(await api.get('/v1/notifications?metadata[a]=1'), 400, 'VALIDATION_ERROR')
  })
})
