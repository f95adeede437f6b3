import { type LocalMoment, localMoment } from '../../../domain/time-zone.ts'
import { type TimeFormat, unixTime } from './time-format.ts'
import { parseCommonTime, parseWrittenTime, type WrittenTime } from './written-time.ts'

export interface TimeOptions {
  /** Tried before ISO 8601 and Unix times. */
  format: TimeFormat | null
  /** The zone of times that name none; null for UTC. */
  zone: string | null
}

/** The times that the service knows (§2). */
const AFTER_LAST_MS = Date.UTC(3000)
const UNIX_SECONDS = /^\d{10}(?:\.\d+)?$/
const UNIX_MILLISECONDS = /^\d{13}(?:\.\d+)?$/
const NUMBER = /^\d+(?:[.,]\d+)?$/
/** An abbreviation behind a time of day: CET, PST, AEST. */
const ZONE_NAME = /:\d\d(?:[.,]\d+)? ?([A-Z]{3,5})$/
/** Clocks are changed at whole quarters of an hour. */
const QUARTER_MS = 900_000
const MAX_QUARTERS = 100_000

const isTaken = (ms: number) => ms >= 0 && ms < AFTER_LAST_MS
const taken = (ms: number) => (isTaken(ms) ? ms : Number.NaN)

/** Reads the times of a log, and counts those that name no zone. */
export class TimeReader {
  readonly #options: TimeOptions
  readonly #quarters = new Map<number, LocalMoment>()
  /** Times without a zone. */
  zoneless = 0
  /** Times that clocks in the zone show twice, or never. */
  shownTwice = 0
  neverShown = 0

  constructor(options: TimeOptions) {
    this.#options = options
  }

  get options(): TimeOptions {
    return this.#options
  }

  /** Milliseconds since 1970, with the digits below them, or events would change places. NaN for what is no time. */
  read(text: string): number {
    const common = this.#options.format === null ? parseCommonTime(text) : Number.NaN
    if (isTaken(common)) return common
    const written = this.#parse(text.trim())
    if (written === null) return Number.NaN
    return written.hasZone ? taken(written.ms) : this.#inZone(written.ms)
  }

  #parse(text: string): WrittenTime | null {
    const formatted = this.#options.format?.parse(text) ?? null
    if (formatted !== null) return formatted
    if (UNIX_SECONDS.test(text)) return unixTime(text, 0)
    if (UNIX_MILLISECONDS.test(text)) return unixTime(text, 3)
    return parseWrittenTime(text)
  }

  #inZone(shown: number): number {
    const { zone } = this.#options
    const moment = zone === null || Number.isNaN(shown) ? null : this.#momentAt(shown, zone)
    const ms = taken(moment?.ms ?? shown)
    if (Number.isNaN(ms)) return ms
    this.zoneless++
    if (moment?.shown === 'twice') this.shownTwice++
    if (moment?.shown === 'never') this.neverShown++
    return ms
  }

  #momentAt(shown: number, zone: string): LocalMoment {
    const start = Math.floor(shown / QUARTER_MS) * QUARTER_MS
    const moment = this.#quarters.get(start) ?? localMoment(start, zone)
    if (this.#quarters.size >= MAX_QUARTERS) this.#quarters.clear()
    this.#quarters.set(start, moment)
    return { ...moment, ms: moment.ms + (shown - start) }
  }

  /** Why a text is not a time, and what would be one. */
  explain(text: string): string {
    const trimmed = text.trim()
    const quoted = JSON.stringify(text)
    const written = this.#parse(trimmed)
    if (written === null) return `${quoted} is not a time${this.#accepted(trimmed)}`
    if (!Number.isNaN(written.ms))
      return `${quoted} is outside of the times that the service takes, 1970 to 2999`
    const isLeapSecond = /:\d\d:60(?:\D|$)/.test(trimmed)
    return isLeapSecond
      ? `${quoted} is a leap second, which is not accepted`
      : `${quoted} is a day or a time of day that does not exist`
  }

  #accepted(text: string): string {
    const { format } = this.#options
    const formatted = format === null ? '' : ` in the format ${JSON.stringify(format.name)}, or`
    if (text.startsWith('"'))
      return ': the quotes belong to the cell, because a blank stands before or behind them'
    const [, zone] = ZONE_NAME.exec(text) ?? []
    if (zone !== undefined)
      return `: ${zone} is no offset: write +01:00 or the like, since abbreviations of zones have several meanings`
    if (NUMBER.test(text))
      return `${formatted} of 10 digits (Unix seconds) or 13 (milliseconds); --time-format excel, unix-s, unix-ms, unix-us or unix-ns says what it counts`
    return `${formatted} such as 2026-01-31T09:30:00Z or 2026-01-31 09:30:00; --time-format names another form, such as "dd.MM.yyyy HH:mm" or "M/d/yyyy h:mm a"`
  }
}
