import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedService } from '../support/shared.ts'

const { url } = await sharedService()

const navigate = (path: string, headers: Record<string, string> = {}) =>
  fetch(url + path, { headers: { Accept: 'text/html,*/*;q=0.8', ...headers } })

test('every path of the dashboard answers its page with a Content-Security-Policy that allows no other origin', async () => {
  for (const path of ['/', '/claims?status=OPEN', '/candidates/order-1', '/welcome?key=x']) {
    const answer = await navigate(path)
    assert.equal(answer.status, 200, path)
    assert.match(await answer.text(), /<div id="root">/)
    assert.equal(answer.headers.get('cache-control'), 'no-cache')
    const policy = answer.headers.get('content-security-policy') ?? ''
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/)
    assert.doesNotMatch(policy, /unsafe|https?:/)
  }
})

test('assets are compressed and cached without expiry, because their names contain a hash of their content', async () => {
  const page = await (await navigate('/')).text()
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1] as string
  for (const encoding of ['br', 'gzip']) {
    const answer = await fetch(url + script, { headers: { 'Accept-Encoding': encoding } })
    assert.equal(answer.headers.get('content-encoding'), encoding)
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.match(answer.headers.get('content-type') ?? '', /javascript/)
  }
})

test('unknown paths of the API, the reference and the assets answer JSON, also in a browser', async () => {
  for (const path of ['/v1/nothing', '/api/nothing', '/docs/no/such', '/assets/gone.js', '/v1']) {
    const answer = await navigate(path)
    assert.equal(answer.status, 404, path)
    assert.equal(((await answer.json()) as { error: { code: string } }).error.code, 'ROUTE_NOT_FOUND')
  }
  assert.equal((await navigate('/v1/simulations')).status, 405)
})

test('an unknown path answers 404 to programs', async () => {
  const answer = await fetch(`${url}/claims/1`, { headers: { Accept: 'application/json' } })
  assert.equal(answer.status, 404)
  assert.equal(((await answer.json()) as { error: { code: string } }).error.code, 'ROUTE_NOT_FOUND')
  assert.equal((await fetch(`${url}/claims/1`, { method: 'POST' })).status, 404)
})

test('a file with a matching ETag answers 304, and a client without Accept-Encoding gets it uncompressed', async () => {
  const page = await navigate('/')
  const etag = page.headers.get('etag') ?? ''
  const again = await navigate('/claims', { 'If-None-Match': etag })
  assert.deepEqual([again.status, await again.text()], [304, ''])
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(await page.text())?.[1] as string
  for (const encoding of ['identity', 'br;q=0, gzip;q=0.0', 'zstd']) {
    const plain = await fetch(url + script, { headers: { 'Accept-Encoding': encoding } })
    assert.equal(plain.headers.get('content-encoding'), null)
    assert.equal((await plain.arrayBuffer()).byteLength, Number(plain.headers.get('content-length')))
  }
})

test('a document with a matching ETag answers 304', async () => {
  const paths = ['/openapi.json', '/docs/', '/docs/specification', '/docs/errors/TOKEN_INVALID']
  for (const path of [...paths, '/docs/js/scalar.js']) {
    const first = await fetch(url + path)
    const bytes = (await first.arrayBuffer()).byteLength
    const etag = first.headers.get('etag') ?? ''
    assert.equal(Number(first.headers.get('content-length')), bytes, path)
    const again = await fetch(url + path, { headers: { 'If-None-Match': etag } })
    assert.deepEqual([again.status, await again.text()], [304, ''], path)
    const headers = await fetch(url + path, { method: 'HEAD' })
    assert.equal(Number(headers.headers.get('content-length')), bytes, path)
  }
})
