import assert from 'node:assert/strict'
import type { Answer, ApiClient } from './api-client.ts'

const JSON_TYPE = { 'Content-Type': 'application/json' }

/**
 * Sends items, each given as JSON text, to a batch endpoint such as `/v1/events/batch`, and gives the results.
 * The list is named by the endpoint's resource.
 */
export async function runBatchOfTexts(
  api: ApiClient,
  path: string,
  items: readonly string[],
  headers: Record<string, string> = {},
): Promise<Answer['body'][]> {
  const list = path.split('/')[2]
  const { status, body } = await api.send('POST', path, `{"${list}":[${items.join(',')}]}`, {
    ...JSON_TYPE,
    ...headers,
  })
  assert.equal(status, 200, JSON.stringify(body)?.slice(0, 500))
  assert.equal(body.results.length, items.length)
  return body.results
}

export function runBatch(
  api: ApiClient,
  path: string,
  items: readonly unknown[],
  headers: Record<string, string> = {},
): Promise<Answer['body'][]> {
  const texts = items.map((item) => JSON.stringify(item))
  return runBatchOfTexts(api, path, texts, headers)
}

/** A result that is an error, as the answer of the single form would be: without the request's own id. */
export function asSingle({ status, error }: Answer['body']): { status: number; error: object } {
  const { request_id, ...rest } = error ?? {}
  assert.match(`${request_id}`, /^req_/)
  assert.equal(status, rest.status)
  return { status, error: rest }
}

/** The error of the single form's answer, to be compared with `asSingle`. */
export const errorOf = ({ status, body }: Answer) => asSingle({ status, ...body })
