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

/** Reads notifications page by page to the end. Returns them and the last cursor. */
export async function readFeed(api: ApiClient, query: Record<string, string | number> = {}) {
  const data: Answer['body'][] = []
  for (let page = query; ; ) {
    const { status, body } = await readPage(api, '/v1/notifications', page)
    assert.equal(status, 200, JSON.stringify(body))
    data.push(...body.data)
    const cursor: string = body.next_cursor
    if (!body.has_more) return { data, cursor }
    page = { ...query, after: cursor }
  }
}
