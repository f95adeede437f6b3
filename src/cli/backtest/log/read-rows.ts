import { OperatorError } from '../../../operator-error.ts'
import { BadRows } from './bad-rows.ts'
import { type CsvColumns, findColumns, reservedWarning } from './csv-columns.ts'
import { toLogRow } from './csv-rows.ts'
import { EventTypes } from './event-types.ts'
import { type ColumnNames, type Interest, isFault, type LogRow, type RowFault } from './log-row.ts'
import { faultOfText, NdjsonRows } from './ndjson-rows.ts'
import { readCsv } from './read-csv.ts'
import { readLines } from './read-ndjson.ts'

export interface LogOptions {
  format: 'csv' | 'ndjson'
  separator: string
  columns: ColumnNames
  isStrict: boolean
}

/** Reads a log once, and keeps what is to be told of it. */
export class LogReading {
  readonly #options: LogOptions
  readonly #interest: Interest
  readonly badRows: BadRows
  readonly types = new EventTypes()
  warnings: string[] = []
  /** Good rows. */
  events = 0
  firstAt: number | null = null
  lastAt: number | null = null

  constructor(options: LogOptions, interest: Interest) {
    this.#options = options
    this.#interest = interest
    this.badRows = new BadRows(options.isStrict)
  }

  /** @throws OperatorError if the log as a whole cannot be read. */
  async read(chunks: AsyncGenerator<Buffer>, onRow: (row: LogRow) => void): Promise<void> {
    const take = (row: LogRow | RowFault, line: number) => {
      if (isFault(row)) this.badRows.add(line, row)
      else onRow(this.#noted(row))
    }
    await (this.#options.format === 'csv' ? this.#readCsv(chunks, take) : this.#readNdjson(chunks, take))
  }

  #noted(row: LogRow): LogRow {
    this.events++
    row.type = this.types.count(row.type)
    if (this.firstAt === null || row.at < this.firstAt) this.firstAt = row.at
    if (this.lastAt === null || row.at > this.lastAt) this.lastAt = row.at
    return row
  }

  async #readCsv(chunks: AsyncGenerator<Buffer>, take: TakeRow): Promise<void> {
    const { separator, columns: names } = this.#options
    const isNamed = (type: string) => this.#interest.types.has(type)
    let columns: CsvColumns | null = null
    await readCsv(chunks, separator, (record, line, mayHoldNul) => {
      if (columns === null) {
        columns = findColumns(record, names, separator, this.#interest.fields)
        return
      }
      const fault = mayHoldNul ? faultOfText(record.join('')) : null
      take(fault ?? toLogRow(record, columns, isNamed, line), line)
    })
    if (columns === null) throw new OperatorError('the log is empty: not even a header')
    this.warnings = (columns as CsvColumns).warnings
  }

  async #readNdjson(chunks: AsyncGenerator<Buffer>, take: TakeRow): Promise<void> {
    const rows = new NdjsonRows(this.#options.columns, this.#interest)
    await readLines(chunks, (text, line) => take(rows.read(text, line), line))
    this.warnings = [...rows.reservedNames].map(reservedWarning)
  }
}

type TakeRow = (row: LogRow | RowFault, line: number) => void
