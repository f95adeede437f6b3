import type {
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  onSendHookHandler,
  preValidationHookHandler,
} from 'fastify'
import { withRejectionHandler } from '../../../kernel/promises.ts'
import { type Seat, Seats } from '../../concurrency/seats.ts'
import { isLines } from './body-budget.ts'
import { breakOff, whileThere } from './while-there.ts'
import { LIGHT } from './work-memory.ts'

/** For who has done nothing yet and holds little. */
const LONG_LINE = { mostWaiting: 1_000, mostWaitingOfOne: 500, patienceMs: 10_000 }

/**
 * Answers that do not fit into one piece take a seat while they are sent, so that all of them together have a bound
 * in memory, however many are asked for and however slowly they are read: each holds up to a megabyte. An account has
 * a third of the seats at most.
 */
export class AnswerSeats extends Seats {
  constructor() {
    super({
      most: 64,
      mostOfOne: 20,
      mostWaiting: 64,
      mostWaitingOfOne: 20,
      patienceMs: 10_000,
      refusal: 'Too many large answers are being sent.',
    })
  }
}

/**
 * Of batches that do something, from before their body is read: of one account no more are begun than may wait to be
 * read, since what was done must be told. Those in work keep out nobody else.
 */
export class DeedSeats extends Seats {
  constructor() {
    super({
      most: Number.POSITIVE_INFINITY,
      mostOfOne: 64,
      mostStaying: 64,
      ...LONG_LINE,
      refusal: 'Too many batches are in work, or their answers are not read.',
    })
  }
}

/** Of all answers of this process that only read. */
const seats = new AnswerSeats()
/** Of those to requests that did something. */
const seatsOfDeeds = new DeedSeats()
/** Of simulations, which hold all of their events while they are told. More at a time would not be faster. */
const seatsOfSimulations = new Seats({
  most: 16,
  mostOfOne: 4,
  ...LONG_LINE,
  refusal: 'Too many simulations are in work, or their answers are not read.',
})

/** Of simulations whose bodies are on their way, or that wait for a turn with them: they keep out their own account alone. */
const seatsOfSimulationsToCome = new Seats({
  most: Number.POSITIVE_INFINITY,
  mostOfOne: 8,
  ...LONG_LINE,
  refusal: 'Too many large simulations are on their way.',
})

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a batch or a simulation, to do what it asks and to tell what came of it. */
    turn: Seat | null
    /** For who comes in turn once the body has been read. */
    awaitTurn: (() => Promise<void>) | null
  }
}

interface InTurn {
  onRequest: onRequestHookHandler
  preValidation: preValidationHookHandler
  onSend: onSendHookHandler
}

/** What is not large is told at once. */
const giveTurnBack: onSendHookHandler = (request, _reply, payload, done) => {
  request.turn?.giveBack()
  done(null, payload)
}

/**
 * The hooks of batches, which wait while many of the account are in work or not read yet: before the body is read, unless
 * that takes no memory to speak of, and may be long on its way. Lines are told as they come.
 * @throws UNAVAILABLE
 */
export const inTurnToTell: InTurn = {
  onRequest: (request, reply, done) => {
    if (isLight(request) || hasLines(request)) done()
    else takeTurn(seatsOfDeeds, request, reply, done)
  },
  preValidation: (request, reply, done) => {
    if (isLight(request) && !hasLines(request)) takeTurn(seatsOfDeeds, request, reply, done)
    else done()
  },
  onSend: giveTurnBack,
}

/**
 * The same of simulations: when the body has come, before it is parsed. There are few turns for all accounts together,
 * so none is held by who only says that a body is to come; of large bodies that do an account has few at once.
 * @throws UNAVAILABLE
 */
export const inTurnToSimulate: Pick<InTurn, 'onRequest' | 'onSend'> = {
  onRequest: (request, reply, done) => {
    request.awaitTurn = async () => {
      const coming = request.turn
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      takeTurn(seatsOfSimulations, request, reply, (error) => (error ? reject(error) : resolve()))
      await promise
      coming?.giveBack()
    }
    if (isLight(request)) done()
    else takeTurn(seatsOfSimulationsToCome, request, reply, done)
  },
  onSend: giveTurnBack,
}

const isLight = ({ headers }: FastifyRequest): boolean =>
  Number(headers['content-length'] ?? Infinity) <= LIGHT

const hasLines = ({ headers }: FastifyRequest): boolean => isLines(headers['content-type'])

function takeTurn(
  of: Seats,
  request: FastifyRequest,
  { raw }: FastifyReply,
  done: (error?: Error) => void,
): void {
  const begin = (seat: Seat) => {
    request.turn = seat
    // Whatever becomes of the body: of some that break off nothing is heard any more.
    raw.once('close', seat.giveBack)
    if (raw.destroyed) seat.giveBack()
    done()
  }
  const seat = raw.destroyed ? null : of.takeAtOnce(request.userId, 1)
  if (seat) begin(seat)
  else {
    const { userId, server } = request
    const turn = whileThere(raw, server.stops, (ended) => of.take(userId, 1, ended))
    void withRejectionHandler(turn.then(begin, done))
  }
}

/**
 * Gives the seat back when the connection is done with the answer, whatever became of it. A slow one is broken off when
 * others wait for its seat.
 */
export async function takeSeat(reply: FastifyReply): Promise<void> {
  const { request, raw } = reply
  const seat = request.turn ?? (await seatFor(reply))
  if (raw.destroyed) return seat.giveBack()
  // A turn comes back at the end of its answer as it is.
  if (seat !== request.turn) raw.once('close', seat.giveBack)
  request.turn = null
  seat.stay(() => breakOff(raw))
}

/** What was done must be told. */
const seatFor = async ({ request: { method, userId }, server, raw }: FastifyReply): Promise<Seat> =>
  method === 'GET'
    ? await whileThere(raw, server.stops, (ended) => seats.take(userId, 1, ended))
    : seatsOfDeeds.takeAnyway(userId)
