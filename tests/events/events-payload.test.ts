import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertError } from '../support/assert-error.ts'
import { newCandidate, newClaim, uniqueName } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'
import type { Json } from '../support/source/json.ts'
import { assertStoresNothing } from '../support/stored-rows.ts'

const service = await sharedService()
const { api } = service

describe('201: the fields of a submission come back as they were sent', () => {
  const VALUES: Record<string, Json> = {
    null: null,
    true: true,
    false: false,
    zero: 0,
    'a fraction that binary cannot hold': 0.1,
    'a negative fraction': -0.5,
    'a large number': 1e300,
    'the largest double': Number.MAX_VALUE,
    'the smallest double': Number.MIN_VALUE,
    'the largest safe integer': Number.MAX_SAFE_INTEGER,
    'the smallest safe integer': Number.MIN_SAFE_INTEGER,
    '2 to the power of 64, which a double holds exactly': 2 ** 64,
    'an empty string': '',
    'a string of many alphabets': 'äß–€😀漢字עברית\u202e\u0001\u007f\ufeff',
    'a string like a number': '1e3',
    'an empty array': [],
    'a mixed array': [1, 'a', null, [true, []], {}],
    'an empty object': {},
    'a nested object': { z: { y: { x: [{ w: null }] } }, 'a.b': 1, '': 2, ' ': 3 },
  }
  for (const [what, value] of Object.entries(VALUES)) {
    test(`value: ${what}, and the same in an extra field`, async () => {
      const { id } = await newClaim(api)
      const { status, body } = await api.post(`/v1/claims/${id}/events`, { type: 'a', value, extra: value })
      assert.equal(status, 201)
      assert.deepEqual([body.event.value, body.event.extra], [value, value])
      assert.deepEqual((await api.readClaim(id)).events, [body.event])
    })
  }

  test('a submission without a value has none in the log', async () => {
    const { id } = await newClaim(api)
    const { body } = await api.post(`/v1/claims/${id}/events`, { type: 'a' })
    assert.deepEqual(Object.keys(body.event), ['id', 'type', 'created_at', 'system'])
  })

  test('fields named like those of a claim, of SQL and of code are ordinary fields', async () => {
    const { id } = await newClaim(api)
    const extras = {
      status: 'FAILED',
      user_id: 1,
      contract: {},
      seq: 9,
      payload: 'p',
      events: [],
      toJSON: 1,
      length: -1,
    }
    const { body } = await api.post(`/v1/claims/${id}/events`, { type: 'a', ...extras })
    const { id: _, type, created_at, system, ...rest } = body.event
    assert.deepEqual(rest, extras)
    assert.deepEqual((await api.readClaim(id)).events, [body.event])
    assert.equal(body.claim.status, 'OPEN')
  })

  test('type and id have 1 to 255 characters, which may be emoji', async () => {
    const { id } = await newClaim(api)
    for (const text of ['x', 'y'.repeat(255), '😀'.repeat(255), ' ', 'a\nb']) {
      const { status, body } = await api.post(`/v1/claims/${id}/events`, { id: text, type: text })
      assert.deepEqual([status, body.event.id, body.event.type], [201, text, text])
    }
  })
})

describe('400', () => {
  const long = 'x'.repeat(256)
  const cases: [what: string, path: string, body: object][] = [
    ['no type', 'type', { value: 1 }],
    ['an empty type', 'type', { type: '' }],
    ['a type of 256 characters', 'type', { type: long }],
    ['an empty id', 'id', { type: 'a', id: '' }],
    ['an id of 256 characters', 'id', { type: 'a', id: long }],
    ['a numeric id', 'id', { type: 'a', id: 1 }],
    ['id: null', 'id', { type: 'a', id: null }],
    ['the reserved type activity_window_elapsed', 'type', { type: 'activity_window_elapsed' }],
    ['the reserved type review_window_elapsed', 'type', { type: 'review_window_elapsed' }],
    ['the reserved name created_at', 'created_at', { type: 'a', created_at: '2026-01-01T00:00:00.000Z' }],
    ['the reserved name created_at: null', 'created_at', { type: 'a', created_at: null }],
    ['the reserved name system', 'system', { type: 'a', system: false }],
  ]
  for (const [what, path, submission] of cases) {
    test(`a submission with ${what} answers 400 at ${path} and records nothing (§4.3, §6 rule 3)`, async () => {
      const { id } = await newClaim(api)
      const { candidate_alias } = await newCandidate(api)
      await assertStoresNothing(service, async () => {
        const answers = [
          await api.post(`/v1/claims/${id}/events`, submission),
          await api.post('/v1/events', { ...submission, claim_id: id }),
          await api.post('/v1/events', { ...submission, candidate_alias }),
        ]
        for (const answer of answers) assertError(answer, 400, 'VALIDATION_ERROR', path)
      })
    })
  }

  for (const type of ['Activity_Window_Elapsed', ' review_window_elapsed', 'activity_window_elapsed_']) {
    test(`the type ${JSON.stringify(type)} is not reserved: types are compared exactly (§6 rule 3)`, async () => {
      const { id } = await newClaim(api)
      assert.equal((await api.post(`/v1/claims/${id}/events`, { type })).status, 201)
    })
  }
})

const KIB = 1024
/** `{"value":"…"}` */
const valueOfPayload = (bytes: number) => 'v'.repeat(bytes - '{"value":""}'.length)

describe('413', () => {
  test('a payload of exactly 256 KiB is recorded, one byte more answers 413 PAYLOAD_TOO_LARGE', async () => {
    const { id } = await newClaim(api)
    const value = valueOfPayload(256 * KIB)
    const taken = await api.post(`/v1/claims/${id}/events`, { id: 'e', type: 'a', value })
    assert.equal(taken.status, 201)
    assert.equal((await api.readClaim(id)).events[0].value, value)
    await assertStoresNothing(service, async () => {
      const body = { claim_id: id, type: 'a', value: `${value}v` }
      assertError(await api.post('/v1/events', body), 413, 'PAYLOAD_TOO_LARGE')
    })
  })

  test('the payload is counted in bytes, without id, type and what addresses the claim', async () => {
    const { id } = await newClaim(api)
    const submission = { claim_id: id, id: 'i'.repeat(255), type: 't'.repeat(255) }
    const euros = '€'.repeat((256 * KIB - '{"value":""}'.length) / 3)
    assert.equal((await api.post('/v1/events', { ...submission, value: euros })).status, 201)
    const more = await api.post('/v1/events', { ...submission, id: 'j', value: `${euros}€` })
    assertError(more, 413, 'PAYLOAD_TOO_LARGE')
  })

  test('a body of exactly 1 MiB is read, one byte more answers 413 PAYLOAD_TOO_LARGE', async () => {
    const whole = JSON.stringify({ external_id: uniqueName() }).padEnd(KIB * KIB)
    const json = { 'Content-Type': 'application/json' }
    await assertStoresNothing(service, async () => {
      assertError(await api.send('POST', '/v1/customers', `${whole} `, json), 413, 'PAYLOAD_TOO_LARGE')
    })
    assert.equal((await api.send('POST', '/v1/customers', whole, json)).status, 201)
  })

  test('a body of 5 MiB answers 413 PAYLOAD_TOO_LARGE', async () => {
    const { id } = await newClaim(api)
    const body = { type: 'a', value: 'v'.repeat(5 * KIB * KIB) }
    assertError(await api.post(`/v1/claims/${id}/events`, body), 413, 'PAYLOAD_TOO_LARGE')
  })
})

describe('422 EVENT_LIMIT_REACHED', () => {
  test('the 10,000th event of a claim is recorded, the next is refused; replays are answered', async () => {
    const { id } = await newClaim(api, { fulfillment_condition: { event: 'done' } })
    await service.sql(
      `INSERT INTO claim_events (claim_id, seq, id, type, payload, system, created_at)
       SELECT $1, n, 'e' || n, 'a', '{}', false, date_trunc('milliseconds', clock_timestamp())
       FROM generate_series(1, 9999) AS n`,
      [id],
    )
    await service.sql('UPDATE claims SET event_count = 9999 WHERE id = $1', [id])

    assert.equal((await api.post(`/v1/claims/${id}/events`, { id: 'last', type: 'a' })).status, 201)
    await assertStoresNothing(service, async () => {
      const full = await api.post(`/v1/claims/${id}/events`, { id: 'late', type: 'done' })
      assertError(full, 422, 'EVENT_LIMIT_REACHED')
      assert.equal((await api.post(`/v1/claims/${id}/events`, { id: 'e77', type: 'a' })).status, 200)
      assert.equal((await api.post(`/v1/claims/${id}/events`, { id: 'last', type: 'a' })).status, 200)
    })
    const { events, status } = await api.readClaim(id)
    assert.deepEqual([events.length, status], [10_000, 'OPEN'])
  })

  test('payloads up to exactly 64 MiB are recorded, one byte more is refused', async () => {
    const { id } = await newClaim(api)
    await service.sql('UPDATE claims SET log_bytes = $2 WHERE id = $1', [id, 64 * KIB * KIB - 20])
    await assertStoresNothing(service, async () => {
      const value = valueOfPayload(21)
      assertError(await api.post(`/v1/claims/${id}/events`, { type: 'a', value }), 422, 'EVENT_LIMIT_REACHED')
    })
    const value = valueOfPayload(20)
    assert.equal((await api.post(`/v1/claims/${id}/events`, { type: 'a', value })).status, 201)
    assertError(await api.post(`/v1/claims/${id}/events`, { type: 'a' }), 422, 'EVENT_LIMIT_REACHED')
  })

  test('log_bytes counts the payloads of a log as JSON', async () => {
    const { id } = await newClaim(api)
    await api.post(`/v1/claims/${id}/events`, { type: 'a', value: '€' })
    await api.post(`/v1/claims/${id}/events`, { type: 'a', x: [1, 2] })
    const [row] = await service.sql('SELECT log_bytes, event_count FROM claims WHERE id = $1', [id])
    assert.deepEqual(row, { log_bytes: '{"value":"€€€"}'.length + '{"x":[1,2]}'.length, event_count: 2 })
  })
})
