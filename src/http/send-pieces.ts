import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { AnswerSeats } from './answer-seats.ts'
import { CHUNK_BYTES, chunksOf, inChunks } from './shared-answer.ts'

/** What is handed to a connection in one go, where all of it is there: it moves within the patience for answers. */
const CHUNKS_AT_ONCE = 4

/** Of all answers of this process. */
const seats = new AnswerSeats()

/**
 * Sends text that is made piece by piece, as fast as the caller reads it. What fits into a few chunks is sent whole;
 * until then a failure is answered as an error. Later it breaks the connection, so that no part is taken for the whole.
 */
export async function sendPieces(reply: FastifyReply, pieces: AsyncIterable<string>): Promise<FastifyReply> {
  const chunks = gatherChunks(pieces)
  const begun: Buffer[] = []
  let isWhole = false
  while (!isWhole && begun.length <= CHUNKS_AT_ONCE) {
    const { done, value } = await chunks.next()
    if (done) isWhole = true
    else begun.push(value)
  }
  // Of what nobody reads the framework would read all: after the answer, without a seat.
  if (!isWhole && reply.request.method === 'HEAD') {
    await chunks.return(undefined)
    return reply.send(Readable.from([]))
  }
  if (begun.length > 1) await takeSeat(reply)
  return reply.send(isWhole ? Buffer.concat(begun) : Readable.from(join(reply, begun, chunks)))
}

/** An answer that was made in one piece, and is too large to be kept by any number of callers who do not read it. */
export async function inPieces(reply: FastifyReply, text: string): Promise<Readable | string> {
  await takeSeat(reply)
  if (text.length <= CHUNKS_AT_ONCE * CHUNK_BYTES) return text
  const bytes = Buffer.from(text)
  reply.header('Content-Length', bytes.length)
  return inChunks(bytes)
}

export const isLarge = (text: unknown): text is string =>
  typeof text === 'string' && text.length > CHUNK_BYTES

/** Gives the seat back when the connection is done with the answer, whatever became of it. */
async function takeSeat({ request, raw }: FastifyReply): Promise<void> {
  // What was done must be told.
  const giveBack =
    request.method === 'GET' ? await seats.take(request.userId) : seats.takeAnyway(request.userId)
  if (raw.destroyed) giveBack()
  else raw.once('close', giveBack)
}

/** A failure resets the connection: who speaks HTTP/1.0 would take its mere end for that of the answer. */
async function* join(
  { raw }: FastifyReply,
  begun: readonly Buffer[],
  rest: AsyncGenerator<Buffer, undefined>,
): AsyncGenerator<Buffer> {
  try {
    yield* begun
    yield* rest
  } catch (error) {
    raw.socket?.resetAndDestroy()
    throw error
  } finally {
    await rest.return(undefined)
  }
}

/** Pieces gathered and cut to chunks. Between two of them others get their turn. */
async function* gatherChunks(pieces: AsyncIterable<string>): AsyncGenerator<Buffer, undefined> {
  let gathered: string[] = []
  let length = 0
  for await (const piece of pieces) {
    gathered.push(piece)
    length += piece.length
    if (length < CHUNK_BYTES) continue
    const bytes = Buffer.from(gathered.join(''))
    gathered = []
    length = 0
    yield* chunksOf(bytes)
    await nextTurn()
  }
  if (length > 0) yield Buffer.from(gathered.join(''))
}
