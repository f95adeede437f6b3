import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { after, describe, test } from 'node:test'
import {
  cleanForwardedHeaders,
  proxyTrust,
} from '../../../src/platform/http/connections/forwarded-headers.ts'
import { assertError } from '../../support/assert-error.ts'
import { head, sendRaw } from '../../support/raw-http.ts'
import { sharedService } from '../../support/shared.ts'
import { startTestService } from '../../support/test-service.ts'

/* A trusted proxy may forward headers of its client. Only documented forms of the headers are accepted. */

const { databaseUrl } = await sharedService()
const trustedProxies = '10.0.0.0/8, 127.0.0.1'
const behindProxy = await startTestService({ after }, { databaseUrl, trustedProxies, withoutAccount: true })
const linkOf = async (headers: Record<string, string>): Promise<string> => {
  const { body } = await sendRaw(behindProxy.url, head('GET', '/v1/claims', headers))
  return body.error.doc_url.replace('/docs/errors/TOKEN_INVALID', '')
}

describe('the address of the service', () => {
  for (const [headers, address] of [
    [{ 'X-Forwarded-Proto': 'https' }, 'https://claims.test'],
    [{ 'X-Forwarded-Host': 'claims.example:8443' }, 'http://claims.example:8443'],
    [{ 'X-Forwarded-Proto': 'http, https', 'X-Forwarded-Host': 'a.example' }, 'https://a.example'],
    [{ 'X-Forwarded-Proto': 'javascript' }, 'http://claims.test'],
    [{ 'X-Forwarded-Proto': 'https://evil.example/?' }, 'http://claims.test'],
    [{ 'X-Forwarded-Host': 'evil.example/path' }, 'http://claims.test'],
    [{ 'X-Forwarded-Host': '"><script>' }, 'http://claims.test'],
    [{ 'X-Forwarded-Host': 'a.example, ' }, 'http://claims.test'],
  ] as [Record<string, string>, string][]) {
    test(`${JSON.stringify(headers)} is ${address}`, async () => assert.equal(await linkOf(headers), address))
  }
})

describe('the address of a client', () => {
  const cleaned = (value: string) => {
    const headers: Record<string, string> = { 'x-forwarded-for': value }
    cleanForwardedHeaders({ headers } as unknown as IncomingMessage)
    return headers['x-forwarded-for']
  }
  for (const [value, addresses] of [
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7, 10.0.0.1', '203.0.113.7, 10.0.0.1'],
    ['2001:db8::1', '2001:db8::1'],
    [' 203.0.113.7 ,::1', '203.0.113.7, ::1'],
    ['203.0.113.7:5678', '203.0.113.7'],
    ['[2001:db8::1]:443, 203.0.113.7:65535', '2001:db8::1, 203.0.113.7'],
    ['[2001:db8::1]', '2001:db8::1'],
  ] as const) {
    test(`is read from ${value}`, () => assert.equal(cleaned(value), addresses))
  }
  for (const value of [
    '',
    'unknown',
    '203.0.113.7, garbage',
    '203.0.113.999',
    "'; DROP TABLE",
    '1.2.3.4:',
    '1.2.3.4:65536',
    '1.2.3.4:5:6',
    '[1.2.3.4]:5',
    '[2001:db8::1',
    '[2001:db8::1]x',
    '[2001:db8::1]:443:1',
    ',',
  ]) {
    test(`is the peer's address if ${JSON.stringify(value)} is forwarded`, () =>
      assert.equal(cleaned(value), undefined))
  }
  test('is found with the trusted addresses and networks, also for IPv4-mapped IPv6 addresses', () => {
    const trusts = proxyTrust('10.0.0.0/8, 127.0.0.1,2001:db8::/32')
    for (const address of ['10.1.2.3', '127.0.0.1', '::ffff:127.0.0.1', '2001:db8::9'])
      assert.ok(trusts(address))
    for (const address of ['11.1.2.3', '127.0.0.2', '::1', '', 'garbage']) assert.ok(!trusts(address))
    assert.ok(!proxyTrust(null)('127.0.0.1'))
  })
})

test('a forwarded host does not make another site the origin of the service', async () => {
  const post = (origin: string) => {
    const headers = { Origin: origin, 'X-Forwarded-Host': 'evil.example', 'Content-Length': 0 }
    return sendRaw(behindProxy.url, head('POST', '/api/auth/sign-out', headers))
  }
  assertError(await post('http://evil.example'), 403, 'CROSS_ORIGIN_REQUEST')
  assert.notEqual((await post('http://claims.test')).status, 403)
})

test('a request with two Host headers is refused', async () => {
  for (const second of ['Host: claims.test', 'host: other.test']) {
    const bytes = head('GET', '/healthz', {}).replace('\r\n\r\n', `\r\n${second}\r\n\r\n`)
    assertError(await sendRaw(behindProxy.url, bytes), 400, 'VALIDATION_ERROR')
  }
})

test('every response has a Referrer-Policy that sends no referrer to other sites', async () => {
  for (const path of [
    '/',
    '/v1/claims',
    '/healthz',
    '/docs/',
    '/docs/errors/TOKEN_INVALID',
    '/openapi.json',
    '/nowhere',
  ]) {
    const answer = await sendRaw(
      behindProxy.url,
      head('GET', path, { Accept: 'text/html', Connection: 'close' }),
    )
    assert.equal(answer.headers.get('referrer-policy'), 'same-origin', path)
  }
  const garbage = await sendRaw(behindProxy.url, 'GARBAGE\r\n\r\n')
  assert.equal(garbage.headers.get('referrer-policy'), 'same-origin')
})
