import { type Leaf, leavesOf } from '../../core/contracts/condition.ts'
import { type Contract, conditionsOf, decisiveEventTypes } from '../../core/contracts/contract.ts'
import { OperatorError } from '../../kernel/operator-error.ts'
import { comparedFields } from '../compared-fields.ts'
import { findColumns, reservedWarning } from '../csv/csv-columns.ts'
import { ALL_LINE_ENDS, type CsvDialect, recognizeDialect } from '../csv/csv-dialect.ts'
import { CsvPayloads } from '../csv/csv-payload.ts'
import { CsvRows } from '../csv/csv-rows.ts'
import { RowsInCells, readCsv } from '../csv/read-csv.ts'
import { type Examples, FieldStatistics } from '../field-statistics.ts'
import { HEAD_BYTES, MAX_BAD_ROWS_SHOWN, MAX_DETAIL_LENGTH } from '../limits.ts'
import type { DecimalMark } from '../read-cell.ts'
import { type TimeOptions, TimeReader } from '../time/time-reader.ts'
import { JsonRows } from '../typed/json-rows.ts'
import { readArray } from '../typed/read-array.ts'
import { readLines } from '../typed/read-lines.ts'
import { readXes, type XesCounts } from '../typed/read-xes.ts'
import { TypedRows } from '../typed/typed-rows.ts'
import { TextDecoding } from './decode-text.ts'
import {
  type BadRowReason,
  type ColumnNames,
  faultOfValue,
  findLikelyIdName,
  isFault,
  type LogRow,
  type RowFault,
} from './log-row.ts'
import { EventTypes } from './log-statistics.ts'
import { formatOf, type LogFormat, peekHead } from './open-log.ts'

export interface LogOptions {
  /** Null to detect it from the name or the first character. */
  format: LogFormat | null
  /** Null to detect it from the start of the log. */
  encoding: string | null
  /** Null to detect it from the header. */
  separator: string | null
  decimal: DecimalMark
  times: TimeOptions
  columns: ColumnNames
  isStrict: boolean
}

/** Reads a log once, and collects the notes, counts and bad rows of the report. */
export class LogReading {
  readonly options: LogOptions
  readonly badRows: BadRows
  readonly types: EventTypes
  readonly times: TimeReader
  /** By event type that a contract names: the fields that its leaves compare. */
  readonly statistics: ReadonlyMap<string, readonly FieldStatistics[]>
  /** Whether a contract counts or sums events. */
  readonly hasAggregates: boolean
  readonly #hasAllLineEnds: boolean
  format: LogFormat = 'csv'
  /** About the columns and the separator. */
  warnings: string[] = []
  /** Only for CSV. */
  rowsInCells: RowsInCells | null = null
  /** Only for CSV: lines of headers that differ from the first. */
  otherHeaders: readonly number[] = []
  /** Only for JSON. */
  repeatedKeys: Examples | null = null
  /** Only for XES. */
  xes: XesCounts | null = null
  /** The column or field that `--event-id` should probably name, if the option is not given and a contract counts events. */
  likelyIdName: string | undefined
  /** The names of the columns or fields of the payload. */
  fieldNames: Iterable<string> = []
  /** Rows that are not bad. */
  events = 0
  eventsWithoutId = 0
  firstAt: number | null = null
  lastAt: number | null = null
  /** The lines of the earliest and the latest event. */
  firstLine = 0
  lastLine = 0
  /** The earliest and the latest opening time, with their lines. */
  firstOpening: { at: number; line: number } | null = null
  lastOpening: { at: number; line: number } | null = null

  constructor(
    options: LogOptions,
    contracts: readonly Contract[],
    { hasAllLineEnds }: { hasAllLineEnds: boolean },
  ) {
    this.options = options
    this.badRows = new BadRows(options.isStrict)
    this.times = new TimeReader(options.times)
    this.statistics = statisticsOf(contracts)
    this.types = new EventTypes(this.statistics.keys())
    this.hasAggregates = contracts.flatMap(conditionsOf).flatMap(leavesOf).some(isRepeatable)
    this.#hasAllLineEnds = hasAllLineEnds
  }

  /**
   * @throws OperatorError if the log as a whole cannot be read
   * @throws UnexpectedCarriageReturn if it must be read again with all line ends
   */
  async read(path: string, bytes: AsyncIterable<Buffer>, onRow: (row: LogRow) => void): Promise<void> {
    const decoding = new TextDecoding(this.options.encoding)
    const { head, all } = await peekHead(decoding.decode(bytes), HEAD_BYTES)
    if (head.toString('utf8').trim() === '') throw new OperatorError('the log is empty: not even a header')
    // The header of tar has this at byte 257. The files in the archive would be read as one log.
    if (head.toString('latin1', 257, 262) === 'ustar')
      throw new OperatorError('the log is a tar archive: unpack it')
    const text = head.toString('utf8')
    this.format = this.options.format ?? formatOf(path, text)
    if (this.format === 'ndjson' && text.trimStart().startsWith('[')) this.format = 'json'
    const take = (row: LogRow | RowFault, line: number) => {
      if (isFault(row)) this.badRows.add(line, row)
      else onRow(this.#noted(row))
    }
    if (this.format === 'csv') await this.#readCsv(all, text, decoding, take)
    else await this.#readTyped(all, decoding, take)
  }

  get #findsLikelyId(): boolean {
    return this.hasAggregates && this.options.columns.eventId === undefined
  }

  #noted(row: LogRow): LogRow {
    this.events++
    if (row.id === undefined) this.eventsWithoutId++
    row.type = this.types.count(row.type)
    if (this.firstAt === null || row.at < this.firstAt) {
      this.firstAt = row.at
      this.firstLine = row.line
    }
    if (this.lastAt === null || row.at > this.lastAt) {
      this.lastAt = row.at
      this.lastLine = row.line
    }
    const { openedAt: at, line } = row
    if (at === null) return row
    if (this.firstOpening === null || at < this.firstOpening.at) this.firstOpening = { at, line }
    if (this.lastOpening === null || at > this.lastOpening.at) this.lastOpening = { at, line }
    return row
  }

  async #readCsv(
    chunks: AsyncIterable<Buffer>,
    head: string,
    decoding: TextDecoding,
    take: TakeRow,
  ): Promise<void> {
    const { separator, columns: names } = this.options
    const [header = ''] = head.split(/\r|\n/, 1)
    const headerFault = decoding.faultOf(header)
    if (headerFault) throw new OperatorError(`the header of the log: ${headerFault.detail}`)
    const dialect = this.#dialectOf(head, separator, names)
    let isSeparatorLine = dialect.hasSeparatorLine
    let rows: CsvRows | null = null
    await readCsv(chunks, dialect, (record, line, mayContainNul, hasLineBreaks) => {
      if (isSeparatorLine) isSeparatorLine = false
      else if (rows === null) rows = this.#rowsOf(dialect)
      else {
        const fault = mayContainNul || decoding.isDamaged ? decoding.faultOf(record.join('\n')) : null
        take(fault ?? rows.read(record, line), line)
        if (hasLineBreaks) this.rowsInCells?.add(record, line)
      }
    })
  }

  #dialectOf(head: string, separator: string | null, names: ColumnNames): CsvDialect {
    const dialect = recognizeDialect(head, separator, names)
    return this.#hasAllLineEnds ? { ...dialect, lineEnds: ALL_LINE_ENDS } : dialect
  }

  #rowsOf({ header, notes, separators }: CsvDialect): CsvRows {
    const columns = findColumns(header, this.options.columns)
    this.warnings = [...notes, ...columns.warnings]
    this.rowsInCells = new RowsInCells(columns, separators.at(-1) as string, this.options.times)
    this.fieldNames = columns.payload.map(({ name }) => name)
    const payloads = [...this.statistics].map(([type, statistics]): [string, CsvPayloads] => [
      type,
      new CsvPayloads(statistics, columns, this.options.decimal),
    ])
    if (this.#findsLikelyId) this.likelyIdName = findLikelyIdName(columns.payload.map(({ name }) => name))
    const rows = new CsvRows(columns, this.times, new Map(payloads), this.likelyIdName)
    this.otherHeaders = rows.otherHeaders
    return rows
  }

  async #readTyped(chunks: AsyncIterable<Buffer>, decoding: TextDecoding, take: TakeRow): Promise<void> {
    const { columns: names } = this.options
    const eventColumns = this.format === 'xes' ? [] : [names.case, names.type, names.time]
    const own = names.eventId === undefined ? eventColumns : [...eventColumns, names.eventId]
    const typed = new TypedRows(this.times, this.statistics, own)
    if (this.format === 'xes') await this.#readXes(chunks, typed, decoding, take)
    else {
      const rows = new JsonRows(names, typed, decoding, this.#findsLikelyId)
      const read = this.format === 'json' ? readArray : readLines
      this.repeatedKeys = rows.repeatedKeys
      await read(chunks, (text, line) => take(rows.read(text, line), line))
      this.likelyIdName = rows.likelyIdName
    }
    this.warnings = [...typed.reservedNames].map(reservedWarning)
    this.fieldNames = typed.names
  }

  async #readXes(
    chunks: AsyncIterable<Buffer>,
    typed: TypedRows,
    decoding: TextDecoding,
    take: TakeRow,
  ): Promise<void> {
    const { openedAt: opening, eventId } = this.options.columns
    this.xes = await readXes(chunks, ({ fault: own, ...event }) => {
      const opened = opening === undefined ? undefined : event.fields[opening]
      const undecodable = decoding.isDamaged ? decoding.faultOf(JSON.stringify(event)) : null
      const fault = undecodable ?? own ?? faultOfValue(event.fields)
      const id = eventId === undefined ? undefined : event.fields[eventId]
      take(fault ?? typed.read({ ...event, openedAt: `${opened ?? ''}`, id: `${id ?? ''}` }), event.line)
    })
  }
}

type TakeRow = (row: LogRow | RowFault, line: number) => void

/** A repeated event changes no `distinct`. */
const isRepeatable = ({ aggregate }: Leaf): boolean => aggregate === 'count' || aggregate === 'sum'

function statisticsOf(contracts: readonly Contract[]): Map<string, FieldStatistics[]> {
  const compared = comparedFields(contracts)
  const types = new Set(contracts.flatMap(decisiveEventTypes))
  return new Map(
    [...types].map((type) => [type, (compared.get(type) ?? []).map((field) => new FieldStatistics(field))]),
  )
}

/** The rows that were skipped. */
export class BadRows {
  readonly #isStrict: boolean
  readonly byReason = new Map<BadRowReason, number>()
  readonly first: { line: number; reason: BadRowReason; detail: string }[] = []
  count = 0

  constructor(isStrict: boolean) {
    this.#isStrict = isStrict
  }

  /** @throws OperatorError with `--strict` */
  add(line: number, { reason, detail }: RowFault): void {
    const shown = detail.length > MAX_DETAIL_LENGTH ? `${detail.slice(0, MAX_DETAIL_LENGTH)}…` : detail
    if (this.#isStrict) throw new OperatorError(`line ${line} of the log: ${shown}`)
    this.count++
    this.byReason.set(reason, (this.byReason.get(reason) ?? 0) + 1)
    if (this.first.length < MAX_BAD_ROWS_SHOWN) this.first.push({ line, reason, detail: shown })
  }
}
