import pg from 'pg'
import { RETRY_LATER, ServiceError } from '../../kernel/errors.ts'

/** Whether a failed statement or transaction may have taken effect. */
type WriteOutcome = 'not applied' | 'unknown'

/**
 * A failure that is not the statement's fault: the database cannot be reached or refuses to work, or a lock or deadlock was in the
 * way (`isTransient`). The outcome is unknown if the connection was lost before the response.
 */
export class DatabaseUnavailable extends ServiceError {
  readonly outcome: WriteOutcome

  constructor(message: string, outcome: WriteOutcome, cause?: unknown) {
    super('UNAVAILABLE', message, { headers: RETRY_LATER, cause })
    this.outcome = outcome
  }

  /** A conflict with another transaction (a deadlock, a lock). Nothing was applied, and an immediate retry may succeed. */
  get isTransient(): boolean {
    const { outcome, cause } = this
    return (
      outcome === 'not applied' && cause instanceof pg.DatabaseError && /^(40|55P03)/.test(cause.code ?? '')
    )
  }
}

/** Too many requests wait for the database, which may work well. Nothing was applied. */
export class DatabaseOverloaded extends DatabaseUnavailable {
  constructor(message: string) {
    super(message, 'not applied')
  }
}

/** Whether an immediate retry may succeed. */
export const isTransient = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable && error.isTransient

/** SQLSTATEs, or their classes, after which nothing was applied. */
const NOT_APPLIED = /^(53|57014|58|4000[01]|40P01|55P03|25006)/
/**
 * SQLSTATEs of a connection that ends, possibly after the statement took effect, or of a server that does not know the outcome
 * itself (40003, 08007). Such a connection is not used again.
 */
const CONNECTION_ENDED = /^(08|40003|57P0|25P0[34])/
/**
 * The internal errors by which Citus reports that the coordinator lost a node: at the next statement of a transaction, while it
 * sends rows, or at the commit, which the node may have made.
 */
const NODE_LOST = {
  code: 'XX000',
  routines: ['MarkRemoteTransactionFailed', 'ErrorIfPostCommitFailedShardPlacements', 'ReportCopyError'],
  // Messages of libpq, which Citus passes on.
  message:
    /server closed the connection|could not (?:send|receive) data|no connection to the server|invalid socket/,
}

/**
 * Whether the connection is lost with this error. A PANIC ends the whole server, whatever its SQLSTATE, for example if the WAL could
 * not be synced. The WAL may contain the commit, which then takes effect at the recovery.
 */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return true
  return CONNECTION_ENDED.test(error.code ?? '') || error.severity === 'PANIC' || isNodeLostError(error)
}

const isNodeLostError = ({ code, routine = '', message }: pg.DatabaseError) =>
  code === NODE_LOST.code && (NODE_LOST.routines.includes(routine) || NODE_LOST.message.test(message))

/**
 * The error of a commit on distributed tables that ended in an error or with a warning. Another node may have committed before the
 * coordinator failed, or may commit later. Only after a conflict with another transaction is it certain that nothing was applied.
 */
export function commitFailed(error: unknown): DatabaseUnavailable {
  const isKnown = error instanceof pg.DatabaseError && /^40(001|P01)/.test(error.code ?? '')
  return (
    (isKnown && asDatabaseUnavailable(error, false)) ||
    new DatabaseUnavailable(
      'The database did not complete the commit; whether the request took effect is not known.',
      'unknown',
      error,
    )
  )
}

/** Whether the database or the connection failed, as opposed to a full queue of this server. */
export const isFaultOfDatabase = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable && error.cause !== undefined

/** Whether a statement was canceled, by its timeout or by request. */
export const isOverdue = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '57014'

/** Whether the coordinator works but has lost a node. */
export const isNodeLoss = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && ((error.code ?? '').startsWith('08') || isNodeLostError(error))

/** The error of a statement as DatabaseUnavailable; null if the statement itself is at fault. */
export function asDatabaseUnavailable(error: unknown, readOnly: boolean): DatabaseUnavailable | null {
  const lost = () =>
    new DatabaseUnavailable(
      readOnly
        ? 'The connection to the database was lost.'
        : 'The connection to the database was lost; whether the request took effect is not known.',
      readOnly ? 'not applied' : 'unknown',
      error,
    )
  // An error of the driver, not of the server: the socket broke, or the response took too long.
  if (!(error instanceof pg.DatabaseError) || isConnectionLost(error)) return lost()
  if (NOT_APPLIED.test(error.code ?? ''))
    return new DatabaseUnavailable('The database could not execute the request now.', 'not applied', error)
  return null
}
