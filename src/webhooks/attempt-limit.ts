import { unavailable } from '../kernel/errors.ts'
import { FairSemaphore, type Permit } from '../platform/concurrency/fair-semaphore.ts'
import {
  BEGIN_INTERVAL_MS,
  MAX_ATTEMPTS,
  MAX_ATTEMPTS_PER_ACCOUNT,
  MAX_BEGUN_BESIDE_SUBMISSIONS,
  MAX_BEGUN_BESIDE_SUBMISSIONS_PER_ACCOUNT,
  SUBMISSION_WAVE_MS,
} from './limits.ts'

/** Each endpoint waits for one permit at a time, so the number of endpoints limits the queues. */
const options = {
  leavesAsManyFree: true,
  maxQueued: Number.POSITIVE_INFINITY,
  createError: () => unavailable('Too many webhooks are being sent.'),
}

/**
 * Limits the attempts that this server sends to webhook endpoints: attempts in flight, and attempts that begin while
 * submissions wait.
 */
export class AttemptLimit {
  readonly #submissionsWait: () => boolean
  readonly #inFlight = new FairSemaphore({
    ...options,
    max: MAX_ATTEMPTS,
    maxPerKey: MAX_ATTEMPTS_PER_ACCOUNT,
  })
  /** Each permit is held for an interval. */
  readonly #begun = new FairSemaphore({
    ...options,
    max: MAX_BEGUN_BESIDE_SUBMISSIONS,
    maxPerKey: MAX_BEGUN_BESIDE_SUBMISSIONS_PER_ACCOUNT,
  })
  #submissionsWaitedAt = Number.NEGATIVE_INFINITY

  constructor(submissionsWait: () => boolean) {
    this.#submissionsWait = submissionsWait
  }

  /** @throws the reason of the signal */
  async acquire(userId: string, signal: AbortSignal): Promise<Permit> {
    const permit = await this.#inFlight.acquire(userId, 1, { signal })
    try {
      if (this.#isBesideSubmissions()) {
        const begun = await this.#begun.acquire(userId, 1, { signal })
        setTimeout(begun.release, BEGIN_INTERVAL_MS).unref()
      }
      return permit
    } catch (error) {
      permit.release()
      throw error
    }
  }

  #isBesideSubmissions(): boolean {
    const now = performance.now()
    if (this.#submissionsWait()) this.#submissionsWaitedAt = now
    return now - this.#submissionsWaitedAt <= SUBMISSION_WAVE_MS
  }
}
