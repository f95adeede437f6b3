import { type TimeOptions, TimeReader } from '../time/time-reader.ts'
import type { CsvColumns } from './csv-columns.ts'

const LINE_BREAK = /\r\n|\r|\n/

/**
 * Finds rows of the log inside of a cell. A quote that does not end where it should takes the rows behind it into its
 * cell, up to the next quote. The row may have as many cells as the header even so.
 */
export class SwallowedRows {
  readonly #columns: CsvColumns
  readonly #separator: string
  /** Its own: the reader of the log counts its times. */
  readonly #times: TimeReader
  count = 0
  /** Where the first row begins that holds others. */
  firstLine = 0

  constructor(columns: CsvColumns, separator: string, times: TimeOptions) {
    this.#columns = columns
    this.#separator = separator
    this.#times = new TimeReader(times)
  }

  /** Takes a row that has line breaks in its cells. */
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
    return this.#isBeginOfRow(lines.at(-1) as string, index, cell) ? whole + 1 : whole
  }

  #isRow(text: string): boolean {
    const cells = text.split(this.#separator)
    return cells.length === this.#columns.count && this.#hasTime(cells)
  }

  /** Whether the text is the row itself from the column of the cell on, with its time. */
  #isRestOfRow(text: string, index: number): boolean {
    const { count, time } = this.#columns
    const cells = text.split(this.#separator)
    return time > index && cells.length === count - index && this.#hasTime([...Array(index), ...cells])
  }

  /** Whether the text is a row up to the column of the cell, where the next quote is. */
  #isBeginOfRow(text: string, index: number, cell: string): boolean {
    const cells = text.split(this.#separator)
    if (index === 0 || cells.length !== index + 1) return false
    // The parser keeps the first quote if text follows the second.
    return this.#columns.time < index ? this.#hasTime(cells) : cell.startsWith('"')
  }

  #hasTime(cells: readonly string[]): boolean {
    return !Number.isNaN(this.#times.read(cells[this.#columns.time] ?? ''))
  }
}
