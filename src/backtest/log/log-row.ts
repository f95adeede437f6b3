import { MAX_NAME_LENGTH, MAX_PAYLOAD_BYTES } from '../../core/limits.ts'
import type { Json } from '../../kernel/json.ts'
import { findJsonFlaw } from '../../kernel/json-flaws.ts'
import { lengthInCharacters } from '../../kernel/text.ts'
import type { CaseEvent } from '../backtest.ts'
import { PLACEHOLDER } from '../damaged-texts.ts'
import { similarityKey } from '../field-statistics.ts'
import type { TimeReader } from '../time/time-reader.ts'

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
  /** Ids of events. */
  eventId?: string
}

/** Names of columns that usually have the ids of events, as similarity keys. */
const USUAL_ID_NAMES: ReadonlySet<string> = new Set(['eventid', 'messageid', 'idempotencykey'])

/** The column or field that `--event-id` should probably name; undefined if there is none. */
export const findLikelyIdName = (names: readonly string[]): string | undefined =>
  names.find((name) => USUAL_ID_NAMES.has(similarityKey(name)))

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
  | 'bad event id'
  | 'character that no string may have'
  | 'key that the service refuses'
  | 'nested too deep'
  | 'attribute that occurs twice'
  | 'number out of range'
  | 'payload too large'

export interface RowFault {
  reason: BadRowReason
  detail: string
}

export const isFault = (row: LogRow | RowFault): row is RowFault => 'reason' in row

/** Sorts them in place; events of the same time stay in the order of the log. */
export function inOrderOfTime<Event extends CaseEvent>(events: Event[]): Event[] {
  const isSorted = events.every((event, i) => i === 0 || (events[i - 1] as Event).at <= event.at)
  return isSorted ? events : events.sort((one, other) => one.at - other.at)
}

/** Whether events of a case, sorted by time, have the same time. */
export const hasTies = (events: readonly CaseEvent[]): boolean =>
  events.some((event, i) => events[i - 1]?.at === event.at)

/**
 * Whether a case, sorted by time, was written newest first and has events with the same time. For such events the log
 * probably has the newer event before the older one.
 */
export function hasTiesNewestFirst(events: readonly CaseEvent[]): boolean {
  const [first, last] = [events[0], events.at(-1)]
  if (first === undefined || last === undefined || first.line < last.line || first.at === last.at)
    return false
  let hasTies = false
  return (
    events.every((event, i) => {
      const before = events[i - 1]
      if (before === undefined) return true
      if (before.at === event.at) hasTies = true
      return before.at === event.at || before.line > event.line
    }) && hasTies
  )
}

export function faultOfNames(caseId: string, type: string): RowFault | null {
  if (caseId === '') return { reason: 'no case', detail: 'the row has no case' }
  if (type === '') return { reason: 'no event type', detail: 'the row has no event type' }
  if (type.length <= MAX_NAME_LENGTH) return null
  const length = lengthInCharacters(type)
  if (length <= MAX_NAME_LENGTH) return null
  const detail = `the event type has ${length} characters; at most ${MAX_NAME_LENGTH} are allowed`
  return { reason: 'event type too long', detail }
}

/** The id of an event, unchanged; undefined if the text is blank. */
export function readEventId(text: string): string | undefined | RowFault {
  if (text.trim() === '') return undefined
  const length = lengthInCharacters(text)
  if (length <= MAX_NAME_LENGTH) return text
  const detail = `the event id has ${length} characters; at most ${MAX_NAME_LENGTH} are allowed`
  return { reason: 'bad event id', detail }
}

/** The id in a column that `--event-id` does not name; undefined if the text stands for no value or is no id. */
export function readLikelyId(text: string): string | undefined {
  const id = PLACEHOLDER.test(text) ? undefined : readEventId(text)
  return typeof id === 'string' ? id : undefined
}

export function badTime(reason: 'bad time' | 'bad opening time', text: string, times: TimeReader): RowFault {
  return { reason, detail: text.trim() === '' ? 'the row has no time' : times.explain(text) }
}

const FLAW_REASONS = {
  character: 'character that no string may have',
  key: 'key that the service refuses',
  depth: 'nested too deep',
} as const

/** The fault of a value that the service refuses; null if there is none. */
export function faultOfValue(value: Json): RowFault | null {
  const flaw = findJsonFlaw(value)
  if (flaw === null) return null
  const hasPlace = flaw.path.length > 0 && flaw.kind !== 'depth'
  const place = hasPlace ? JSON.stringify(flaw.path.join('.')) : 'the row'
  return {
    reason: FLAW_REASONS[flaw.kind],
    detail: `${place} ${flaw.message}, so the service refuses the event`,
  }
}

export function lossyNumber(number: string): RowFault {
  const detail = `the number ${number} cannot be stored exactly, so the service refuses it: send it as a string`
  return { reason: 'number out of range', detail }
}

export function tooLarge(bytes: number): RowFault {
  const detail = `the payload has ${bytes} bytes as JSON; at most ${MAX_PAYLOAD_BYTES} are allowed`
  return { reason: 'payload too large', detail }
}
