import assert from 'node:assert/strict'
import type { Answer } from './api-client.ts'
import { ERRORS, type ErrorCode } from './source/errors.ts'

/** The response is this error, in the form of every error (§7). `path`: a detail has this path. */
export function assertError(answer: Answer, status: number, code: ErrorCode, path?: string): void {
  const { error } = answer.body ?? {}
  const said = `${answer.status} ${JSON.stringify(answer.body)?.slice(0, 500)}`
  assert.ok(error, `expected ${status} ${code}, got ${said}`)
  assert.deepEqual([answer.status, error.status, error.code], [status, status, code], said)
  assert.equal(error.type, ERRORS[code].type)
  assert.deepEqual(Object.keys(answer.body), ['error'])
  const keys = ['type', 'code', 'message', 'status', 'doc_url', 'request_id']
  assert.deepEqual(Object.keys(error), 'details' in error ? [...keys, 'details'] : keys)
  assert.ok(typeof error.message === 'string' && error.message.length > 0)
  assert.equal(error.request_id, answer.headers.get('x-request-id'))
  assert.ok(error.doc_url.endsWith(`/docs/errors/${code}`), error.doc_url)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
  if (path !== undefined) {
    const paths = (error.details ?? []).map((detail: { path: string }) => detail.path)
    assert.ok(paths.includes(path), `no detail at ${path}: ${said}`)
  }
}

/** The response is 503 UNAVAILABLE with Retry-After. */
export function assertUnavailable(answer: Answer): void {
  assertError(answer, 503, 'UNAVAILABLE')
  assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
}
