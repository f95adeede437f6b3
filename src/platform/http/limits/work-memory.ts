import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest, onSendHookHandler, preParsingHookHandler } from 'fastify'
import { ServiceError, unavailable } from '../../../kernel/errors.ts'
import { runCooperatively, runSync } from '../../concurrency/cooperative.ts'
import { type Seat, Seats } from '../../concurrency/seats.ts'
import { breakOff, whileThere } from './while-there.ts'

const MIB = 1024 * 1024
/** Bytes that what is parsed may take, of all requests in work and of those of one account. */
const MOST = 64 * MIB
const MOST_OF_ONE = 40 * MIB
/** Of those that take no more than this each: they do not wait for those that take more. */
const MEDIUM = MIB
const MOST_OF_MEDIUM = 32 * MIB
const MOST_OF_MEDIUM_OF_ONE = 16 * MIB
/** What is no larger is not weighed: a thousand of them may be in work. */
export const LIGHT = 8 * 1024
/** What is no larger may take its heaviest if there is room for it, so that it is weighed only in a crowd. */
const SHORT = 128 * 1024
/** Bytes that a byte of the text takes at most: an empty list has two. */
const HEAVIEST = 34
/** A list whose items are taken up one by one: its text and what is made of it, and the items at hand. */
const OF_A_BYTE = 3
const OF_ITEMS_AT_HAND = 16 * MIB
/** Bytes that results may take until they are told, of all requests: nobody waits for them. */
const MOST_TOLD = 96 * MIB

/**
 * What the values of requests may take of the memory: as objects they are up to thirty times their text. Who finds no
 * room waits, with nothing but the bytes of the body.
 */
export class WorkMemory {
  readonly #told = new Seats({
    ...seatsSettings(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY),
    mostStaying: MOST_TOLD,
  })
  readonly #medium = new Seats(seatsSettings(MOST_OF_MEDIUM, MOST_OF_MEDIUM_OF_ONE))
  readonly #large = new Seats(seatsSettings(MOST, MOST_OF_ONE))

  /** The hook of every request whose account is known, before its body is read. */
  readonly begin: preParsingHookHandler = (request, reply, payload, done) => {
    request.memory = new RequestMemory(this.#seatsFor, this.#told, request.userId, reply)
    done(null, payload)
  }

  /** The hook of every answer: the work is done. What is not whole yet is made of what it left. */
  readonly end: onSendHookHandler = ({ memory }, _reply, payload, done) => {
    memory?.end(payload instanceof Readable)
    done(null, payload)
  }

  readonly #seatsFor = (weight: number): Seats => (weight > MEDIUM ? this.#large : this.#medium)
}

const seatsSettings = (most: number, mostOfOne: number) => ({
  most,
  mostOfOne,
  mostWaiting: 1_000,
  mostWaitingOfOne: 250,
  patienceMs: 10_000,
  refusal: 'Too many large requests are in work.',
})

interface Part {
  seats: Seats
  seat: Seat
}

/**
 * The part of one request. It is given back when the work is done. What is still to be told then counts by itself, and is
 * broken off if it is slow, and too much.
 */
export class RequestMemory {
  readonly #seatsFor: (weight: number) => Seats
  readonly #told: Seats
  readonly #account: string
  readonly #response: ServerResponse
  readonly #stops: AbortSignal
  /** The first is that of the body. */
  readonly #parts: Part[] = []
  #bodyBytes = 0
  /** The body, if it was not weighed: its part is the worst that it may take. */
  #unweighed: Buffer | null = null

  constructor(seatsFor: (weight: number) => Seats, told: Seats, account: string, reply: FastifyReply) {
    this.#seatsFor = seatsFor
    this.#told = told
    this.#account = account
    this.#response = reply.raw
    this.#stops = reply.server.stops
  }

  /**
   * For a body, before it is parsed.
   * @throws UNAVAILABLE if there is no room in time, or the caller has gone
   */
  async take(bytes: Buffer, isOneByOne: boolean): Promise<void> {
    this.#bodyBytes = bytes.length
    // While there is room for the worst of it, it need not be weighed.
    if (bytes.length <= SHORT) {
      const weight = HEAVIEST * bytes.length
      const seats = this.#seatsFor(weight)
      const seat = seats.takeAtOnce(this.#account, weight)
      if (seat) {
        this.#parts.push({ seats, seat })
        this.#unweighed = bytes
        return
      }
    }
    const most = isOneByOne ? OF_A_BYTE * bytes.length + OF_ITEMS_AT_HAND : MOST_OF_ONE
    const weight = Math.min(await runCooperatively(weighJson(bytes)), most, MOST_OF_ONE)
    const seats = this.#seatsFor(weight)
    const seat = await whileThere(this.#response, this.#stops, (ended) =>
      seats.take(this.#account, weight, ended),
    )
    this.#parts.push({ seats, seat })
  }

  /**
   * For JSON that is not of the body.
   * @throws UNAVAILABLE if there is no room: who has some must not wait for more; PAYLOAD_TOO_LARGE if there is
   * never enough, with what the request has already
   */
  async takeMore(json: string): Promise<void> {
    if (json.length <= LIGHT) return
    const weight = await runCooperatively(weighJson(Buffer.from(json)))
    const seats = this.#seatsFor(weight)
    const seat = seats.takeNow(this.#account, weight)
    if (seat) this.#parts.push({ seats, seat })
    else if (seats.mayEverGive(this.#weightIn(seats) + weight))
      throw unavailable('Too many large requests are in work.')
    else throw tooHeavy()
  }

  #weightIn(seats: Seats): number {
    return this.#parts.reduce((sum, part) => (part.seats === seats ? sum + part.seat.seats : sum), 0)
  }

  end(isAnswerComing: boolean): void {
    if (this.#parts.length === 0) return
    const isTold = isAnswerComing && !this.#response.destroyed
    const weight = isTold ? this.#weightOfResults() : 0
    this.#unweighed = null
    for (const { seat } of this.#parts.splice(0)) seat.giveBack()
    if (!isTold) return
    const seat = this.#told.takeAnyway(this.#account, weight)
    this.#response.once('close', seat.giveBack)
    seat.stay(() => breakOff(this.#response))
  }

  /** As much as the request took, but for the items at hand of a long list. */
  #weightOfResults(): number {
    const [body, ...more] = this.#parts.map(({ seat }) => seat.seats)
    const weighed = this.#unweighed ? runSync(weighJson(this.#unweighed)) : (body as number)
    const ofBody = this.#bodyBytes > MIB ? Math.min(weighed, OF_A_BYTE * this.#bodyBytes) : weighed
    return more.reduce((sum, weight) => sum + weight, ofBody)
  }
}

const tooHeavy = () =>
  new ServiceError(
    'PAYLOAD_TOO_LARGE',
    'The contracts of the schemas up to this one take more memory than a request may have; send it with another batch.',
  )

/** For use cases of which what they read may be large. */
export const takeMemoryFor =
  ({ memory }: FastifyRequest): ((json: string) => Promise<void>) =>
  async (json) =>
    memory?.takeMore(json)

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const OPEN_OBJECT = 0x7b

/** What V8 takes for them, beside the bytes of the text. An empty object is the worst: 64 bytes for three. */
const OF_A_LIST_OR_OBJECT = 64
const OF_A_FIELD = 48
const OF_AN_ITEM = 16

/** Bytes that are looked at in one step. */
const WEIGHED_PER_STEP_BYTES = 0x10000

/** About how many bytes the values in the JSON take as objects. Honest bodies come to 3 to 6 times their bytes. */
function* weighJson(json: Uint8Array): Generator<void, number> {
  let weight = json.length
  let isInString = false
  for (let i = 0, next = WEIGHED_PER_STEP_BYTES; i < json.length; i++) {
    if (i >= next) {
      next += WEIGHED_PER_STEP_BYTES
      yield
    }
    const code = json[i]
    if (isInString) {
      if (code === QUOTE) isInString = false
      else if (code === BACKSLASH) i++
    } else if (code === QUOTE) isInString = true
    else if (code === COMMA) weight += OF_AN_ITEM
    else if (code === COLON) weight += OF_A_FIELD
    else if (code === OPEN_OBJECT || code === OPEN_LIST) weight += OF_A_LIST_OR_OBJECT
  }
  return weight
}

/** The same at once, for what is short. */
export const weightOf = (json: string): number => runSync(weighJson(Buffer.from(json)))
