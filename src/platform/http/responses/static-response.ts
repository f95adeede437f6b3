import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { RESPONSE_CHUNK_BYTES } from '../limits.ts'

/** A response that is in memory as a whole. */
export type Whole = string | Buffer
export const isWhole = (response: unknown): response is Whole =>
  typeof response === 'string' || Buffer.isBuffer(response)

/** A response that is the same for all clients, which share its bytes. */
export interface StaticResponse {
  bytes: Buffer
  headers: Record<string, string>
}

export function createStaticResponse(content: Whole, type: string, headers: Record<string, string> = {}) {
  const bytes = Buffer.from(content as string)
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  const own = { 'Content-Type': type, ETag: `"${digest}"`, 'Cache-Control': 'no-cache' }
  return { bytes, headers: { ...own, ...headers } } satisfies StaticResponse
}

/** Answers 304 if the client has the response already. */
export function sendStatic(request: FastifyRequest, reply: FastifyReply, { bytes, headers }: StaticResponse) {
  reply.headers(headers)
  if (headers.ETag !== undefined && `${request.headers['if-none-match'] ?? ''}`.includes(headers.ETag)) {
    return reply.code(304).send()
  }
  reply.header('Content-Length', bytes.length)
  return reply.send(bytes.length <= RESPONSE_CHUNK_BYTES ? bytes : inChunks(bytes))
}

/** Slices of the same memory, so that the timeout of responses sees the progress of each. */
export const inChunks = (bytes: Buffer): Readable => Readable.from(chunksOf(bytes), { objectMode: false })

export function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += RESPONSE_CHUNK_BYTES)
    yield bytes.subarray(at, at + RESPONSE_CHUNK_BYTES)
}
