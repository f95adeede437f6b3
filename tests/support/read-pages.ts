import assert from 'node:assert/strict'
import type { Answer, ApiClient } from './api-client.ts'

/** Follows next_cursor from the first page to the last. */
export async function readPages(
  api: ApiClient,
  path: string,
  query: Record<string, string | number> = {},
): Promise<Answer['body'][][]> {
  const pages: Answer['body'][][] = []
  let after: string | null = null
  do {
    const { status, body } = await readPage(api, path, after === null ? query : { ...query, after })
    assert.equal(status, 200, JSON.stringify(body))
    pages.push(body.data)
    after = body.next_cursor
  } while (after !== null)
  return pages
}

export function readPage(
  api: ApiClient,
  path: string,
  query: Record<string, string | number> = {},
): Promise<Answer> {
  const parameters = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return api.get(`${path}?${parameters.join('&')}`)
}
