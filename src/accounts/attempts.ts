import { LRUCache } from 'lru-cache'
import { ServiceError } from '../kernel/errors.ts'
import type { Connection } from '../platform/database/connection.ts'
import { countAttempt, forgetAttempts } from './throttle-store.ts'

export interface AttemptRule {
  attempts: number
  windowSeconds: number
}

/** Of one address. */
export const SIGN_INS: AttemptRule = { attempts: 20, windowSeconds: 60 }
export const SIGN_UPS: AttemptRule = { attempts: 20, windowSeconds: 60 }
export const PASSWORD_CHANGES: AttemptRule = { attempts: 10, windowSeconds: 60 }
export const INVITATION_LOOKUPS: AttemptRule = { attempts: 60, windowSeconds: 60 }
/** Passwords tried for one email, from whatever addresses; a right one starts the count anew. */
export const SIGN_INS_OF_EMAIL: AttemptRule = { attempts: 10, windowSeconds: 15 * 60 }

/** What passwords tried for one email are counted under, whether an account has it or not. */
export const attemptsOfEmail = (email: string): string => `email|${email.toLowerCase()}`

/** Addresses and emails that are remembered to be refused; beyond, the database is asked again. */
const MOST_REMEMBERED = 20_000

/** Counts attempts in the database, for all servers; who had too many is refused from memory until the window ends. */
export class Attempts {
  readonly #db: Connection
  /** Until when, by performance.now(). */
  readonly #refused = new LRUCache<string, number>({ max: MOST_REMEMBERED })

  constructor(db: Connection) {
    this.#db = db
  }

  /** Without asking the database. @throws RATE_LIMITED if it is known to be one attempt too many */
  refuseKnown(key: string): void {
    const leftMs = (this.#refused.get(key) ?? 0) - performance.now()
    if (leftMs > 0) throw tooManyAttempts(Math.ceil(leftMs / 1000))
  }

  /** @throws RATE_LIMITED if it is one attempt too many, on all servers together */
  async count(key: string, rule: AttemptRule): Promise<void> {
    this.refuseKnown(key)
    const { attempts, endsInSeconds } = await countAttempt(this.#db, key, rule.windowSeconds)
    if (attempts <= rule.attempts) return
    this.#refused.set(key, performance.now() + endsInSeconds * 1000)
    throw tooManyAttempts(endsInSeconds)
  }

  async forget(key: string): Promise<void> {
    this.#refused.delete(key)
    await forgetAttempts(this.#db, key)
  }
}

export function tooManyAttempts(retryAfterSeconds: number): ServiceError {
  return new ServiceError('RATE_LIMITED', `Too many attempts; try again in ${retryAfterSeconds} s.`, {
    headers: { 'Retry-After': String(retryAfterSeconds) },
  })
}
