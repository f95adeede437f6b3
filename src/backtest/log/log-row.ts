import type { CaseEvent } from '../backtest.ts'

/** An event of the log. */
export interface LogRow extends CaseEvent {
  caseId: string
  /** The time in the `--opened-at` column; null if it is empty or the option is not given. */
  openedAt: number | null
}

/** The names of the columns, or fields of JSON, that are not payload. */
export interface ColumnNames {
  case: string
  type: string
  time: string
  openedAt?: string
}

/** Names that have another meaning in a submission, or that the service reserves. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set([
  'id',
  'type',
  'claim_id',
  'candidate_alias',
  'created_at',
  'system',
])

/** Why a row is skipped. */
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
