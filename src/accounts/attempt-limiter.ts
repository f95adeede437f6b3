import { LRUCache } from 'lru-cache'
import { ServiceError } from '../kernel/errors.ts'
import type { Connection } from '../platform/database/connection.ts'
import { type AttemptRule, MAX_CACHED_REJECTIONS } from './limits.ts'
import { countAttempt, forgetAttempts } from './throttle-store.ts'

/** The key of sign-in attempts with an email, whether an account has the email or not. */
export const emailKey = (email: string): string => `email|${email.toLowerCase()}`

/**
 * Counts attempts by key in the database, so that a limit holds for all servers together. A key above its limit is rejected from
 * memory until its window ends: the rejections cost no statement.
 */
export class AttemptLimiter {
  readonly #db: Connection
  /** By rejected key: the end of its window, in the time of performance.now(). */
  readonly #rejectedUntil = new LRUCache<string, number>({ max: MAX_CACHED_REJECTIONS })

  constructor(db: Connection) {
    this.#db = db
  }

  /** Sends no statement. @throws RATE_LIMITED if this server knows that the key is above its limit */
  refuseKnown(key: string): void {
    const leftMs = (this.#rejectedUntil.get(key) ?? 0) - performance.now()
    if (leftMs > 0) throw tooManyAttempts(Math.ceil(leftMs / 1000))
  }

  /** @throws RATE_LIMITED if the attempt exceeds the limit of all servers together */
  async count(key: string, rule: AttemptRule): Promise<void> {
    this.refuseKnown(key)
    const { attempts, endsInSeconds } = await countAttempt(this.#db, key, rule.windowSeconds)
    if (attempts <= rule.attempts) return
    this.#rejectedUntil.set(key, performance.now() + endsInSeconds * 1000)
    throw tooManyAttempts(endsInSeconds)
  }

  async forget(key: string): Promise<void> {
    this.#rejectedUntil.delete(key)
    await forgetAttempts(this.#db, key)
  }
}

export function tooManyAttempts(retryAfterSeconds: number): ServiceError {
  return new ServiceError('RATE_LIMITED', `Too many attempts; try again in ${retryAfterSeconds} s.`, {
    headers: { 'Retry-After': String(retryAfterSeconds) },
  })
}
