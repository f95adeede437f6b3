import { FairSemaphore } from '../platform/concurrency/fair-semaphore.ts'
import { tooManyAttempts } from './attempts.ts'

const MAX_QUEUED = 50

interface UnauthenticatedLimit {
  /** Requests in progress. */
  max: number
  maxQueuedPerAddress?: number
  timeoutMs: number
}

/**
 * Limits requests without a token that cost a password hash or statements. Queued requests are served round-robin by address. A
 * rejected request costs neither.
 */
export const unauthenticatedLimit = ({ max, maxQueuedPerAddress, timeoutMs }: UnauthenticatedLimit) =>
  new FairSemaphore({
    max,
    maxQueued: MAX_QUEUED,
    maxQueuedPerKey: maxQueuedPerAddress ?? MAX_QUEUED,
    timeoutMs,
    createError: () => tooManyAttempts(Math.ceil(timeoutMs / 4_000)),
  })
