import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError, unavailable } from '../../../kernel/errors.ts'
import { runCooperatively, runSync } from '../../concurrency/cooperative.ts'
import { FairSemaphore, type Permit } from '../../concurrency/fair-semaphore.ts'
import {
  ACQUIRE_TIMEOUT_MS,
  LIST_ITEMS_BYTES,
  LIST_TEXT_FACTOR,
  MAX_BODY_BYTES_IN_PROGRESS,
  MAX_CHARACTERS_PER_SCAN,
  MAX_LARGE_BYTES,
  MAX_LARGE_BYTES_PER_ACCOUNT,
  MAX_QUEUED,
  MAX_QUEUED_FOR_MEMORY_PER_ACCOUNT,
  MAX_REGULAR_BYTES,
  MAX_REGULAR_BYTES_PER_ACCOUNT,
  MAX_REGULAR_VALUE_BYTES,
  MAX_RESULT_BYTES,
  MAX_UNCOUNTED_BODY_BYTES,
  MAX_UNESTIMATED_BYTES,
  STREAM_BYTES,
} from '../limits.ts'
import { bodyTooLarge } from '../responses/error-response.ts'
import { NDJSON_TYPES } from '../responses/responses.ts'
import type { TypedServer } from '../route.ts'
import { resetConnection, whileConnected } from './while-connected.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null if the account is not known: such bodies are small. */
    memory: RequestMemory | null
  }
}

const tooManyLargeRequests = () => unavailable('Too many large requests are in progress.')

const queue = {
  maxQueued: MAX_QUEUED,
  maxQueuedPerKey: MAX_QUEUED_FOR_MEMORY_PER_ACCOUNT,
  timeoutMs: ACQUIRE_TIMEOUT_MS,
  createError: tooManyLargeRequests,
}

/**
 * Limits the memory of all requests of a server, by account.
 *
 * Why: a body is in memory for as long as its sender takes, its parsed values take up to 34 times its text, and its results stay
 * until the client has read them.
 * States of a request: its body arrives (bytes by Content-Length; preemptible), is parsed and worked on (estimated size of its
 * values; not preemptible), and is answered (the size of its results; preemptible).
 * Invariants: a body that does not fit is refused at once. A request waits for the memory of its values while it holds its body
 * alone. A request that holds values does not wait for more.
 * Limits: see `limits.ts`. Sizes of values are estimates.
 */
export class MemoryLimit {
  readonly bodies = new FairSemaphore({
    max: MAX_BODY_BYTES_IN_PROGRESS,
    leavesAsManyFree: true,
    createError: () => unavailable('Too many large bodies are in progress.'),
  })
  readonly #regular = new FairSemaphore({
    ...queue,
    max: MAX_REGULAR_BYTES,
    maxPerKey: MAX_REGULAR_BYTES_PER_ACCOUNT,
  })
  readonly #large = new FairSemaphore({
    ...queue,
    max: MAX_LARGE_BYTES,
    maxPerKey: MAX_LARGE_BYTES_PER_ACCOUNT,
  })
  readonly results = new FairSemaphore({
    max: Number.POSITIVE_INFINITY,
    maxPreemptible: MAX_RESULT_BYTES,
    createError: tooManyLargeRequests,
  })

  /** For requests whose account is known. */
  addTo(api: TypedServer): void {
    api.addHook('preParsing', async (request, reply) => {
      request.memory = new RequestMemory(this, reply)
      await request.memory.acquireBody()
    })
    api.addHook('onSend', (request, _reply, payload, done) => {
      request.memory?.beginResponse(payload instanceof Readable)
      done(null, payload)
    })
  }

  valuesOf(bytes: number): FairSemaphore {
    return bytes > MAX_REGULAR_VALUE_BYTES ? this.#large : this.#regular
  }
}

/** What one request holds of the memory. */
class RequestMemory {
  readonly #limit: MemoryLimit
  readonly #reply: FastifyReply
  readonly #response: ServerResponse
  readonly #account: string
  #body: Permit | null = null
  #results: Permit | null = null
  #bodyBytes = 0
  readonly #values: { semaphore: FairSemaphore; permit: Permit }[] = []

  constructor(limit: MemoryLimit, reply: FastifyReply) {
    this.#limit = limit
    this.#reply = reply
    this.#response = reply.raw
    this.#account = reply.request.userId
  }

  /** Before the body is read. @throws PAYLOAD_TOO_LARGE or UNAVAILABLE */
  async acquireBody(): Promise<void> {
    const { headers, routeOptions } = this.#reply.request
    if (isLines(headers['content-type'])) return this.#holdBody(STREAM_BYTES)
    const bytes = Number(headers['content-length'] ?? 0)
    if (bytes > routeOptions.bodyLimit) throw bodyTooLarge(routeOptions.bodyLimit)
    if (bytes > MAX_UNCOUNTED_BODY_BYTES) await this.#holdBody(bytes)
  }

  /** A body without Content-Length has become long: it counts as the longest until its length is known. @throws UNAVAILABLE */
  async acquireBodyOfUnknownLength(): Promise<void> {
    await this.#holdBody(this.#reply.request.routeOptions.bodyLimit)
  }

  async #holdBody(bytes: number): Promise<void> {
    this.#body = await this.#limit.bodies.acquire(this.#account, bytes)
    this.#body.makePreemptible(this.#reset)
    if (this.#response.destroyed) this.#body.release()
    else this.#releaseAtClose()
  }

  #releaseAtClose(): void {
    this.#response.once('close', () => {
      this.#body?.release()
      this.#results?.release()
    })
  }

  readonly #reset = () => resetConnection(this.#response)

  /** The body has arrived. */
  endBody(bytes: number): void {
    this.#bodyBytes = bytes
    if (this.#body === null) return
    if (this.#body.weight === bytes) this.#body.preventPreemption()
    else {
      this.#body.release()
      this.#body = this.#limit.bodies.forceAcquire(this.#account, bytes)
    }
  }

  /**
   * For the values of the body, before it is parsed.
   * @param isStreamed its items are parsed one after the other
   * @throws UNAVAILABLE if there is no room in time; CallerDisconnected
   */
  async acquireValues(body: Buffer, isStreamed: boolean): Promise<void> {
    if (body.length <= MAX_UNESTIMATED_BYTES) return
    const max = isStreamed ? LIST_TEXT_FACTOR * body.length + LIST_ITEMS_BYTES : MAX_LARGE_BYTES_PER_ACCOUNT
    const estimate = await runCooperatively(estimateSize(body))
    const bytes = Math.min(estimate, max, MAX_LARGE_BYTES_PER_ACCOUNT)
    const semaphore = this.#limit.valuesOf(bytes)
    const { stopSignal } = this.#reply.server
    const permit = await whileConnected(this.#response, stopSignal, (signal) =>
      semaphore.acquire(this.#account, bytes, { signal }),
    )
    this.#values.push({ semaphore, permit })
  }

  /**
   * For the values of JSON that is not in the body.
   * @throws UNAVAILABLE if no memory is free: a request that holds values must not wait for more. PAYLOAD_TOO_LARGE
   *   if the values do not fit together with the other values of the request
   */
  async acquireMore(json: string): Promise<void> {
    if (json.length <= MAX_UNESTIMATED_BYTES) return
    const bytes = await runCooperatively(estimateSize(Buffer.from(json)))
    const semaphore = this.#limit.valuesOf(bytes)
    const permit = semaphore.tryAcquire(this.#account, bytes, true)
    if (permit) this.#values.push({ semaphore, permit })
    else if (semaphore.isPossible(this.#held(semaphore) + bytes)) throw tooManyLargeRequests()
    else throw tooLarge()
  }

  #held(semaphore: FairSemaphore): number {
    return this.#values.reduce((sum, one) => (one.semaphore === semaphore ? sum + one.permit.weight : sum), 0)
  }

  /** The work is done. A streamed response is still made of the results. */
  beginResponse(isStream: boolean): void {
    this.#body?.makePreemptible(this.#reset)
    if (this.#values.length === 0) return
    const bytes = this.#resultBytes()
    for (const { permit } of this.#values.splice(0)) permit.release()
    if (!isStream || this.#response.destroyed) return
    this.#results = this.#limit.results.forceAcquire(this.#account, bytes)
    this.#results.makePreemptible(this.#reset)
    if (this.#body === null) this.#releaseAtClose()
  }

  /** Estimated as the size of the values, without the parsed items of a long list. */
  #resultBytes(): number {
    const [body = 0, ...more] = this.#values.map(({ permit }) => permit.weight)
    const bodyBytes =
      this.#bodyBytes > MAX_REGULAR_VALUE_BYTES ? Math.min(body, LIST_TEXT_FACTOR * this.#bodyBytes) : body
    return more.reduce((sum, bytes) => sum + bytes, bodyBytes)
  }
}

const tooLarge = () =>
  new ServiceError(
    'PAYLOAD_TOO_LARGE',
    'The contracts of the schemas up to this one take more memory than a request may have; send it with another batch.',
  )

/** For use cases that read JSON which may be large. */
export const memoryOf =
  ({ memory }: FastifyRequest): ((json: string) => Promise<void>) =>
  async (json) =>
    memory?.acquireMore(json)

/** Reads the header as Fastify does. */
const isLines = (type = ''): boolean =>
  type !== 'application/json' &&
  (NDJSON_TYPES as readonly string[]).includes((type.split(';', 1)[0] as string).trim().toLowerCase())

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const OPEN_OBJECT = 0x7b

/** Bytes that V8 takes in addition to the text. The worst case is an empty object: 64 bytes for three. */
const CONTAINER_BYTES = 64
const FIELD_BYTES = 48
const ITEM_BYTES = 16

/** Estimates the bytes of the JSON's values in memory. Usual bodies take 3 to 6 times their text. */
function* estimateSize(json: Uint8Array): Generator<void, number> {
  let size = json.length
  let isInString = false
  for (let i = 0, next = MAX_CHARACTERS_PER_SCAN; i < json.length; i++) {
    if (i >= next) {
      next += MAX_CHARACTERS_PER_SCAN
      yield
    }
    const code = json[i]
    if (isInString) {
      if (code === QUOTE) isInString = false
      else if (code === BACKSLASH) i++
    } else if (code === QUOTE) isInString = true
    else if (code === COMMA) size += ITEM_BYTES
    else if (code === COLON) size += FIELD_BYTES
    else if (code === OPEN_OBJECT || code === OPEN_LIST) size += CONTAINER_BYTES
  }
  return size
}

/** In one step, for short JSON. */
export const estimatedSize = (json: string): number => runSync(estimateSize(Buffer.from(json)))
