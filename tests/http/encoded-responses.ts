import { randomBytes } from 'node:crypto'
import {
  type ClientRequest,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { ApiClient } from '../support/api-client.ts'

/* Responses with their content coding, for tests of compression. */

/** Decoders by content coding. */
const DECODE: Record<string, (bytes: Buffer) => Buffer> = {
  zstd: zstdDecompressSync,
  br: brotliDecompressSync,
  gzip: gunzipSync,
  identity: (bytes) => bytes,
}

interface Received {
  status: number | undefined
  headers: IncomingHttpHeaders
  encoding: string
  size: number
  text: string
}

/** Sends a request and resolves with the head of the response. The body is not decoded. */
export function startRequest(
  account: ApiClient,
  path: string,
  headers: Record<string, string> = {},
  { method = 'GET', body = '' } = {},
): Promise<{ request: ClientRequest; answer: IncomingMessage }> {
  const { promise, resolve, reject } = Promise.withResolvers<{
    request: ClientRequest
    answer: IncomingMessage
  }>()
  const type = body ? { 'Content-Type': 'application/json' } : {}
  const request = httpRequest(account.url + path, {
    method,
    headers: { Authorization: `Bearer ${account.token}`, ...type, ...headers },
  })
  request.on('error', reject).on('response', (answer) => resolve({ request, answer }))
  request.end(body)
  return promise
}

export async function receive(...args: Parameters<typeof startRequest>): Promise<Received> {
  const { answer } = await startRequest(...args)
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  const encoding = answer.headers['content-encoding'] ?? 'identity'
  const text = bytes.length > 0 ? (DECODE[encoding] as (typeof DECODE)[string])(bytes).toString() : ''
  return { status: answer.statusCode, headers: answer.headers, encoding, size: bytes.length, text }
}

export const accept = (encodings: string) => ({ 'Accept-Encoding': encodings })
/** Random text, which does not compress well. */
export const longText = (bytes: number) => randomBytes(bytes).toString('base64')
