import { Examples } from '../field-statistics.ts'
import { parseTimeFormat, type TimeFormat } from './time-format.ts'
import type { WrittenTime } from './written-time.ts'

/* Times that may mean another time than the one that they are read as. */

const [FIRST_MS, AFTER_LAST_MS] = [Date.UTC(2000), Date.UTC(2050)]

/** Dates of 10 digits that may be Unix seconds, and of 13 that may be milliseconds. The last two have lost a zero at the start. */
const DIGIT_FORMATS = [
  'yyMMddHHmm',
  'ddMMyyHHmm',
  'MMddyyHHmm',
  'MMddyyyyHH',
  'ddMMyyyyHH',
  'MddyyyyHHmmss',
  'dMMyyyyHHmmss',
]

/** Numbers that were read as Unix times, but are all valid as digits of a date too. */
export class DigitTimes {
  /** The formats in which every number so far is a date from 2000 to 2049. */
  #formats: readonly TimeFormat[] | null = null
  readonly #examples = new Examples()

  add(text: string, line: number): void {
    this.#formats ??= DIGIT_FORMATS.map(parseTimeFormat)
    if (this.#formats.length === 0) return
    this.#formats = this.#formats.filter((format) => isLikely(format.parse(text)))
    this.#examples.add(text, line)
  }

  /** Null if there is no doubt. Two different numbers are needed: one of 200 Unix times is such a date. */
  get doubt(): { format: string; examples: Examples } | null {
    const [format] = this.#formats ?? []
    return format === undefined || this.#examples.first.length < 2
      ? null
      : { format: format.name, examples: this.#examples }
  }
}

const isLikely = (time: WrittenTime | null): boolean =>
  time !== null && time.fault === null && time.ms >= FIRST_MS && time.ms < AFTER_LAST_MS

/** Day and month as numbers next to each other. A date with points has the day first, one with the year first the month. */
const DAY_AND_MONTH = /(?<!d)d{1,2}[/-]M{1,2}(?!M)|(?<!M|y[/-])M{1,2}[/-]d{1,2}(?!d)/

/** Times in the format of `--time-format` whose day and month could be exchanged in every one. */
export class ExchangeableDays {
  /** Null if there is no doubt. */
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

  /** Null if there is no doubt. */
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
