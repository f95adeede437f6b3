import { Examples } from '../field-statistics.ts'
import { parseTimeFormat, type TimeFormat } from './time-format.ts'
import type { WrittenTime } from './written-time.ts'

/* Detects ambiguous times: times that can be read in another format as a different, likely time. */

/** Dates in this range are likely. */
const LIKELY_FROM_MS = Date.UTC(2000)
const LIKELY_BEFORE_MS = Date.UTC(2050)

/**
 * Formats of dates with as many digits as Unix times: 10 like seconds, or 13 like milliseconds. The formats with one M or
 * d are for dates of 14 digits that a spreadsheet read as numbers, without the leading zero.
 */
const DIGIT_FORMATS = [
  'yyMMddHHmm',
  'ddMMyyHHmm',
  'MMddyyHHmm',
  'MMddyyyyHH',
  'ddMMyyyyHH',
  'MddyyyyHHmmss',
  'dMMyyyyHHmmss',
]

/** Numbers that were read as Unix times, but could all be dates in one other format. */
export class DigitTimes {
  /** The formats in which every number so far is a likely date. Null before the first number. */
  #formats: readonly TimeFormat[] | null = null
  readonly #examples = new Examples()

  add(text: string, line: number): void {
    this.#formats ??= DIGIT_FORMATS.map(parseTimeFormat)
    if (this.#formats.length === 0) return
    this.#formats = this.#formats.filter((format) => isLikely(format.parse(text)))
    this.#examples.add(text, line)
  }

  /** Null if the times are not ambiguous. One number is not enough: by chance, 1 of 200 Unix times is a likely date. */
  get doubt(): { format: string; examples: Examples } | null {
    const [format] = this.#formats ?? []
    return format === undefined || this.#examples.first.length < 2
      ? null
      : { format: format.name, examples: this.#examples }
  }
}

const isLikely = (time: WrittenTime | null): boolean =>
  time !== null && time.fault === null && time.ms >= LIKELY_FROM_MS && time.ms < LIKELY_BEFORE_MS

/**
 * Day and month as adjacent numbers with a slash or a dash. Dates with points are not ambiguous (the day is first), nor are
 * dates that begin with the year (the month is next).
 */
const DAY_AND_MONTH = /(?<!d)d{1,2}[/-]M{1,2}(?!M)|(?<!M|y[/-])M{1,2}[/-]d{1,2}(?!d)/

/** Times in the format of `--time-format` that are all valid with day and month exchanged. */
export class ExchangeableDays {
  /** The format with day and month exchanged. Null if the times are not ambiguous. */
  #exchanged: TimeFormat | null
  readonly #examples = new Examples()

  constructor(format: TimeFormat | null) {
    this.#exchanged = format === null ? null : exchangedFormat(format.name)
  }

  add(text: string, time: WrittenTime, line: number): void {
    if (this.#exchanged === null) return
    const other = this.#exchanged.parse(text)
    if (other === null || other.fault !== null) this.#exchanged = null
    else if (other.ms !== time.ms) this.#examples.add(text, line)
  }

  /** Null if the times are not ambiguous. */
  get doubt(): { format: string; examples: Examples } | null {
    return this.#exchanged === null || this.#examples.count === 0
      ? null
      : { format: this.#exchanged.name, examples: this.#examples }
  }
}

function exchangedFormat(name: string): TimeFormat | null {
  if (!DAY_AND_MONTH.test(name)) return null
  return parseTimeFormat(
    name.replace(DAY_AND_MONTH, (found) => found.replace(/[dM]/g, (letter) => (letter === 'd' ? 'M' : 'd'))),
  )
}
