import assert from 'node:assert/strict'
import type { Answer, ApiClient } from './api-client.ts'

const JSON_TYPE = { 'Content-Type': 'application/json' }

/**
 * Sends items, given as JSON text, to a batch endpoint such as `/v1/events/batch`. Returns the results. The list has
 * the name of the endpoint's resource.
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

/** The error of a result in the form of the single operation: without the request id. */
export function asSingle({ status, error }: Answer['body']): { status: number; error: object } {
  const { request_id, ...rest } = error ?? {}
  assert.match(`${request_id}`, /^req_/)
  assert.equal(status, rest.status)
  return { status, error: rest }
}

/** The error of the single operation's response, to compare with `asSingle`. */
export const errorOf = ({ status, body }: Answer) => asSingle({ status, ...body })
