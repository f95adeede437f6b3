import type { ClockName } from '../../domain/records.ts'
import { DatabaseAway } from '../../storage/database/database-away.ts'
import type { SubmittedEvent } from './submit-event.ts'

/**
 * What became of a submission. `again`: nothing is decided yet, since somebody else was faster (§3 rule 3), the
 * claim's test clock is being advanced, the write was lost on its way and may have taken effect, or the database
 * refused what was written together with it; or its claim has a long log, of which a copy has to be made first, or is
 * too heavy to be read in a group of many.
 */
export type Outcome = SubmittedEvent | Error | Again
export interface Again {
  again: 'overtaken' | 'clock is held' | 'log is long' | 'is heavy' | 'write was lost' | 'refused together'
  cause?: unknown
  /** To be waited for. */
  heldClock?: ClockName
  /** What there is to read of a heavy claim. */
  bytes?: number
  /** With others it was refused. */
  goesAlone?: true
}
export const OVERTAKEN: Again = { again: 'overtaken' }
export const LOG_IS_LONG: Again = { again: 'log is long' }

/** What a failure means for those who were in it together. */
export function fateOf(error: Error, together: number): Again | Error {
  // One of them is what the database does not take: it must not fail its neighbours.
  if (!(error instanceof DatabaseAway)) {
    return together === 1 ? error : { again: 'refused together', cause: error }
  }
  if (!error.outcomeKnown) return { again: 'write was lost', cause: error }
  return error.isPassing ? OVERTAKEN : error
}

/** The connection is gone, or the database takes nothing now: whatever else was to be done waits for another time. */
export const endsTheWork = (result: object): boolean =>
  result instanceof DatabaseAway || ('again' in result && result.again === 'write was lost')
