import type { ClockName } from '../../core/records.ts'
import { DatabaseUnavailable } from '../../platform/database/database-unavailable.ts'

/**
 * Why a submission goes again. Nothing is decided yet, since somebody else was faster (§3 rule 3), something was in the way of
 * the statement (a deadlock, a shard that is not where it was), the claim's test clock is being advanced, the write was lost
 * on its way and may have taken effect, or the database refused what was written together with it; or its claim has a long
 * log, of which a copy has to be made first, or is too heavy to be read in a group of many.
 */
export interface Retry {
  because:
    | 'overtaken'
    | 'was in the way'
    | 'clock is held'
    | 'log is long'
    | 'is heavy'
    | 'write was lost'
    | 'refused together'
  cause?: unknown
  /** To be waited for. */
  heldClock?: ClockName
  /** What there is to read of a heavy claim. */
  bytes?: number
  /** With others it was refused. */
  goesAlone?: true
}
export const OVERTAKEN: Retry = { because: 'overtaken' }
export const LOG_IS_LONG: Retry = { because: 'log is long' }

export const isRetry = (result: object): result is Retry => 'because' in result

/** What a failure means for so many that were in it together. */
export function resultOfFailure(error: Error, together: number): Retry | Error {
  // One of them is what the database does not take: it must not fail its neighbours.
  if (!(error instanceof DatabaseUnavailable)) {
    return together === 1 ? error : { because: 'refused together', cause: error }
  }
  if (error.outcome === 'unknown') return { because: 'write was lost', cause: error }
  // With a pause: it may stay in the way for a while.
  return error.isTransient ? { because: 'was in the way', cause: error } : error
}

/** The connection is gone, or the database takes nothing now: whatever else was to be done waits for another time. */
export const endsTheWork = (result: object): boolean =>
  result instanceof DatabaseUnavailable || (isRetry(result) && result.because === 'write was lost')
