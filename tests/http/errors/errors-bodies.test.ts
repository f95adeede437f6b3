import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertError } from '../../support/assert-error.ts'
import { newClaim } from '../../support/new-records.ts'
import { sharedService } from '../../support/shared.ts'
import { assertStoresNothing } from '../../support/stored-rows.ts'

const service = await sharedService()
const { api } = service
const JSON_TYPE = { 'Content-Type': 'application/json' }

describe('400: bodies', () => {
  const BODIES: Record<string, string> = {
    'cut off': '{"external_id":"a"',
    'with a trailing comma': '{"external_id":"a",}',
    'with single quotes': "{'external_id':'a'}",
    'of JSON and more': '{"external_id":"a"} {}',
    'with NaN': '{"external_id":NaN}',
    'with a comment': '{"external_id":"a"/* */}',
    'with a raw line break in a string': '{"external_id":"a\nb"}',
    'with two byte order marks': '\ufeff\ufeff{"external_id":"a"}',
    'of blanks': '   \n ',
    'that is a form': 'external_id=a',
  }
  for (const [what, body] of Object.entries(BODIES)) {
    test(`a body ${what} answers 400 at body and stores nothing`, async () => {
      await assertStoresNothing(service, async () => {
        assertError(await api.send('POST', '/v1/customers', body, JSON_TYPE), 400, 'VALIDATION_ERROR', 'body')
      })
    })
  }

  test('a missing or empty body answers 400 at body', async () => {
    const { id } = await newClaim(api)
    for (const path of [
      '/v1/customers',
      '/v1/claims',
      '/v1/candidates',
      '/v1/schemas',
      '/v1/events',
      `/v1/claims/${id}/events`,
    ]) {
      assertError(await api.send('POST', path), 400, 'VALIDATION_ERROR', 'body')
      assertError(await api.send('POST', path, undefined, JSON_TYPE), 400, 'VALIDATION_ERROR', 'body')
      assertError(await api.send('POST', path, '', JSON_TYPE), 400, 'VALIDATION_ERROR', 'body')
    }
  })
})

describe('415 UNSUPPORTED_MEDIA_TYPE', () => {
  const body = JSON.stringify({ external_id: 'media' })
  const TYPES = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    'text/json',
    'multipart/form-data',
    'garbage',
    '*/*',
  ]
  for (const type of TYPES) {
    test(`a body of Content-Type: ${type} answers 415 and stores nothing`, async () => {
      await assertStoresNothing(service, async () => {
        const answer = await api.send('POST', '/v1/customers', body, { 'Content-Type': type })
        assertError(answer, 415, 'UNSUPPORTED_MEDIA_TYPE')
      })
    })
  }

  test('a body without a Content-Type answers 415', async () => {
    const answer = await api.send('POST', '/v1/customers', new TextEncoder().encode(body))
    assertError(answer, 415, 'UNSUPPORTED_MEDIA_TYPE')
  })

  for (const encoding of ['gzip', 'br', 'deflate', 'zstd', 'x']) {
    test(`a body of Content-Encoding: ${encoding} answers 415 and stores nothing`, async () => {
      await assertStoresNothing(service, async () => {
        const headers = { ...JSON_TYPE, 'Content-Encoding': encoding }
        assertError(await api.send('POST', '/v1/customers', body, headers), 415, 'UNSUPPORTED_MEDIA_TYPE')
      })
    })
  }

  test('application/json is accepted in any letter case and with parameters', async () => {
    for (const type of ['APPLICATION/JSON', 'application/json; charset=utf-8', 'application/json ;a=b']) {
      const text = JSON.stringify({ external_id: type })
      const answer = await api.send('POST', '/v1/customers', text, { 'Content-Type': type })
      assert.equal(answer.status, 201)
    }
  })
})
