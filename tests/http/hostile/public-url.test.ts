import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { PASSWORD } from '../../support/new-session.ts'
import { head, sendRaw } from '../../support/raw-http.ts'
import { signUpByInvitation } from '../../support/session-client.ts'
import { sharedService } from '../../support/shared.ts'
import { startTestService } from '../../support/test-service.ts'

/* How PUBLIC_URL changes responses: the host of links, and headers about the connection. */

const publicUrl = 'https://claims.example.com'
const STRICT_TRANSPORT = 'max-age=31536000'
const shared = await sharedService()
const { databaseUrl } = shared
const service = await startTestService({ after }, { databaseUrl, publicUrl, trustedProxies: '127.0.0.1' })

const FORWARDED = { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'http' }
const EVIL = { Host: 'evil.example', ...FORWARDED }
const PAGES = ['/', '/claims', '/docs/specification', '/docs/errors', '/docs/errors/TOKEN_INVALID']
const OTHERS = ['/v1/claims', '/healthz', '/openapi.json', '/docs', '/v1/%zz', '/docs/nowhere']

const getPage = (url: string, path: string) =>
  sendRaw(url, head('GET', path, { Accept: 'text/html', Connection: 'close', ...EVIL }))

describe('with a PUBLIC_URL of https, a response does not contain the host of the request, and has Strict-Transport-Security', () => {
  for (const path of [...PAGES, ...OTHERS])
    test(path, async () => {
      const { headers, body } = await getPage(service.url, path)
      assert.doesNotMatch(JSON.stringify([...headers, body]), /evil\.example/)
      assert.equal(headers.get('strict-transport-security'), STRICT_TRANSPORT)
    })

  test('also for malformed HTTP and for a request that is refused before its body is read', async () => {
    for (const bytes of ['GARBAGE\r\n\r\n', head('GET', '/v1/claims', { ...EVIL, Expect: 'nothing' })]) {
      const { headers, body } = await sendRaw(service.url, bytes)
      assert.ok(body.error.doc_url.startsWith(`${publicUrl}/docs/errors/`), body.error.doc_url)
      assert.equal(headers.get('strict-transport-security'), STRICT_TRANSPORT)
    }
  })

  test('links of invitations use it, and sign-in sets a cookie without a Domain', async () => {
    const { browser, email } = await signUpByInvitation(service)
    const invited = await browser.post('/v1/invitations', {}, FORWARDED)
    assert.match(invited.body.url, /^https:\/\/claims\.example\.com\/welcome#key=/)
    const created = await browser.post('/v1/customers', { external_id: 'acme' }, FORWARDED)
    assert.equal(created.headers.get('location'), `/v1/customers/${created.body.id}`)
    const credentials = { email, password: PASSWORD }
    const signedIn = await service.clientWith(null).post('/api/auth/sign-in/email', credentials, FORWARDED)
    assert.equal(signedIn.status, 200)
    assert.doesNotMatch(JSON.stringify([...signedIn.headers, signedIn.body]), /evil|Domain/)
  })
})

test('without PUBLIC_URL no response has Strict-Transport-Security, because the service may be reachable by http only', async () => {
  for (const path of ['/', '/v1/claims', '/docs/errors'])
    assert.equal((await getPage(shared.url, path)).headers.get('strict-transport-security'), null, path)
})

test('pages and their resources isolate themselves from other sites (COOP, CORP)', async () => {
  for (const path of [...PAGES, '/docs/', '/docs/js/scalar.js']) {
    const answer = await fetch(shared.url + path, { headers: { Accept: 'text/html' } })
    await answer.body?.cancel()
    assert.equal(answer.status, 200, path)
    assert.equal(answer.headers.get('cross-origin-opener-policy'), 'same-origin', path)
    assert.equal(answer.headers.get('cross-origin-resource-policy'), 'same-origin', path)
  }
})
