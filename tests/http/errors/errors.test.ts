import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertError } from '../../support/assert-error.ts'
import { head, sendRaw } from '../../support/raw-http.ts'
import { sharedService } from '../../support/shared.ts'

const service = await sharedService()
const { api } = service
const anonymous = service.clientWith(null)
const authorization = { Authorization: `Bearer ${api.token}` }

describe('404 ROUTE_NOT_FOUND', () => {
  const paths = [
    '/v1',
    '/v2/claims',
    '/v1/claim',
    '/V1/claims',
    '//v1/claims',
    '/v1/schemas/a/b',
    '/index.php',
  ]
  for (const path of [...paths, '/docs/errors/NO_SUCH_CODE']) {
    test(`${path} answers 404, with a token and without`, async () => {
      assertError(await api.get(path), 404, 'ROUTE_NOT_FOUND')
      assertError(await anonymous.get(path), 404, 'ROUTE_NOT_FOUND')
    })
  }

  test('OPTIONS * answers 404, and a path of 8 KiB too', async () => {
    assertError(await sendRaw(service.url, head('OPTIONS', '*', {})), 404, 'ROUTE_NOT_FOUND')
    const answer = await api.get(`/${'p'.repeat(8_000)}`)
    assertError(answer, 404, 'ROUTE_NOT_FOUND')
    assert.ok(answer.body.error.message.length < 1_000)
  })
})

describe('405 METHOD_NOT_ALLOWED', () => {
  const cases: [method: string, path: string, allow: string][] = [
    ['DELETE', '/v1/claims', 'GET, HEAD, POST'],
    ['PUT', '/v1/claims/01934f6e-7d3a-7c1e-9f52-3b8e6d1f0a42', 'GET, HEAD, PATCH'],
    ['DELETE', '/v1/candidates/an-alias%2Fwith-a-slash', 'GET, HEAD, PATCH'],
    ['GET', '/v1/events', 'POST'],
    ['GET', '/v1/claims/01934f6e-7d3a-7c1e-9f52-3b8e6d1f0a42/events', 'POST'],
    ['POST', '/v1/schemas/01934f6e-7d3a-7c1e-9f52-3b8e6d1f0a42', 'DELETE, GET, HEAD, PATCH'],
    ['OPTIONS', '/v1/customers', 'GET, HEAD, POST'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['DELETE', '/openapi.json', 'GET, HEAD'],
  ]
  for (const [method, path, allow] of cases) {
    test(`${method} ${path} answers 405 with Allow: ${allow}`, async () => {
      const answer = await api.send(method, `${path}?x=1`)
      assertError(answer, 405, 'METHOD_NOT_ALLOWED')
      assert.equal(answer.headers.get('allow'), allow)
      assertError(await anonymous.send(method, path), 405, 'METHOD_NOT_ALLOWED')
    })
  }

  for (const method of ['TRACE', 'PROPFIND', 'PURGE', 'QUERY']) {
    test(`the method ${method} answers 405 as well`, async () => {
      const answer = await sendRaw(service.url, head(method, '/v1/claims', authorization))
      assertError(answer, 405, 'METHOD_NOT_ALLOWED')
      assert.equal(answer.headers.get('allow'), 'GET, HEAD, POST')
    })
  }
})

describe('400: malformed percent-encoding', () => {
  const MALFORMED = ['%', '%zz', '%2', '%ff', '%ed%a0%80', '%c0%af']
  for (const malformed of MALFORMED) {
    test(`${malformed} in a path answers 400`, async () => {
      for (const path of ['/v1/claims/', '/v1/candidates/an-alias', '/v1/schemas/']) {
        assertError(await api.get(path + malformed), 400, 'VALIDATION_ERROR')
      }
    })
  }

  test('in a query it answers 400, not records of another name', async () => {
    for (const malformed of MALFORMED) {
      const answer = await api.get(`/v1/customers?external_id=a${malformed}`)
      assertError(answer, 400, 'VALIDATION_ERROR')
    }
  })

  test('in a health check it answers 400, which is documented', async () => {
    for (const path of ['/healthz?%ff', '/readyz?%ff']) {
      assertError(await api.get(path), 400, 'VALIDATION_ERROR')
    }
  })

  test('after a second question mark it answers 400', async () => {
    const answer = await api.get('/v1/customers?external_id=a?%ff')
    assertError(answer, 400, 'VALIDATION_ERROR')
  })
})

describe('every response', () => {
  test('has its own X-Request-Id, also without an error', async () => {
    const answers = [
      await api.get('/v1/claims'),
      await api.get('/v1/claims'),
      await api.get('/x'),
      await api.get('/x'),
    ]
    const ids = answers.map(({ headers }) => headers.get('x-request-id'))
    assert.equal(new Set(ids).size, 4)
    for (const id of ids) assert.match(id ?? '', /^req_[0-9a-f-]{36}$/)
  })

  test('ignores an X-Request-Id of the request that is too short', async () => {
    const { headers } = await api.get('/v1/claims', { 'X-Request-Id': 'mine', 'Request-Id': 'mine' })
    assert.notEqual(headers.get('x-request-id'), 'mine')
  })

  test('forbids caching and sniffing, also an error before routing', async () => {
    for (const path of ['/v1/claims', '/v1/claims/x', '/nowhere', '/v1/claims/%zz']) {
      const { headers } = await api.get(path)
      assert.equal(headers.get('cache-control'), 'no-store', path)
      assert.equal(headers.get('x-content-type-options'), 'nosniff', path)
    }
  })

  test('to an invalid body is not larger than the body', async () => {
    const answer = await api.post('/v1/customers', { external_id: 'x', ['k'.repeat(250_000)]: 1 })
    assertError(answer, 400, 'VALIDATION_ERROR')
    assert.ok(JSON.stringify(answer.body).length < 250_000, 'the answer repeats the key')
  })
})
