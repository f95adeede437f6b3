import { FairSemaphore } from '../platform/concurrency/fair-semaphore.ts'
import { tooManyAttempts } from './attempt-limiter.ts'
import { MAX_QUEUED_UNAUTHENTICATED, type UnauthenticatedLimits } from './limits.ts'

/**
 * Limits requests without a token that cost a password hash or statements. Queued requests are served round-robin by address. A
 * rejected request costs neither.
 */
export const unauthenticatedLimit = ({ max, maxQueuedPerAddress, timeoutMs }: UnauthenticatedLimits) =>
  new FairSemaphore({
    max,
    maxQueued: MAX_QUEUED_UNAUTHENTICATED,
    maxQueuedPerKey: maxQueuedPerAddress,
    timeoutMs,
    createError: () => tooManyAttempts(Math.ceil(timeoutMs / 4_000)),
  })
