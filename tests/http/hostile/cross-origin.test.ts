import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertError } from '../../support/assert-error.ts'
import { uniqueName } from '../../support/new-records.ts'
import { PASSWORD, signUp } from '../../support/session-client.ts'
import { sharedService } from '../../support/shared.ts'
import { assertStoresNothing } from '../../support/stored-rows.ts'
import { startTestService } from '../../support/test-service.ts'

/* Browsers send the session's cookie by themselves: what changes something must come from the service's pages. */

const service = await sharedService()
const { host } = new URL(service.url)
const { email, browser } = await signUp(service)
const JSON_TYPE = { 'Content-Type': 'application/json' }

const FOREIGN: Record<string, Record<string, string>> = {
  'neither Origin nor Sec-Fetch-Site': {},
  'another Origin': { Origin: 'https://evil.example' },
  'the Origin of an opaque page': { Origin: 'null' },
  'an Origin on another port': { Origin: 'http://127.0.0.1:1' },
  'an Origin that begins alike': { Origin: `${service.url}.evil.example` },
  'an Origin that ends alike': { Origin: `https://evil.example/${host}` },
  'an Origin that is no URL': { Origin: host },
  'a page of another site': { 'Sec-Fetch-Site': 'cross-site', Origin: service.url },
  'a page of a neighbouring host': { 'Sec-Fetch-Site': 'same-site' },
  'a Referer alone': { Referer: `${service.url}/` },
}
const OWN: Record<string, Record<string, string>> = {
  'its own Origin': { Origin: service.url },
  'its own Origin behind a proxy that speaks https': { Origin: `https://${host}` },
  'Sec-Fetch-Site: same-origin': { 'Sec-Fetch-Site': 'same-origin' },
}

const post = (path: string, body: object, headers: Record<string, string>) =>
  service.clientWith(null).send('POST', path, JSON.stringify(body), { ...JSON_TYPE, ...headers })

test('with a session cookie, a request from another origin answers 403 and changes nothing (§5 rule 4)', async (t) => {
  const isRefused = async (headers: Record<string, string>) => {
    const withCookie = { ...headers, Cookie: browser.cookie }
    const answer = await post('/v1/customers', { external_id: uniqueName() }, withCookie)
    assertError(answer, 403, 'CROSS_ORIGIN_REQUEST')
    for (const [method, path] of [
      ['PATCH', '/v1/customers/x'],
      ['DELETE', '/v1/tokens/x'],
    ] as const) {
      const other = await service.clientWith(null).send(method, path, '{}', { ...JSON_TYPE, ...withCookie })
      assertError(other, 403, 'CROSS_ORIGIN_REQUEST')
    }
    assertError(await post('/api/auth/sign-out', {}, withCookie), 403, 'CROSS_ORIGIN_REQUEST')
    const change = { currentPassword: PASSWORD, newPassword: 'taken over' }
    assertError(await post('/api/auth/change-password', change, withCookie), 403, 'CROSS_ORIGIN_REQUEST')
  }
  await assertStoresNothing(service, async () => {
    for (const [what, headers] of Object.entries(FOREIGN)) await t.test(what, () => isRefused(headers))
  })
  assert.equal((await browser.get('/v1/me')).status, 200)
})

test('with a token, a request from any origin is accepted', async () => {
  const Authorization = `Bearer ${service.api.token}`
  for (const [what, headers] of Object.entries(FOREIGN)) {
    const answer = await post('/v1/customers', { external_id: uniqueName() }, { ...headers, Authorization })
    assert.equal(answer.status, 201, what)
  }
})

test('with a session cookie, a request from a page of the service is accepted', async () => {
  for (const [what, headers] of Object.entries(OWN)) {
    const own = { ...headers, Cookie: browser.cookie }
    assert.equal((await post('/v1/customers', { external_id: uniqueName() }, own)).status, 201, what)
    const credentials = { email, password: PASSWORD }
    assert.equal((await post('/api/auth/sign-in/email', credentials, headers)).status, 200, what)
  }
})

describe('with PUBLIC_URL', () => {
  test('requests from its origin and from the host of the request may change something', async (t) => {
    const databaseUrl = service.databaseUrl
    const publicUrl = 'http://claims.example.com/base'
    const other = await startTestService(t, { databaseUrl, publicUrl })
    const send = (Origin: string) =>
      other.clientWith(null).send('POST', '/v1/customers', JSON.stringify({ external_id: uniqueName() }), {
        ...JSON_TYPE,
        Cookie: browser.cookie,
        Origin,
      })
    assert.equal((await send('http://claims.example.com')).status, 201)
    assert.equal((await send(other.url)).status, 201)
    assertError(await send('https://claims.example.com'), 403, 'CROSS_ORIGIN_REQUEST')
    assertError(await send('http://example.com'), 403, 'CROSS_ORIGIN_REQUEST')
  })
})

test('signing in or up from another site answers 403; a program without Origin is accepted', async () => {
  const credentials = { email, password: PASSWORD }
  const foreign = { Origin: 'https://evil.example' }
  assertError(await post('/api/auth/sign-in/email', credentials, foreign), 403, 'CROSS_ORIGIN_REQUEST')
  const account = { ...credentials, name: 'a', email: 'x@example.com' }
  assertError(await post('/api/auth/sign-up/email', account, foreign), 403, 'CROSS_ORIGIN_REQUEST')
  assert.equal((await post('/api/auth/sign-in/email', credentials, {})).status, 200)
})

test('reading with the cookie needs no Origin, and CORS lets no other site read the response', async () => {
  const headers = { Cookie: browser.cookie, Origin: 'https://evil.example' }
  const answer = await service.clientWith(null).get('/v1/me', headers)
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('access-control-allow-origin'), null)
})
