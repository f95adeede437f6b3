import { MAX_PAYLOAD_BYTES } from '../../core/limits.ts'
import {
  badTime,
  faultOfNames,
  type LogRow,
  type RowFault,
  readEventId,
  readLikelyId,
  tooLarge,
} from '../log/log-row.ts'
import type { TimeReader } from '../time/time-reader.ts'
import { type CsvColumns, payloadBytesOf } from './csv-columns.ts'
import { type CsvPayloads, EMPTY_PAYLOAD } from './csv-payload.ts'

/** Reads the rows of a CSV log. */
export class CsvRows {
  readonly #columns: CsvColumns
  readonly #times: TimeReader
  /** By event type, for the types that a contract names. */
  readonly #payloads: ReadonlyMap<string, CsvPayloads>
  /** The column that `--event-id` should probably name; -1 if there is none. */
  readonly #likelyId: number
  /** Lines of further headers whose columns differ from those of the first header. Joined logs may have them. */
  readonly otherHeaders: number[] = []

  constructor(
    columns: CsvColumns,
    times: TimeReader,
    payloads: ReadonlyMap<string, CsvPayloads>,
    likelyIdName: string | undefined,
  ) {
    this.#columns = columns
    this.#times = times
    this.#payloads = payloads
    this.#likelyId = likelyIdName === undefined ? -1 : columns.header.indexOf(likelyIdName)
  }

  /** An event, or why the row is skipped. */
  read(record: readonly string[], line: number): LogRow | RowFault {
    const columns = this.#columns
    if (record.length !== columns.count) return wrongCount(record, columns)
    const caseId = record[columns.case] as string
    const type = record[columns.type] as string
    const nameFault = faultOfNames(caseId, type)
    if (nameFault) return nameFault
    const at = this.#times.read(record[columns.time] as string, line)
    if (Number.isNaN(at)) {
      if (isOtherHeader(record, columns)) this.otherHeaders.push(line)
      return badTime('bad time', record[columns.time] as string, this.#times)
    }
    const opening = columns.openedAt === null ? '' : (record[columns.openedAt] as string)
    const openedAt = opening.trim() === '' ? null : this.#times.read(opening, line)
    if (Number.isNaN(openedAt)) return badTime('bad opening time', opening, this.#times)
    const id =
      columns.eventId === null
        ? readLikelyId(record[this.#likelyId] ?? '')
        : readEventId(record[columns.eventId] as string)
    if (typeof id === 'object') return id
    const payloadBytes = payloadBytesOf(record, columns)
    if (payloadBytes > MAX_PAYLOAD_BYTES) return tooLarge(payloadBytes)
    const payloads = this.#payloads.get(type)
    const payload = payloads?.read(record, line) ?? EMPTY_PAYLOAD
    return payloads?.fault ?? { caseId, id, type, at, openedAt, payload, payloadBytes, line }
  }
}

/** Whether the row is a header with other columns: it has the column names of case, type and time, and differs from the header. */
function isOtherHeader(
  record: readonly string[],
  { header, case: caseIndex, type, time }: CsvColumns,
): boolean {
  const names = record.map((cell) => cell.trim())
  const hasOwn = [caseIndex, type, time].every((index) => names.includes(header[index] as string))
  return hasOwn && names.some((name, index) => name !== header[index])
}

function wrongCount(record: readonly string[], { count }: CsvColumns): RowFault {
  const detail = `the row has ${record.length} cells, the header has ${count}`
  return { reason: 'wrong number of cells', detail }
}
