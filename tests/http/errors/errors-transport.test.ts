import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertError } from '../../support/assert-error.ts'
import { newClaim } from '../../support/new-records.ts'
import { head, sendAndLeave, sendRaw } from '../../support/raw-http.ts'
import { sharedService } from '../../support/shared.ts'
import { assertStoresNothing } from '../../support/stored-rows.ts'
import { startTestService } from '../../support/test-service.ts'

/* Requests that no HTTP client would send, over a bare socket. */

const service = await sharedService()
const { api } = service
const headers = { Authorization: `Bearer ${api.token}`, 'Content-Type': 'application/json' }
const body = '{"external_id":"raw"}'

describe('400: malformed HTTP', () => {
  const REQUESTS: Record<string, string | Buffer> = {
    garbage: 'GARBAGE\r\n\r\n',
    'bytes of a TLS handshake': Buffer.from('16030100c8010000c40303', 'hex'),
    'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'an unknown method': head('FOO', '/v1/claims', headers),
    'an unknown version': 'GET /v1/claims HTTP/9.9\r\nHost: x\r\n\r\n',
    'a path with a space': head('GET', '/v1/cla ims', headers),
    'a path with NUL': head('GET', '/v1/claims/\0', headers),
    'a header with NUL': head('GET', '/v1/claims', { ...headers, X: 'a\0b' }),
    'a header without a colon': 'GET /v1/claims HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n',
    'a Content-Length that is no number': head('POST', '/v1/customers', {
      ...headers,
      'Content-Length': 'x',
    }),
    'two lengths at once': `${head('POST', '/v1/customers', { ...headers, 'Content-Length': 5, 'Transfer-Encoding': 'chunked' })}0\r\n\r\n`,
    'a chunk without a size': `${head('POST', '/v1/customers', { ...headers, 'Transfer-Encoding': 'chunked' })}zz\r\n${body}\r\n`,
    'no Host': `GET /v1/claims HTTP/1.1\r\nAuthorization: ${headers.Authorization}\r\n\r\n`,
  }
  for (const [what, bytes] of Object.entries(REQUESTS)) {
    test(`${what} answers 400 in the form of every error, and stores nothing`, async () => {
      await assertStoresNothing(service, async () => {
        assertError(await sendRaw(service.url, bytes), 400, 'VALIDATION_ERROR')
      })
    })
  }

  test('an expectation that the server does not know answers 4xx in the form of every error', async () => {
    const top = head('POST', '/v1/customers', {
      ...headers,
      Expect: 'a-miracle',
      'Content-Length': body.length,
    })
    const answer = await sendRaw(service.url, top + body)
    assertError(answer, 400, 'VALIDATION_ERROR')
  })

  test('the server still answers others afterwards', async () => {
    assert.equal((await api.get('/v1/claims')).status, 200)
  })
})

describe('413: headers', () => {
  test('headers of more than 16 KiB answer 413 PAYLOAD_TOO_LARGE', async () => {
    const answer = await sendRaw(
      service.url,
      head('GET', '/v1/claims', { ...headers, X: 'x'.repeat(20_000) }),
    )
    assertError(answer, 413, 'PAYLOAD_TOO_LARGE')
  })

  test('a path of more than 16 KiB answers 4xx in the form of every error', async () => {
    const answer = await sendRaw(service.url, head('GET', `/v1/claims/${'x'.repeat(20_000)}`, headers))
    assertError(answer, 413, 'PAYLOAD_TOO_LARGE')
  })
})

describe('bodies that do not arrive whole', () => {
  const event = '{"type":"cut-off","value":1}'

  test('a body shorter than its Content-Length, and the connection closed, records nothing', async () => {
    const { id } = await newClaim(api)
    await assertStoresNothing(service, async () => {
      for (const sent of ['', event.slice(0, 10), event]) {
        const top = head('POST', `/v1/claims/${id}/events`, { ...headers, 'Content-Length': 500 })
        await sendAndLeave(service.url, top + sent)
      }
    })
  })

  test('chunks without the last one, and the connection closed, record nothing', async () => {
    const { id } = await newClaim(api)
    await assertStoresNothing(service, async () => {
      const top = head('POST', `/v1/claims/${id}/events`, { ...headers, 'Transfer-Encoding': 'chunked' })
      await sendAndLeave(service.url, `${top}${event.length.toString(16)}\r\n${event}\r\n`)
    })
  })

  test('headers that end in the middle, and the connection closed, record nothing', async () => {
    const { id } = await newClaim(api)
    await assertStoresNothing(service, async () => {
      await sendAndLeave(service.url, head('POST', `/v1/claims/${id}/events`, headers).slice(0, -2))
    })
  })

  test('a body longer than its Content-Length is cut there, and the rest is not taken for a request', async () => {
    const top = head('POST', '/v1/customers', { ...headers, 'Content-Length': 10 })
    await assertStoresNothing(service, async () => {
      assertError(await sendRaw(service.url, top + body), 400, 'VALIDATION_ERROR')
    })
  })

  test('a whole event in chunks of one byte is recorded', async () => {
    const { id } = await newClaim(api)
    const top = head('POST', `/v1/claims/${id}/events`, { ...headers, 'Transfer-Encoding': 'chunked' })
    const chunks = [...event].map((byte) => `1\r\n${byte}\r\n`).join('')
    const answer = await sendRaw(service.url, `${top}${chunks}0\r\n\r\n`)
    assert.deepEqual([answer.status, answer.body.event.type], [201, 'cut-off'])
  })
})

describe('the header Host', () => {
  test('is used in the links of an error', async () => {
    const answer = await sendRaw(service.url, head('GET', '/v1/claims', { Host: 'claims.example:81' }))
    assert.equal(answer.body.error.doc_url, 'http://claims.example:81/docs/errors/TOKEN_INVALID')
  })

  for (const host of ['x"><script>', 'a b', 'evil.example/path', 'a'.repeat(300), '']) {
    test(`of ${JSON.stringify(host.slice(0, 20))} is not repeated in a link`, async () => {
      const answer = await sendRaw(service.url, head('GET', '/v1/claims', { Host: host }))
      assert.match(answer.body.error.doc_url, /^\/docs\/errors\/[A-Z_]+$/)
    })
  }

  test('is ignored if PUBLIC_URL is set', async (t) => {
    const publicUrl = 'https://claims.example.com'
    const { url } = await startTestService(t, { publicUrl, databaseUrl: service.databaseUrl })
    for (const bytes of [head('GET', '/v1/claims', { Host: 'other' }), 'GARBAGE\r\n\r\n']) {
      const { error } = (await sendRaw(url, bytes)).body
      assert.equal(error.doc_url, `${publicUrl}/docs/errors/${error.code}`)
    }
  })
})
