import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Answer } from '../support/api-client.ts'
import { assertError } from '../support/assert-error.ts'
import { all } from '../support/contracts.ts'
import { eventually } from '../support/eventually.ts'
import { exchangeLines, NDJSON } from '../support/line-exchange.ts'
import { newClaim } from '../support/new-records.ts'
import { asSingle, errorOf } from '../support/run-batch.ts'
import { sharedService } from '../support/shared.ts'

/* POST /v1/events/batch with NDJSON (§4.3): any number of lines, answered line by line. */

const service = await sharedService()
const { api } = service
const PATH = '/v1/events/batch'
const MIB = 1024 * 1024

const line = (fields: object) => `${JSON.stringify(fields)}\n`
const statuses = (results: Answer['body'][]): number[] => results.map(({ status }) => status)

/** The results of a whole body. */
async function answerTo(
  body: string | Buffer,
  headers: Record<string, string> = {},
): Promise<Answer['body'][]> {
  const exchange = exchangeLines(api, PATH, headers)
  await exchange.send(body)
  return exchange.rest()
}

describe('line by line', () => {
  test('each line is answered before the next one is sent: the event, and the claim as it stands', async () => {
    const claim = await newClaim(api, { fulfillment_condition: all({ event: 'a' }, { event: 'b' }) })
    const exchange = exchangeLines(api, PATH)
    const answers: Answer['body'][] = []
    for (const [id, type] of ['a', 'x', 'b', 'a'].entries()) {
      await exchange.send(line({ claim_id: claim.id, id: `${id}`, type }))
      answers.push(await exchange.next())
    }
    await exchange.send(line({ claim_id: claim.id, id: '0', type: 'a' }))
    answers.push(await exchange.next())
    assert.deepEqual(statuses(answers), [201, 201, 201, 422, 200])
    assert.deepEqual([answers[1].claim.status, answers[2].claim.status], ['OPEN', 'PENDING'])
    assert.deepEqual(answers[4].event, answers[0].event)
    assert.deepEqual(await exchange.rest(), [])
    const { statusCode, headers } = await exchange.answer()
    assert.deepEqual([statusCode, headers['content-type']], [200, NDJSON])
    assert.deepEqual(await api.eventIds(claim.id), ['0', '1', '2'])
  })

  test('a line is answered although another one has begun', async () => {
    const { id } = await newClaim(api)
    const second = line({ claim_id: id, id: 'second', type: 'a' })
    const exchange = exchangeLines(api, PATH)
    await exchange.send(line({ claim_id: id, id: 'first', type: 'a' }) + second.slice(0, 20))
    assert.equal((await exchange.next()).event.id, 'first')
    await exchange.send(second.slice(20))
    assert.equal((await exchange.next()).event.id, 'second')
    assert.deepEqual(await exchange.rest(), [])
  })

  test('a refused line is answered at once too', async () => {
    const exchange = exchangeLines(api, PATH)
    for (const [text, status] of [
      ['nonsense\n', 400],
      [line({ claim_id: randomUUID(), type: 'a' }), 404],
    ] as const) {
      await exchange.send(text)
      assert.equal((await exchange.next()).status, status)
    }
    exchange.end()
  })

  test('a line may come in pieces of a byte', async () => {
    const { id } = await newClaim(api)
    const exchange = exchangeLines(api, PATH)
    for (const byte of Buffer.from(line({ claim_id: id, id: 'é€😀', type: 'a' }))) {
      await exchange.send(Buffer.from([byte]))
    }
    assert.equal((await exchange.next()).event.id, 'é€😀')
    exchange.end()
  })

  test('with Prefer: return=minimal each line is answered by its status, errors by their body', async () => {
    const { id } = await newClaim(api)
    const event = line({ claim_id: id, id: 'e', type: 'a' })
    const results = await answerTo(`${event}${event}{}\n`, { Prefer: 'return=minimal' })
    assert.deepEqual(results.slice(0, 2), [{ status: 204 }, { status: 204 }])
    assert.equal(results[2].error.code, 'VALIDATION_ERROR')
  })
})

describe('what a line is', () => {
  test('blank lines are passed over, \\r\\n ends a line, and the last one needs no end', async () => {
    const { id } = await newClaim(api)
    const event = (name: string) => JSON.stringify({ claim_id: id, id: name, type: 'a' })
    const results = await answerTo(
      `\n\r\n  \n${event('1')}\r\n\t\n\n  ${event('2')}  \n${event('3')}\r\n${event('4')}`,
    )
    assert.deepEqual(statuses(results), [201, 201, 201, 201])
    assert.deepEqual(await api.eventIds(id), ['1', '2', '3', '4'])
  })

  // Enough lines that they arrive in several chunks.
  for (const type of ['Application/X-NDJSON', 'application/X-ndjson; charset=utf-8']) {
    test(`as ${type} they are all read`, async () => {
      const { id } = await newClaim(api)
      const lines = Array.from({ length: 1_500 }, (_, n) => line({ claim_id: id, id: `${n}`, type: 'a' }))
      const results = await answerTo(lines.join(''), { 'Content-Type': type })
      assert.deepEqual(
        results.map(({ event }) => event.id),
        lines.map((_, n) => `${n}`),
      )
    })
  }

  test('a body of no lines is answered by no lines', async () => {
    for (const body of [' ', '\n', '\r\n\n \n']) assert.deepEqual(await answerTo(body), [])
    assert.deepEqual(await exchangeLines(api, PATH, { 'Transfer-Encoding': 'chunked' }).rest(), [])
  })

  test('other line ends of Unicode stand within a line', async () => {
    const { id } = await newClaim(api)
    const text = JSON.stringify({ claim_id: id, id: 'a\u2028b\u2029c\u0085d', type: 'a' })
    assert.ok(text.includes('\u2028'))
    assert.deepEqual(statuses(await answerTo(`${text}\n`)), [201])
    assert.deepEqual(await api.eventIds(id), ['a\u2028b\u2029c\u0085d'])
  })

  const BAD: Record<string, string | Buffer> = {
    'no JSON': 'nonsense',
    'half an object': '{"type":"a"',
    'two objects': '{"type":"a"}{"type":"a"}',
    'a list': '[]',
    null: 'null',
    'a batch': '{"events":[]}',
    'a reserved type': '{"claim_id":"01934f6e-7d3a-7c1e-9f52-3b8e6d1f0a42","type":"review_window_elapsed"}',
    'U+0000': '{"claim_id":"01934f6e-7d3a-7c1e-9f52-3b8e6d1f0a42","type":"a","value":"\\u0000"}',
    'a NUL byte': '{"type":"\0"}',
    'a lossy number':
      '{"claim_id":"01934f6e-7d3a-7c1e-9f52-3b8e6d1f0a42","type":"a","value":9007199254740993}',
    'the key __proto__': '{"claim_id":"01934f6e-7d3a-7c1e-9f52-3b8e6d1f0a42","type":"a","__proto__":1}',
    '129 levels': `{"claim_id":"01934f6e-7d3a-7c1e-9f52-3b8e6d1f0a42","type":"a","value":${'['.repeat(128)}${']'.repeat(128)}}`,
    '100,000 levels': `{"type":"a","value":${'['.repeat(100_000)}1e5`,
    'invalid UTF-8': Buffer.from([0x22, 0xff, 0xfe, 0x22]),
    'a cut sequence of UTF-8': Buffer.from([0x22, 0xe2, 0x82, 0x22]),
    'an unknown claim': '{"claim_id":"01934f6e-7d3a-7c1e-9f52-3b8e6d1f0a42","type":"a"}',
    'an unknown candidate': '{"candidate_alias":"nobody-at-all","type":"a"}',
  }
  for (const [what, bad] of Object.entries(BAD)) {
    test(`${what} is answered as in the single form, and the lines beside it are recorded`, async () => {
      const { id } = await newClaim(api)
      const good = (name: string) => line({ claim_id: id, id: name, type: 'a' })
      const single = await api.send('POST', '/v1/events', new Uint8Array(Buffer.from(bad)), {
        'Content-Type': 'application/json',
      })
      const body = [good('1'), bad, '\n', good('2'), bad, '\n', good('3')].map((part) => Buffer.from(part))
      const results = await answerTo(Buffer.concat(body))
      assert.deepEqual(statuses(results), [201, single.status, 201, single.status, 201])
      for (const refused of [results[1], results[3]]) assert.deepEqual(asSingle(refused), errorOf(single))
      assert.deepEqual(await api.eventIds(id), ['1', '2', '3'])
    })
  }
})

describe('limits', () => {
  test('a line of 1 MiB is read; one byte more is answered 413, and the next one is read again', async () => {
    const { id } = await newClaim(api)
    const padded = (name: string, bytes: number) =>
      `${JSON.stringify({ claim_id: id, id: name, type: 'a' }).padEnd(bytes)}\n`
    const results = await answerTo(
      padded('1', MIB) + padded('2', MIB + 1) + padded('3', 0) + padded('4', 5 * MIB) + padded('5', 0),
    )
    assert.deepEqual(statuses(results), [201, 413, 201, 413, 201])
    assert.equal(results[1].error.code, 'PAYLOAD_TOO_LARGE')
    assert.match(results[1].error.message, /1 MiB/)
    assert.deepEqual(await api.eventIds(id), ['1', '3', '5'])
  })

  test('a payload over 256 KiB is answered 413', async () => {
    const { id } = await newClaim(api)
    const [tooLarge, next] = await answerTo(
      line({ claim_id: id, type: 'a', value: 'v'.repeat(256 * 1024) }) + line({ claim_id: id, type: 'a' }),
    )
    assert.deepEqual([tooLarge.status, next.status], [413, 201])
  })

  test('1,500 lines to 20 claims are answered in order, each log in the order of its lines', async () => {
    const claims = await Promise.all(Array.from({ length: 20 }, () => newClaim(api)))
    const events = Array.from({ length: 1_500 }, (_, i) => ({
      claim_id: claims[(i * 7) % 20].id,
      id: `event-${i}`,
      type: 'seen',
    }))
    const exchange = exchangeLines(api, PATH)
    const sending = (async () => {
      for (const event of events) await exchange.send(line(event))
      exchange.end()
    })()
    const results = []
    for (let next = await exchange.next(); next !== null; next = await exchange.next()) results.push(next)
    await sending
    assert.deepEqual(
      results.map(({ status, event }) => [status, event.id]),
      events.map(({ id }) => [201, id]),
    )
    for (const { id } of claims) {
      const expected = events.filter(({ claim_id }) => claim_id === id)
      assert.deepEqual(
        await api.eventIds(id),
        expected.map((event) => event.id),
      )
    }
  })
})

describe('a client that goes away', () => {
  test('in the middle of a line: what was answered is stored, the rest of it is not, and the server goes on', async () => {
    const { id } = await newClaim(api)
    const exchange = exchangeLines(api, PATH)
    await exchange.send(line({ claim_id: id, id: 'whole', type: 'a' }))
    assert.equal((await exchange.next()).status, 201)
    await exchange.send(`{"claim_id":"${id}","id":"half","type":"a"}`)
    exchange.leave()
    assert.equal((await api.post('/v1/events', { claim_id: id, id: 'after', type: 'a' })).status, 201)
    assert.deepEqual(await api.eventIds(id), ['whole', 'after'])
  })

  test('without reading: everything that it sent in whole lines may be stored, each once, and the server goes on', async () => {
    const { id } = await newClaim(api)
    const events = Array.from({ length: 300 }, (_, i) => ({ claim_id: id, id: `${i}`, type: 'a' }))
    const exchange = exchangeLines(api, PATH)
    await exchange.send(events.map(line).join(''))
    await exchange.answer()
    exchange.leave()
    const results = await eventually(async () => {
      const again = await answerTo(events.map(line).join(''))
      return again.every(({ status }) => status === 200) && again
    })
    assert.deepEqual(
      results.map(({ event }) => event.id),
      events.map((event) => event.id),
    )
    const log = await api.eventIds(id)
    assert.deepEqual(new Set(log), new Set(events.map((event) => event.id)))
    assert.equal(log.length, events.length)
  })
})

describe('a request that is refused whole', () => {
  test('a compressed body answers 415', async () => {
    const body = new Uint8Array(gzipSync(line({ claim_id: randomUUID(), type: 'a' })))
    const headers = { 'Content-Type': NDJSON, 'Content-Encoding': 'gzip' }
    assertError(await api.send('POST', PATH, body, headers), 415, 'UNSUPPORTED_MEDIA_TYPE')
  })

  test('lines to a path that takes none answer 415', async () => {
    const headers = { 'Content-Type': NDJSON }
    for (const path of ['/v1/events', '/v1/claims', '/v1/claims/batch', '/v1/candidates/batch']) {
      assertError(await api.send('POST', path, '{}\n', headers), 415, 'UNSUPPORTED_MEDIA_TYPE')
    }
  })

  test('without a token it answers 401, before any line is read', async () => {
    const nobody = service.clientWith(null)
    const answer = await nobody.send('POST', PATH, 'nonsense\n', { 'Content-Type': NDJSON })
    assertError(answer, 401, 'TOKEN_INVALID')
  })

  test('an empty body is answered as a body of no lines is', async () => {
    const exchange = exchangeLines(api, PATH, { 'Content-Length': '0' })
    exchange.end()
    assert.equal((await exchange.answer()).statusCode, 200)
  })
})
