import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type {
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  onSendHookHandler,
  preValidationHookHandler,
} from 'fastify'
import { owned } from '../owned-promise.ts'
import { AnswerSeats, DeedSeats } from './answer-seats.ts'
import { isLines } from './body-budget.ts'
import type { Seat } from './seats.ts'
import { CHUNK_BYTES, chunksOf, inChunks } from './shared-answer.ts'
import { breakOff, whileThere } from './while-there.ts'
import { LIGHT } from './work-memory.ts'

/** Characters that are handed to a connection in one go, where all are there: they move within the patience for answers. */
const AT_ONCE = 4 * CHUNK_BYTES

type Pieces = AsyncGenerator<string, undefined>

/** Of all answers of this process that only read. */
const seats = new AnswerSeats()
/** Of those to requests that did something. */
const seatsOfDeeds = new DeedSeats()

/**
 * Sends text that is made piece by piece, as fast as the caller reads it. What fits into a few chunks is sent whole;
 * until then a failure is answered as an error. Later it breaks the connection, so that no part is taken for the whole.
 */
export async function sendPieces(reply: FastifyReply, pieces: Pieces): Promise<FastifyReply> {
  let begun = ''
  let isWhole = false
  while (!isWhole && begun.length <= AT_ONCE) {
    const { done, value } = await pieces.next()
    if (done) isWhole = true
    else begun += value
  }
  // The hook of all answers looks after those that are large.
  if (isWhole) return reply.send(begun)
  // Of what nobody reads the framework would read all: after the answer, without a seat.
  if (reply.request.method === 'HEAD') {
    await pieces.return(undefined)
    return reply.send(Readable.from([]))
  }
  await takeSeat(reply)
  if (reply.raw.destroyed) {
    await pieces.return(undefined)
    return reply.send('')
  }
  return reply.send(Readable.from(toChunks(reply, begun, gather(pieces))))
}

/**
 * The hooks of a batch. It waits while many of the account are in work or not read yet: before its body is read, unless
 * that takes no memory to speak of, and may be long on its way. What is not large is told at once; lines are told as they
 * come.
 * @throws UNAVAILABLE
 */
export const inTurnToTell: {
  onRequest: onRequestHookHandler
  preValidation: preValidationHookHandler
  onSend: onSendHookHandler
} = {
  onRequest: (request, reply, done) => {
    if (isLines(request.headers['content-type']) || isLight(request)) done()
    else takeTurn(request, reply, done)
  },
  preValidation: (request, reply, done) => {
    if (isLines(request.headers['content-type']) || !isLight(request)) done()
    else takeTurn(request, reply, done)
  },
  onSend: (request, _reply, payload, done) => {
    request.turn?.giveBack()
    done(null, payload)
  },
}

const isLight = ({ headers }: FastifyRequest): boolean =>
  Number(headers['content-length'] ?? Infinity) <= LIGHT

function takeTurn(request: FastifyRequest, { raw }: FastifyReply, done: (error?: Error) => void): void {
  const begin = (seat: Seat) => {
    request.turn = seat
    // Whatever becomes of the body: of some that break off nothing is heard any more.
    raw.once('close', seat.giveBack)
    done()
  }
  const seat = raw.destroyed ? null : seatsOfDeeds.takeAtOnce(request.userId, 1)
  if (seat) begin(seat)
  else {
    const turn = whileThere(raw, (gone) => seatsOfDeeds.take(request.userId, 1, gone))
    void owned(turn.then(begin, done))
  }
}

/** An answer that was made in one piece, and is too large to be kept by any number of callers who do not read it. */
export async function inPieces(reply: FastifyReply, text: string): Promise<Readable | string> {
  await takeSeat(reply)
  if (text.length <= AT_ONCE || reply.raw.destroyed) return text
  const bytes = Buffer.from(text)
  reply.header('Content-Length', bytes.length)
  return inChunks(bytes)
}

export const isLarge = (text: unknown): text is string =>
  typeof text === 'string' && text.length > CHUNK_BYTES

/**
 * Gives the seat back when the connection is done with the answer, whatever became of it. A slow one is broken off when
 * others wait for its seat.
 */
async function takeSeat(reply: FastifyReply): Promise<void> {
  const { request, raw } = reply
  const seat = await seatFor(reply)
  request.turn = null
  if (raw.destroyed) return seat.giveBack()
  raw.once('close', seat.giveBack)
  seat.stay(() => breakOff(raw))
}

/** What was done must be told. */
const seatFor = async ({ request: { method, userId, turn }, raw }: FastifyReply): Promise<Seat> =>
  method === 'GET'
    ? await whileThere(raw, (gone) => seats.take(userId, 1, gone))
    : (turn ?? seatsOfDeeds.takeAnyway(userId))

/** A failure resets the connection: who speaks HTTP/1.0 would take its mere end for that of the answer. */
async function* toChunks({ raw }: FastifyReply, begun: string, rest: Pieces): AsyncGenerator<Buffer> {
  try {
    yield* chunksOf(Buffer.from(begun))
    for await (const text of rest) yield* chunksOf(Buffer.from(text))
  } catch (error) {
    raw.socket?.resetAndDestroy()
    throw error
  } finally {
    await rest.return(undefined)
  }
}

/** Pieces gathered to the size of a chunk and more. Between two of them others get their turn. */
async function* gather(pieces: Pieces): Pieces {
  let gathered = ''
  for await (const piece of pieces) {
    gathered += piece
    if (gathered.length < CHUNK_BYTES) continue
    yield gathered
    gathered = ''
    await nextTurn()
  }
  if (gathered !== '') yield gathered
}
