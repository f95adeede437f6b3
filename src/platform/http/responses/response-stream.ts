import { Readable } from 'node:stream'
import { setImmediate as nextTick } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { acquireResponsePermit } from '../admission/in-progress.ts'
import { resetConnection } from '../admission/while-connected.ts'
import { MAX_EMPTY_PIECES, MAX_UNSTREAMED_BYTES, RESPONSE_CHUNK_BYTES } from '../limits.ts'
import { chunksOf, inChunks, isWhole, type Whole } from './static-response.ts'

type Pieces = AsyncGenerator<string, undefined>

/**
 * Sends text that is made piece by piece, as fast as the client reads it. A short response is sent whole, and a failure until then is
 * answered as an error. A later failure resets the connection, so that the client cannot take a part for the whole.
 */
export async function sendStream(reply: FastifyReply, pieces: Pieces): Promise<FastifyReply> {
  let begun = ''
  let empty = 0
  for (;;) {
    const { done, value } = await pieces.next()
    // A hook of all responses streams a response that is long.
    if (done) return reply.send(Buffer.from(begun))
    begun += value
    empty = value === '' ? empty + 1 : 0
    if (begun.length > MAX_UNSTREAMED_BYTES || empty >= MAX_EMPTY_PIECES || reply.raw.destroyed) break
  }
  // The framework would read the whole stream of a HEAD request, after the response and without a permit.
  if (reply.request.method === 'HEAD') {
    await pieces.return(undefined)
    return reply.send(Readable.from([]))
  }
  try {
    await acquireResponsePermit(reply)
  } catch (error) {
    await pieces.return(undefined)
    throw error
  }
  if (reply.raw.destroyed) {
    await pieces.return(undefined)
    return reply.send('')
  }
  return reply.send(Readable.from(toChunks(reply, begun, pieces)))
}

/** Streams a response in memory if it is too long for the buffers of the connection. */
export async function streamLarge(reply: FastifyReply, response: Whole): Promise<Readable | Whole> {
  await acquireResponsePermit(reply)
  if (response.length <= MAX_UNSTREAMED_BYTES || reply.raw.destroyed) return response
  const bytes = typeof response === 'string' ? Buffer.from(response) : response
  reply.header('Content-Length', bytes.length)
  return inChunks(bytes)
}

/** Whether the response needs a permit. */
export const isLarge = (response: unknown): response is Whole =>
  isWhole(response) && response.length > RESPONSE_CHUNK_BYTES

async function* toChunks({ raw }: FastifyReply, begun: string, rest: Pieces): AsyncGenerator<Buffer> {
  try {
    yield* chunksOf(Buffer.from(begun))
    for await (const text of rest) {
      // Pieces without text write nothing, so the stream does not detect a closed connection.
      if (raw.destroyed) return
      for (const chunk of chunksOf(Buffer.from(text))) {
        yield chunk
        await nextTick()
      }
    }
  } catch (error) {
    resetConnection(raw)
    throw error
  } finally {
    await rest.return(undefined)
  }
}
