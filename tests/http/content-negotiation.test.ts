import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chooseCoding, prefersType } from '../../src/platform/http/responses/quality-values.ts'
import { assertError } from '../support/assert-error.ts'
import { newClaim } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'

/* What Accept, Accept-Encoding and Content-Type mean (§4, RFC 9110 §12.5 and §8.3), and how a body may begin. */

const service = await sharedService()
const { api, url } = service
const MARK = '\ufeff'
const ONE_VALUE =
  'a body, and each line of a stream, is one JSON value. curl keeps line breaks with --data-binary, not with -d'

test('the content coding with the greatest weight is chosen, the fastest if weights are equal, and none without a header', () => {
  for (const [header, name] of [
    [undefined, null],
    ['', null],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip,, deflate,br', 'br'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['zstd; q=0, br;q=0.0, gzip;q=0.1', 'gzip'],
    ['br\t;\tQ=0, gzip', 'gzip'],
    ['br ; q = 0.2 , gzip;q=1.000', 'gzip'],
    ['gzip;q=0', null],
    ['gzip;level="9,q=0";q=0.4', 'gzip'],
    ['identity, gzip;q=0.5', null],
    ['identity;q=0.2, gzip;q=0.5', 'gzip'],
    ['*', 'gzip'],
    ['*;q=0', null],
    ['gzip;q=0, *', null],
    ['deflate, x-gzip', 'gzip'],
    ['gzip;q=x', null],
    ['gzip;q=1.2.3', null],
    ['gzip;q=-1', null],
    ['gzip;q=2', null],
    ['gzipbr', null],
    [`${'gzip,'.repeat(1_000)}br`, null],
    [`gzip;x="${'\\'.repeat(1_900)}`, 'gzip'],
  ] as const)
    assert.equal(chooseCoding(header, ['zstd', 'br', 'gzip']), name, `${header}`)
})

const ACCEPT: [header: string | undefined, isEvents: boolean][] = [
  ['text/event-stream', true],
  ['TEXT/Event-Stream', true],
  ['text/event-stream;charset=utf-8', true],
  ['text/*', true],
  ['application/json, text/event-stream', true],
  ['text/event-stream, */*;q=0.1', true],
  ['text/event-stream, */*', true],
  ['application/json;q=0.5, text/event-stream;q=0.6', true],
  [undefined, false],
  ['*/*', false],
  ['application/json', false],
  ['text/event-stream;q=0', false],
  ['text/event-stream;q=0.000, application/json', false],
  ['text/event-stream; Q=0.1, application/json', false],
  ['text/event-stream;q=0.5, */*', false],
  ['text/event-streams', false],
  ['x-text/event-stream', false],
  ['application/json;note="text/event-stream, text/event-stream"', false],
]

test('a media type other than the default is chosen if it has a greater weight, or is named with the same weight', () => {
  for (const [header, isEvents] of ACCEPT)
    assert.equal(prefersType(header, 'text/event-stream', 'application/json'), isEvents, `${header}`)
})

test('the feed is an event stream if Accept prefers it, otherwise JSON (§4.13)', async () => {
  for (const [accept, isEvents] of ACCEPT.filter(([header]) => header !== undefined)) {
    const end = new AbortController()
    const headers = { Authorization: `Bearer ${api.token}`, Accept: accept ?? '' }
    const answer = await fetch(`${url}/v1/notifications`, { headers, signal: end.signal })
    const type = isEvents ? /^text\/event-stream$/ : /^application\/json/
    assert.match(answer.headers.get('content-type') ?? '', type, `${accept}`)
    end.abort()
  }
})

test('an unknown path answers a page of the dashboard if Accept prefers HTML, otherwise 404', async () => {
  for (const [accept, status] of [
    ['TEXT/HTML', 200],
    ['text/html, application/json;q=0.9', 200],
    ['text/html;q=0, application/json', 404],
    ['text/html;q=0.2, application/json', 404],
    ['*/*', 404],
  ] as const)
    assert.equal((await fetch(`${url}/claims/1`, { headers: { Accept: accept } })).status, status, accept)
})

describe('a body', () => {
  test('may begin with a byte order mark, and its Content-Type may have any letter case and a charset', async () => {
    for (const type of [
      'application/json',
      'Application/JSON',
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
      'application/json ; Charset=UTF8',
    ]) {
      const external_id = `${type} ${Math.random()}`
      const body = `${MARK}${JSON.stringify({ external_id })}`
      const answer = await api.send('POST', '/v1/customers', body, { 'Content-Type': type })
      assert.deepEqual([answer.status, answer.body.external_id], [201, external_id], type)
    }
  })

  test('of a megabyte, or of a batch, may also begin with a byte order mark', async () => {
    const { id } = await newClaim(api)
    const json = { 'Content-Type': 'application/json' }
    const large = { type: 'a', value: 'é'.repeat(100_000) }
    const text = `${MARK}${JSON.stringify(large)}${' '.repeat(500_000)}`
    assert.equal((await api.send('POST', `/v1/claims/${id}/events`, text, json)).status, 201)
    const events = JSON.stringify({ events: [{ claim_id: id, type: 'a' }] })
    const { body } = await api.send('POST', '/v1/events/batch', `${MARK}${events}`, json)
    assert.equal(body.results[0].status, 201)
  })

  test('in UTF-16 is refused, and the message names UTF-16', async () => {
    for (const bytes of [Buffer.from(`${MARK}{}`, 'utf16le'), Buffer.from(`${MARK}{}`, 'utf16le').swap16()]) {
      const answer = await api.send('POST', '/v1/customers', new Uint8Array(bytes), {
        'Content-Type': 'application/json; charset=utf-16',
      })
      assertError(answer, 400, 'VALIDATION_ERROR', 'body')
      assert.equal(answer.body.error.message, 'body: is UTF-16; JSON must be sent as UTF-8')
    }
  })

  const FLAWS: [text: string, message: string][] = [
    ['{"a":1}{"b":2}', `has a second value after the first, at character 8; ${ONE_VALUE}`],
    ['{"a":1},', `has a comma after its value, at character 8; ${ONE_VALUE}`],
    ['{"a":1,}', 'is not valid JSON: Expected double-quoted property name at line 1, column 8'],
    ['{"a":', 'is not valid JSON: it ends too early'],
    ['{"a":\n nope}', 'is not valid JSON: unexpected \'o\' in "{"a":\n nope}"'],
  ]
  for (const [text, message] of FLAWS)
    test(`that is ${JSON.stringify(text)} is refused with the reason and the place`, async () => {
      const answer = await api.send('POST', '/v1/customers', text, { 'Content-Type': 'application/json' })
      assertError(answer, 400, 'VALIDATION_ERROR', 'body')
      assert.equal(answer.body.error.details[0].message, message)
    })

  test('of another type is refused, and the message names the types of its path', async () => {
    const refused = async (path: string, headers: Record<string, string>) => {
      const answer = await api.send('POST', path, new TextEncoder().encode('{}'), headers)
      assertError(answer, 415, 'UNSUPPORTED_MEDIA_TYPE')
      return answer.body.error.message
    }
    const json = 'The body must be JSON; send the header Content-Type: application/json'
    assert.equal(
      await refused('/v1/customers', { 'Content-Type': 'application/x-ndjson' }),
      `The Content-Type "application/x-ndjson" is not supported. ${json}.`,
    )
    assert.equal(await refused('/v1/customers', {}), `The body has no Content-Type. ${json}.`)
    assert.equal(
      await refused('/v1/events/batch', { 'Content-Type': 'text/plain' }),
      `The Content-Type "text/plain" is not supported. ${json}, or for one JSON value per line application/x-ndjson, application/ndjson, application/jsonl.`,
    )
  })
})

describe('lines of JSON', () => {
  const send = async (type: string, text: string) => {
    const headers = { Authorization: `Bearer ${api.token}`, 'Content-Type': type }
    const answer = await fetch(`${url}/v1/events/batch`, { method: 'POST', headers, body: text })
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/x-ndjson'], type)
    const lines = (await answer.text()).split('\n').filter(Boolean)
    return lines.map((line) => JSON.parse(line))
  }
  const eventOf = (claimId: string, id: string) => JSON.stringify({ claim_id: claimId, id, type: 'a' })

  test('are accepted with each of their media types, and with byte order marks (§4.3)', async () => {
    for (const type of ['application/x-ndjson', 'application/ndjson', 'Application/JSONL; charset="utf-8"']) {
      const { id } = await newClaim(api)
      const text = `${MARK}\r\n${MARK}${eventOf(id, 'a')}\n\n${eventOf(id, 'b')}\n${MARK}${eventOf(id, 'c')}`
      const results = await send(type, text)
      assert.deepEqual(
        results.map(({ status }) => status),
        [201, 201, 201],
        type,
      )
    }
  })

  test('joined without line breaks are refused with the rule, the position and the option for curl', async () => {
    const { id } = await newClaim(api)
    const [first, second] = [eventOf(id, 'a'), eventOf(id, 'b')]
    const [joined, comma] = await send('application/x-ndjson', `${first}${second}\n${first},\n`)
    const place = `at character ${first.length + 1}`
    assert.deepEqual(joined.error.details, [
      { path: 'body', message: `has a second value after the first, ${place}; ${ONE_VALUE}` },
    ])
    assert.deepEqual(comma.error.details, [
      { path: 'body', message: `has a comma after its value, ${place}; ${ONE_VALUE}` },
    ])
  })
})
