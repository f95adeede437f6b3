import { pipeline } from 'node:stream/promises'
import { CsvError, Parser } from 'csv-parse'
import { OperatorError } from '../../kernel/operator-error.ts'
import { MAX_ROW_BYTES } from '../limits.ts'
import { type TimeOptions, TimeReader } from '../time/time-reader.ts'
import type { CsvColumns } from './csv-columns.ts'
import type { CsvDialect } from './csv-dialect.ts'

const CARRIAGE_RETURN = 13

/** `line`: the first line of the row. `mayContainNul`: a chunk with a part of the row has a NUL. */
export type OnCsvRow = (
  record: readonly string[],
  line: number,
  mayContainNul: boolean,
  hasLineBreaks: boolean,
) => void

/** The first lines of the log end with LF, but a later one has a CR. The log must be read again with all line ends. */
export class UnexpectedCarriageReturn extends Error {}

/**
 * Reads CSV row by row. @throws OperatorError if the text is not CSV.
 * @throws UnexpectedCarriageReturn if the text has a CR and the dialect has no line end with CR
 */
export async function readCsv(
  chunks: AsyncIterable<Buffer>,
  dialect: CsvDialect,
  onRow: OnCsvRow,
): Promise<void> {
  const parser = new RowParser(dialect, onRow)
  try {
    await pipeline(parser.watch(chunks), parser)
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new OperatorError(
      `the row that begins on line ${parser.nextLine} of the log is not CSV: ${error.message}`,
    )
  }
}

/** Calls `onRow` for each row as it is parsed: a stream of row objects would double the cost of parsing. */
class RowParser extends Parser {
  readonly #onRow: OnCsvRow
  #parsedLines = 0
  /** Lines that the parser counts twice: it counts each CRLF within quotes as two. */
  #overcount = 0
  #bytesSinceRow = 0
  #mayContainNul = false
  readonly #hasCarriageReturns: boolean

  constructor({ separators, lineEnds }: CsvDialect, onRow: OnCsvRow) {
    super({
      delimiter: separators,
      record_delimiter: lineEnds,
      skip_empty_lines: true,
      relax_column_count: true,
      // A quote within an unquoted cell is a character of the cell.
      relax_quotes: true,
    })
    this.#onRow = onRow
    this.#hasCarriageReturns = lineEnds.includes('\r')
  }

  /** Passes the chunks on. Searches whole chunks for CR and NUL, which is faster than a search of each row. */
  async *watch(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let lastHasNul = false
    for await (const chunk of chunks) {
      if (!this.#hasCarriageReturns && chunk.includes(CARRIAGE_RETURN)) throw new UnexpectedCarriageReturn()
      const chunkHasNul = chunk.includes(0)
      this.#mayContainNul = lastHasNul || chunkHasNul || this.#bytesSinceRow > 0
      lastHasNul = chunkHasNul
      this.#bytesSinceRow += chunk.length
      if (this.#bytesSinceRow > MAX_ROW_BYTES) throw this.#rowTooLong()
      yield chunk
    }
  }

  #rowTooLong(): OperatorError {
    const limit = `${MAX_ROW_BYTES / 1024 / 1024} MiB`
    return new OperatorError(
      `the row that begins on line ${this.nextLine} of the log does not end within ${limit}: is a quote not closed?`,
    )
  }

  get nextLine(): number {
    return this.#parsedLines - this.#overcount + 1
  }

  override push(record: string[] | null): boolean {
    if (record === null) return super.push(null)
    if (this.destroyed) return false
    this.#bytesSinceRow = 0
    const hasLineBreaks = this.info.lines !== this.#parsedLines + 1
    try {
      this.#onRow(record, this.#lineOf(record, hasLineBreaks), this.#mayContainNul, hasLineBreaks)
    } catch (error) {
      this.destroy(error as Error)
    }
    return true
  }

  /** The parser counts the last line of the row. A quoted cell may span several lines. */
  #lineOf(record: string[], hasLineBreaks: boolean): number {
    this.#parsedLines = this.info.lines
    if (!hasLineBreaks) return this.info.lines - this.#overcount
    const breaks = record.join('\0').match(/\r\n|\r|\n/g) ?? []
    const crlfs = breaks.filter((text) => text.length === 2).length
    const line = this.info.lines - breaks.length - crlfs - this.#overcount
    this.#overcount += crlfs
    return line
  }
}

const LINE_BREAK = /\r\n|\r|\n/

/**
 * Finds rows of the log inside a cell. A quoted cell whose closing quote is missing continues over the following rows,
 * up to the next quote. The resulting row can still have as many cells as the header.
 */
export class RowsInCells {
  readonly #columns: CsvColumns
  readonly #separator: string
  /** Not the time reader of the log: that one counts the times that it reads. */
  readonly #times: TimeReader
  /** Rows found. */
  count = 0
  /** The first line of the first row that contains other rows. */
  firstLine = 0

  constructor(columns: CsvColumns, separator: string, times: TimeOptions) {
    this.#columns = columns
    this.#separator = separator
    this.#times = new TimeReader(times)
  }

  /** Examines a row that has line breaks in its cells. */
  add(record: readonly string[], line: number): void {
    for (const [index, cell] of record.entries()) {
      const [first = '', ...lines] = cell.split(LINE_BREAK)
      if (lines.length === 0) continue
      const found = this.#isRestOfRow(first, index) ? lines.length : this.#rowsOf(lines, index, cell)
      if (found > 0 && this.count === 0) this.firstLine = line
      this.count += found
    }
  }

  #rowsOf(lines: readonly string[], index: number, cell: string): number {
    const whole = lines.slice(0, -1).filter((text) => this.#isRow(text)).length
    return this.#isStartOfRow(lines.at(-1) as string, index, cell) ? whole + 1 : whole
  }

  #isRow(text: string): boolean {
    const cells = text.split(this.#separator)
    return cells.length === this.#columns.count && this.#hasTime(cells)
  }

  /** Whether the text is the rest of the row, from this column to the last, with a valid time. */
  #isRestOfRow(text: string, index: number): boolean {
    const { count, time } = this.#columns
    const cells = text.split(this.#separator)
    return time > index && cells.length === count - index && this.#hasTime([...Array(index), ...cells])
  }

  /** Whether the text is the start of a row, up to this column, where the next quote is. */
  #isStartOfRow(text: string, index: number, cell: string): boolean {
    const cells = text.split(this.#separator)
    if (index === 0 || cells.length !== index + 1) return false
    // The parser keeps the first quote if text follows the second.
    return this.#columns.time < index ? this.#hasTime(cells) : cell.startsWith('"')
  }

  #hasTime(cells: readonly string[]): boolean {
    return !Number.isNaN(this.#times.read(cells[this.#columns.time] ?? ''))
  }
}
