import type { CaseEvent } from '../../../domain/backtest/backtest.ts'

/** One row of the log, read. */
export interface LogRow extends CaseEvent {
  caseId: string
  /** What its `--opened-at` column says; null if that is empty or not asked for. */
  openedAt: number | null
}

/** The columns (of NDJSON: the fields) with a meaning of their own, by the names that the log gives them. */
export interface ColumnNames {
  case: string
  type: string
  time: string
  openedAt?: string
}

/** Names that mean something else in a submission, or that the service keeps for itself. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set([
  'id',
  'type',
  'claim_id',
  'candidate_alias',
  'created_at',
  'system',
])

/** Why a row is left out. */
export type BadRowReason =
  | 'wrong number of cells'
  | 'not a JSON object'
  | 'not valid in the encoding'
  | 'no case'
  | 'no event type'
  | 'event type too long'
  | 'bad time'
  | 'bad opening time'
  | 'character that no string may have'
  | 'number out of range'
  | 'payload too large'

export interface RowFault {
  reason: BadRowReason
  detail: string
}

export const isFault = (row: LogRow | RowFault): row is RowFault => 'reason' in row
