import { MAX_EVENT_NAME_LENGTH, MAX_PAYLOAD_BYTES } from '../../../domain/claims/event.ts'
import type { JsonObject } from '../../../domain/json.ts'
import { lengthInCharacters } from '../../../domain/length-in-characters.ts'
import { cellValue, valueBytes } from './cell-value.ts'
import type { CsvColumns } from './csv-columns.ts'
import type { LogRow, RowFault } from './log-row.ts'
import { parseTime } from './parse-time.ts'

/** One for all events of which nothing is looked at. */
export const EMPTY_PAYLOAD: JsonObject = Object.freeze({})

/** One row of the log, or why it is left out. */
export function toLogRow(
  record: readonly string[],
  columns: CsvColumns,
  isNamed: (type: string) => boolean,
  line: number,
): LogRow | RowFault {
  if (record.length !== columns.count) {
    const detail = `the row has ${record.length} cells, the header has ${columns.count}`
    return { reason: 'wrong number of cells', detail }
  }
  const caseId = record[columns.case] as string
  const type = record[columns.type] as string
  const nameFault = faultOfNames(caseId, type)
  if (nameFault) return nameFault
  const at = parseTime((record[columns.time] as string).trim())
  if (at === null) return badTime('bad time', record[columns.time] as string)
  const openedAt = openingOf(record, columns)
  if (Number.isNaN(openedAt)) return badTime('bad opening time', record[columns.openedAt as number] as string)
  const payloadBytes = bytesOf(record, columns)
  if (payloadBytes > MAX_PAYLOAD_BYTES) return tooLarge(payloadBytes)
  const payload = isNamed(type) ? payloadOf(record, columns) : EMPTY_PAYLOAD
  return { caseId, type, at, openedAt, payload, payloadBytes, line }
}

export function faultOfNames(caseId: string, type: string): RowFault | null {
  if (caseId === '') return { reason: 'no case', detail: 'the row names no case' }
  if (type === '') return { reason: 'no event type', detail: 'the row names no type of event' }
  if (type.length <= MAX_EVENT_NAME_LENGTH) return null
  const length = lengthInCharacters(type)
  if (length <= MAX_EVENT_NAME_LENGTH) return null
  const detail = `the event type has ${length} characters; at most ${MAX_EVENT_NAME_LENGTH} are allowed`
  return { reason: 'event type too long', detail }
}

export function badTime(reason: 'bad time' | 'bad opening time', text: string): RowFault {
  return { reason, detail: `"${text}" is not a time such as 2026-01-31T09:30:00Z or 2026-01-31 09:30:00` }
}

export function tooLarge(bytes: number): RowFault {
  const detail = `the payload has ${bytes} bytes as JSON; at most ${MAX_PAYLOAD_BYTES} are allowed`
  return { reason: 'payload too large', detail }
}

/** NaN if there is a text that is not a time. */
function openingOf(record: readonly string[], { openedAt }: CsvColumns): number | null {
  const text = openedAt === null ? '' : (record[openedAt] as string).trim()
  return text === '' ? null : (parseTime(text) ?? Number.NaN)
}

function bytesOf(record: readonly string[], { payload }: CsvColumns): number {
  let bytes = 1
  for (const { index, nameBytes } of payload) {
    const cell = record[index] as string
    if (cell !== '') bytes += nameBytes + valueBytes(cellValue(cell))
  }
  return Math.max(bytes, 2)
}

function payloadOf(record: readonly string[], { payload }: CsvColumns): JsonObject {
  let read: JsonObject | null = null
  for (const { index, name, isRead } of payload) {
    const cell = record[index] as string
    if (!isRead || cell === '') continue
    read ??= {}
    // A column may be called __proto__.
    Object.defineProperty(read, name, {
      value: cellValue(cell),
      enumerable: true,
      writable: true,
      configurable: true,
    })
  }
  return read ?? EMPTY_PAYLOAD
}
