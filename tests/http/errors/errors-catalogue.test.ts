import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { findTests } from '../../support/run-tests.ts'
import { sharedService } from '../../support/shared.ts'
import { ERRORS, type ErrorCode } from '../../support/source/errors.ts'
import { wholeOperations } from '../../support/whole-operations.ts'

/* The catalogue, the documentation and the tests hold together (§7). */

const service = await sharedService()
const { api } = service
const CODES = Object.keys(ERRORS) as ErrorCode[]
/** Of paths and methods that the document does not have, and of the session API. */
const OUTSIDE: readonly ErrorCode[] = [
  'ROUTE_NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'SIGN_IN_FAILED',
  'SIGN_UP_CLOSED',
  'ACCOUNT_EMAIL_CONFLICT',
]

interface Response {
  content?: Record<string, { examples?: Record<string, { value: { error: { status: number } } }> }>
}
interface Document {
  paths: Record<string, Record<string, { responses: Record<string, Response> }>>
}

test('the doc_url of each code leads to a page that says what to do (§7)', async () => {
  const { doc_url } = (await service.clientWith(null).get('/v1/claims')).body.error
  for (const code of CODES) {
    const page = await fetch(doc_url.replace('TOKEN_INVALID', code))
    const html = await page.text()
    assert.equal(page.status, 200, code)
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
    assert.match(html, new RegExp(`<h1>.*${code}.*</h1>`))
    assert.ok(html.includes(`HTTP ${ERRORS[code].status}`), code)
    assert.doesNotMatch(html, /(src|href)="(https?:)?\/\//)
  }
})

test('each code is in the OpenAPI document under its status only (§7)', async () => {
  const document: Document & { components: { schemas: { ErrorDetails: object } } } = wholeOperations(
    (await api.get('/openapi.json')).body,
  )
  const schema = JSON.stringify(document.components.schemas.ErrorDetails)
  const operations = Object.values(document.paths).flatMap(Object.values)
  for (const code of CODES) {
    assert.ok(schema.includes(`"${code}"`), code)
    if (OUTSIDE.includes(code)) continue
    const statuses = operations.flatMap((operation) => statusesOf(operation.responses, code))
    assert.deepEqual(new Set(statuses), new Set([String(ERRORS[code].status)]), code)
  }
})

test('each code is asserted by a fast test over HTTP', () => {
  const files = findTests(['tests/**/*.test.ts'], 'fast').filter((file) => !import.meta.url.endsWith(file))
  const texts = files.map((file) => readFileSync(file, 'utf8'))
  const missing = CODES.filter(
    (code) => !texts.some((text) => text.includes(`${ERRORS[code].status}, '${code}'`)),
  )
  assert.deepEqual(missing, [])
})

test('one page lists all codes with links to their pages', async () => {
  const page = await fetch(`${service.url}/docs/errors`)
  assert.equal(page.status, 200)
  const html = await page.text()
  for (const code of CODES) assert.ok(html.includes(`<a href="/docs/errors/${code}">${code}</a>`), code)
})

test('names of object prototypes are not codes', async () => {
  for (const name of ['constructor', '__proto__', 'toString', 'validation_error', '..%2F..%2Fpackage.json']) {
    assert.equal((await api.get(`/docs/errors/${name}`)).status, 404, name)
  }
})

/** The statuses under which an operation names the code. */
function statusesOf(responses: Record<string, Response>, code: string): string[] {
  return Object.entries(responses)
    .filter(([, response]) => code in (response.content?.['application/json']?.examples ?? {}))
    .map(([status]) => status)
}
