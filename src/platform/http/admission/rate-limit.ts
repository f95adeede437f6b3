import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { ServiceError, unavailable } from '../../../kernel/errors.ts'
import { MAX_COUNTED_ACCOUNTS, RATE_WINDOW_MS, REMOTE_COUNT_TIMEOUT_MS } from '../limits.ts'
import type { TypedServer } from '../route.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null without a rate limit. */
    rate: Rate | null
  }
}

/** The rate limit for one request. */
export class Rate {
  readonly #counter: RateCounter
  readonly #account: string
  /** Items that were counted and not used yet. */
  #unused = 0
  #last: RateGrant = { granted: 0, left: 0, endsInMs: 0 }
  /** Time of `#last`, by performance.now(). */
  #lastAt = 0

  constructor(counter: RateCounter, account: string) {
    this.#counter = counter
    this.#account = account
  }

  /** Counts the request, which is also its first item. @throws RATE_LIMITED */
  async takeRequest(): Promise<void> {
    await this.reserve(1)
    if (this.#unused === 0) throw this.#refusal()
  }

  /** Counts the items, or as many as the rate limit has left. */
  async reserve(items: number): Promise<void> {
    const wanted = items - this.#unused
    if (wanted <= 0) return
    this.#last = await this.#counter.take(this.#account, wanted)
    this.#lastAt = performance.now()
    this.#unused += this.#last.granted
  }

  /** Uses one of the counted items. @throws RATE_LIMITED */
  takeItem(): void {
    if (this.#unused === 0) throw this.#refusal()
    this.#unused--
  }

  get headers(): Record<string, string> {
    return {
      'RateLimit-Limit': `${this.#counter.limit}`,
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
    const message = `More than ${this.#counter.limit} requests and items of batches a minute; try again in ${wait} seconds.`
    return new ServiceError('RATE_LIMITED', message, { headers: { 'Retry-After': `${wait}` } })
  }
}

/** By account: after the authentication, before the body is read. */
export function limitRate(api: TypedServer, counter: RateCounter): void {
  api.addHook('preParsing', async (request: FastifyRequest) => {
    request.rate = new Rate(counter, request.userId)
    await request.rate.takeRequest()
  })
  // By then the items of a batch are counted.
  api.addHook('onSend', async (request, reply) => {
    if (request.rate) reply.headers(request.rate.headers)
  })
}

/** Counts the requests and items of accounts in each minute. A request with several items counts once for each. */
export interface RateCounter {
  /** Limit of one account in a minute. */
  readonly limit: number
  /** @returns the granted items; a promise if another process counts */
  take(account: string, wanted: number): RateGrant | Promise<RateGrant>
}

export interface RateGrant {
  granted: number
  /** Items that the account has left in this minute. */
  left: number
  /** Milliseconds until the minute ends. */
  endsInMs: number
}

interface Minute {
  taken: number
  /** By performance.now(), in milliseconds. */
  endsAt: number
}

/** Counts in the memory of this process. The minute of an account begins with its first request after the previous minute. */
export class RateCounts implements RateCounter {
  readonly limit: number
  readonly #minutes = new LRUCache<string, Minute>({ max: MAX_COUNTED_ACCOUNTS })

  constructor(limit: number) {
    this.limit = limit
  }

  take(account: string, wanted: number): RateGrant {
    const now = performance.now()
    let minute = this.#minutes.get(account)
    if (!minute || minute.endsAt <= now) {
      minute = { taken: 0, endsAt: now + RATE_WINDOW_MS }
      this.#minutes.set(account, minute)
    }
    const granted = Math.min(wanted, this.limit - minute.taken)
    minute.taken += granted
    return { granted, left: this.limit - minute.taken, endsInMs: minute.endsAt - now }
  }
}

/** Null for 0, which means no limit. */
export const rateCounts = (requestsPerMinute: number): RateCounts | null =>
  requestsPerMinute > 0 ? new RateCounts(requestsPerMinute) : null

/** Requests and items of an account that are counted together. */
export interface RateRequest {
  account: string
  wanted: number
}

interface WaitingRequest extends RateRequest {
  resolve: (grant: RateGrant) => void
  reject: (error: Error) => void
}

/** Another process counts. The requests of one event loop tick are sent in one message. */
export class RemoteRateCounts implements RateCounter {
  readonly limit: number
  readonly #send: (messageId: number, requests: RateRequest[]) => void
  #next: WaitingRequest[] = []
  readonly #pending = new Map<number, { requests: WaitingRequest[]; timer: NodeJS.Timeout }>()
  #messages = 0

  /** @param send sends a message; the grants arrive at `grant`, in the order of the requests */
  constructor(limit: number, send: (messageId: number, requests: RateRequest[]) => void) {
    this.limit = limit
    this.#send = send
  }

  /** @throws UNAVAILABLE if the grants do not arrive in time */
  take(account: string, wanted: number): Promise<RateGrant> {
    if (this.#next.length === 0) setImmediate(() => this.#sendRequests())
    return new Promise((resolve, reject) => {
      this.#next.push({ account, wanted, resolve, reject })
    })
  }

  /** Receives the grants of a message. They are ignored after the timeout. */
  grant(messageId: number, grants: readonly RateGrant[]): void {
    const pending = this.#pending.get(messageId)
    if (!pending) return
    this.#pending.delete(messageId)
    clearTimeout(pending.timer)
    for (const [i, { resolve }] of pending.requests.entries()) resolve(grants[i] as RateGrant)
  }

  #sendRequests(): void {
    const requests = this.#next
    this.#next = []
    const messageId = this.#messages++
    const giveUp = () => {
      this.#pending.delete(messageId)
      for (const { reject } of requests) reject(unavailable('Requests of this account could not be counted.'))
    }
    this.#pending.set(messageId, { requests, timer: setTimeout(giveUp, REMOTE_COUNT_TIMEOUT_MS) })
    this.#send(
      messageId,
      requests.map(({ account, wanted }) => ({ account, wanted })),
    )
  }
}
