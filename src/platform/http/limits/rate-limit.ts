import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../../kernel/errors.ts'
import type { TypedServer } from '../typed-server.ts'
import type { RateCounter, RateGrant } from './rate-counts.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null if nothing is limited. */
    rate: Rate | null
  }
}

/** The limit as one request meets it. */
export class Rate {
  readonly #counter: RateCounter
  readonly #account: string
  /** What was counted for it and is not used. */
  #unused = 0
  #last: RateGrant = { granted: 0, left: 0, endsInMs: 0 }
  /** When that was, by performance.now(). */
  #lastAt = 0

  constructor(counter: RateCounter, account: string) {
    this.#counter = counter
    this.#account = account
  }

  /** The request itself, which is also its first item. @throws RATE_LIMITED */
  async takeRequest(): Promise<void> {
    await this.reserve(1)
    if (this.#unused === 0) throw this.#refusal()
  }

  /** Counts so many items, or as many as there are left. */
  async reserve(items: number): Promise<void> {
    const wanted = items - this.#unused
    if (wanted <= 0) return
    this.#last = await this.#counter.take(this.#account, wanted)
    this.#lastAt = performance.now()
    this.#unused += this.#last.granted
  }

  /** One of those that were counted. @throws RATE_LIMITED */
  takeItem(): void {
    if (this.#unused === 0) throw this.#refusal()
    this.#unused--
  }

  get headers(): Record<string, string> {
    return {
      'RateLimit-Limit': `${this.#counter.most}`,
      'RateLimit-Remaining': `${this.#last.left}`,
      'RateLimit-Reset': `${this.#secondsLeft}`,
    }
  }

  get #secondsLeft(): number {
    const leftMs = this.#last.endsInMs - (performance.now() - this.#lastAt)
    return Math.max(1, Math.ceil(leftMs / 1_000))
  }

  #refusal(): ServiceError {
    const wait = this.#secondsLeft
    const message = `More than ${this.#counter.most} requests and items of batches a minute; try again in ${wait} seconds.`
    return new ServiceError('RATE_LIMITED', message, { headers: { 'Retry-After': `${wait}` } })
  }
}

/** By account: after the token was checked, before the body is read. */
export function limitRate(api: TypedServer, counter: RateCounter): void {
  api.addHook('preParsing', async (request: FastifyRequest) => {
    request.rate = new Rate(counter, request.userId)
    await request.rate.takeRequest()
  })
  // Once the items of a batch are counted.
  api.addHook('onSend', async (request, reply) => {
    if (request.rate) reply.headers(request.rate.headers)
  })
}
