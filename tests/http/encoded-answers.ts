import { randomBytes } from 'node:crypto'
import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { ApiClient } from '../support/api-client.ts'

/* Answers as they come over the connection, for tests of their compression. */

/** For all kinds of answers, as bytes. */
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

/** Sends a request whose answer nobody decodes, and waits for its head. */
export function begin(
  account: ApiClient,
  path: string,
  headers: Record<string, string> = {},
  { method = 'GET', body = '' } = {},
): Promise<{ asked: ClientRequest; answer: IncomingMessage }> {
  const { promise, resolve, reject } = Promise.withResolvers<{
    asked: ClientRequest
    answer: IncomingMessage
  }>()
  const type = body ? { 'Content-Type': 'application/json' } : {}
  const asked = request(account.url + path, {
    method,
    headers: { Authorization: `Bearer ${account.token}`, ...type, ...headers },
  })
  asked.on('error', reject).on('response', (answer) => resolve({ asked, answer }))
  asked.end(body)
  return promise
}

export async function receive(...of: Parameters<typeof begin>): Promise<Received> {
  const { answer } = await begin(...of)
  const pieces: Buffer[] = []
  for await (const piece of answer) pieces.push(piece)
  const bytes = Buffer.concat(pieces)
  const encoding = answer.headers['content-encoding'] ?? 'identity'
  const text = bytes.length > 0 ? (DECODE[encoding] as (typeof DECODE)[string])(bytes).toString() : ''
  return { status: answer.statusCode, headers: answer.headers, encoding, size: bytes.length, text }
}

export const accept = (encodings: string) => ({ 'Accept-Encoding': encodings })
/** Of a kind that does not compress to nothing. */
export const longText = (bytes: number) => randomBytes(bytes).toString('base64')
