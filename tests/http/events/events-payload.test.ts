import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Json } from '../../../src/domain/json.ts'
import { assertError } from '../../support/assert-error.ts'
import { newCandidate, newClaim } from '../../support/new-records.ts'
import { assertStoresNothing } from '../../support/stored-rows.ts'
import { startTestService } from '../../support/test-service.ts'

const service = await startTestService({ after })
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
    ['the reserved type activity_window_elapsed (§6 rule 3)', 'type', { type: 'activity_window_elapsed' }],
    ['the reserved type review_window_elapsed (§6 rule 3)', 'type', { type: 'review_window_elapsed' }],
    ['the reserved name created_at', 'created_at', { type: 'a', created_at: '2026-01-01T00:00:00.000Z' }],
    ['the reserved name created_at: null', 'created_at', { type: 'a', created_at: null }],
    ['the reserved name system', 'system', { type: 'a', system: false }],
  ]
  for (const [what, path, submission] of cases) {
    test(`a submission with ${what} answers 400 at ${path} and records nothing`, async () => {
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
    test(`the type ${JSON.stringify(type)} is not reserved: types are compared exactly`, async () => {
      const { id } = await newClaim(api)
      assert.equal((await api.post(`/v1/claims/${id}/events`, { type })).status, 201)
    })
  }
})
