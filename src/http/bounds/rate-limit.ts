import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../errors.ts'
import type { TypedServer } from '../typed-server.ts'

const WINDOW_MS = 60_000
/** Accounts that are remembered; of more, the one that was quiet for longest begins anew. */
const MOST_ACCOUNTS = 10_000

declare module 'fastify' {
  interface FastifyRequest {
    /** Null if nothing is limited. */
    rate: Rate | null
  }
}

interface Account {
  taken: number
  /** By performance.now(), in milliseconds. */
  endsAt: number
}

/** What an account may do in a minute: each request counts one, and of several items in a request each. */
class RateLimit {
  readonly most: number
  readonly #accounts = new LRUCache<string, Account>({ max: MOST_ACCOUNTS })

  constructor(perMinute: number) {
    this.most = perMinute
  }

  /** Its minute begins with the first request after the last one's end. */
  accountOf(userId: string): Account {
    let account = this.#accounts.get(userId)
    if (!account || account.endsAt <= performance.now()) {
      account = { taken: 0, endsAt: performance.now() + WINDOW_MS }
      this.#accounts.set(userId, account)
    }
    return account
  }
}

/** The limit as one request meets it. */
class Rate {
  readonly #limit: RateLimit
  readonly #userId: string
  /** The first item is the request's own. */
  #isFirst = true

  constructor(limit: RateLimit, userId: string) {
    this.#limit = limit
    this.#userId = userId
  }

  /** @throws RATE_LIMITED */
  takeRequest(): void {
    const { most } = this.#limit
    const account = this.#limit.accountOf(this.#userId)
    if (account.taken >= most) {
      const wait = secondsLeft(account)
      const message = `More than ${most} requests and items of batches a minute; try again in ${wait} seconds.`
      throw new ServiceError('RATE_LIMITED', message, { headers: { 'Retry-After': `${wait}` } })
    }
    account.taken++
  }

  /** Of a batch or a line of it. @throws RATE_LIMITED */
  takeItem(): void {
    if (!this.#isFirst) this.takeRequest()
    this.#isFirst = false
  }

  get headers(): Record<string, string> {
    const account = this.#limit.accountOf(this.#userId)
    return {
      'RateLimit-Limit': `${this.#limit.most}`,
      'RateLimit-Remaining': `${this.#limit.most - account.taken}`,
      'RateLimit-Reset': `${secondsLeft(account)}`,
    }
  }
}

const secondsLeft = ({ endsAt }: Account): number =>
  Math.max(1, Math.ceil((endsAt - performance.now()) / 1_000))

/** Each server counts for itself, by account: after the token was checked, before the body is read. */
export function limitRate(api: TypedServer, perMinute: number): void {
  const limit = new RateLimit(perMinute)
  api.addHook('preParsing', async (request: FastifyRequest) => {
    request.rate = new Rate(limit, request.userId)
    request.rate.takeRequest()
  })
  // Once the items of a batch are counted.
  api.addHook('onSend', async (request, reply) => {
    if (request.rate) reply.headers(request.rate.headers)
  })
}
