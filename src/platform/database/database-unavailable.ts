import pg from 'pg'
import { RETRY_LATER, ServiceError } from '../../kernel/errors.ts'

/**
 * The database did not do it, through no fault of the statement: it is away, it refuses to work, or others were in the
 * way just then (a deadlock, a lock: `isPassing`). `outcomeKnown` false: the statement may have been executed all the
 * same, because the connection was lost before its answer came.
 */
export class DatabaseUnavailable extends ServiceError {
  readonly outcomeKnown: boolean

  constructor(message: string, outcomeKnown: boolean, cause?: unknown) {
    super('UNAVAILABLE', message, { headers: RETRY_LATER, cause })
    this.outcomeKnown = outcomeKnown
  }

  /**
   * It was in the way of others at that moment (a deadlock, a lock), and changed nothing: tried again at once, it may
   * well succeed.
   */
  get isPassing(): boolean {
    return (
      this.outcomeKnown && this.cause instanceof pg.DatabaseError && /^(40|55P03)/.test(this.cause.code ?? '')
    )
  }
}

/** Too many requests wait for the database, which itself may be well. The request changed nothing. */
export class DatabaseOverloaded extends DatabaseUnavailable {
  constructor(message: string) {
    super(message, true)
  }
}

/** Whether it may well succeed if it is tried again at once. */
export const isPassing = (error: unknown): boolean => error instanceof DatabaseUnavailable && error.isPassing

/** SQLSTATEs (or their classes) after which the statement is known to have changed nothing. */
const REFUSED = /^(53|57014|58|4000[01]|40P01|55P03|25006)/
/**
 * SQLSTATEs of a connection that is gone, or going, possibly after the statement took effect; or of a server that itself
 * does not know whether it did (40003, and 08007 of the class 08), on whose connection nothing more is asked.
 */
const CUT_OFF = /^(08|40003|57P0|25P0[34])/
/**
 * What Citus says as an internal error of its own if the coordinator lost another machine: at the next statement of a
 * transaction, while it sends rows along, or at the commit, which the other may have made all the same.
 */
const OTHER_IS_LOST = {
  code: 'XX000',
  routines: ['MarkRemoteTransactionFailed', 'ErrorIfPostCommitFailedShardPlacements', 'ReportCopyError'],
  // Of the driver between them, as which Citus passes it on.
  message:
    /server closed the connection|could not (?:send|receive) data|no connection to the server|invalid socket/,
}

/**
 * Whether nothing more will be heard on the connection on which this error came. With a PANIC the whole server goes
 * down, whatever its SQLSTATE: the log of changes could not be synced, say. The commit may stand in it all the same,
 * and come back with the recovery.
 */
export function isLastWord(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return true
  return CUT_OFF.test(error.code ?? '') || error.severity === 'PANIC' || isOtherLost(error)
}

const isOtherLost = ({ code, routine = '', message }: pg.DatabaseError) =>
  code === OTHER_IS_LOST.code &&
  (OTHER_IS_LOST.routines.includes(routine) || OTHER_IS_LOST.message.test(message))

/**
 * What a commit on distributed tables means that ends in an error, or with a warning: another machine may have made it before
 * the coordinator found that it could not, or may make it a while later. Only what was in the way of others has surely
 * changed nothing.
 */
export function commitFailed(error: unknown): DatabaseUnavailable {
  const isKnown = error instanceof pg.DatabaseError && /^40(001|P01)/.test(error.code ?? '')
  return (
    (isKnown && asDatabaseUnavailable(error, false)) ||
    new DatabaseUnavailable(
      'The database did not finish it; whether the request took effect is not known.',
      false,
      error,
    )
  )
}

/** Whether the database, or the way to it, is at fault; not if too many wait for it. */
export const isFaultOfDatabase = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable && error.cause !== undefined

/** Whether a statement was ended because it took too long, or because somebody asked for that. */
export const isOverdue = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '57014'

/** Whether a coordinator, which is there itself, has lost one of its machines. */
export const isLossOfMachine = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && ((error.code ?? '').startsWith('08') || isOtherLost(error))

/** The error of a statement as DatabaseUnavailable; null if it is none, but the statement's own fault. */
export function asDatabaseUnavailable(error: unknown, readOnly: boolean): DatabaseUnavailable | null {
  const lost = () =>
    new DatabaseUnavailable(
      readOnly
        ? 'The connection to the database was lost.'
        : 'The connection to the database was lost; whether the request took effect is not known.',
      readOnly,
      error,
    )
  // Not the server's word but the driver's: the socket broke, or no answer came in time.
  if (!(error instanceof pg.DatabaseError) || isLastWord(error)) return lost()
  if (REFUSED.test(error.code ?? ''))
    return new DatabaseUnavailable('The database could not do this now.', true, error)
  return null
}
