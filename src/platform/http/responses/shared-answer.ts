import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Bytes that are handed to a connection at a time. */
export const CHUNK_BYTES = 64 * 1024

/** An answer that is all there, not made while it is sent. */
export type Whole = string | Buffer
export const isWhole = (answer: unknown): answer is Whole =>
  typeof answer === 'string' || Buffer.isBuffer(answer)

/** An answer that is the same for everyone: made once, its bytes are shared by all who read it, however slowly. */
export interface SharedAnswer {
  bytes: Buffer
  headers: Record<string, string>
}

export function shareAnswer(content: Whole, type: string, headers: Record<string, string> = {}) {
  const bytes = Buffer.from(content as string)
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  const own = { 'Content-Type': type, ETag: `"${digest}"`, 'Cache-Control': 'no-cache' }
  return { bytes, headers: { ...own, ...headers } } satisfies SharedAnswer
}

/** Sends it, or 304 to who has it already. */
export function sendShared(request: FastifyRequest, reply: FastifyReply, { bytes, headers }: SharedAnswer) {
  reply.headers(headers)
  if (headers.ETag !== undefined && `${request.headers['if-none-match'] ?? ''}`.includes(headers.ETag)) {
    return reply.code(304).send()
  }
  reply.header('Content-Length', bytes.length)
  return reply.send(bytes.length <= CHUNK_BYTES ? bytes : inChunks(bytes))
}

/** Handed on in pieces of one piece of memory, so that it shows whether an answer moves. */
export const inChunks = (bytes: Buffer): Readable => Readable.from(chunksOf(bytes), { objectMode: false })

/** Parts of the same memory. */
function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES)
}
