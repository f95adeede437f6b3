import { InvalidArgumentError } from 'commander'
import { DAY_MS, HOUR_MS } from '../../kernel/durations.ts'
import { UsageError } from '../../kernel/operator-error.ts'
import { isTimeZone, type LocalMoment, localMoment } from '../../kernel/time-zone.ts'
import { Examples } from '../field-statistics.ts'
import { MAX_CACHED_QUARTERS } from '../limits.ts'
import { DigitTimes, ExchangeableDays } from './doubtful-times.ts'
import { parseTimeFormat, type TimeFormat, unixTime } from './time-format.ts'
import { parseCommonTime, parseWrittenTime, type WrittenTime } from './written-time.ts'

export interface TimeOptions {
  /** Tried before ISO 8601 and Unix times. */
  format: TimeFormat | null
  /** The zone of times without a zone; null for UTC. */
  zone: string | null
}

/** The service accepts times from 1970 to 2999 (§2). */
const AFTER_LAST_MS = Date.UTC(3000)
const UNIX_SECONDS = /^\d{10}(?:\.\d+)?$/
const HOUR_STAMPS = parseTimeFormat('yyyyMMddHH')
const UNIX_DIGITS = /^\d{10}(?:\d{3})?(?:\.\d+)?$/
const UNIX_MILLISECONDS = /^\d{13}(?:\.\d+)?$/
const NUMBER = /^\d+(?:[.,]\d+)?$/
/** A day with more digits after it: an offset, or a time of day. */
const DATE_WITH_MORE = /^\d{4}[-/]\d\d[-/]\d\d ?[+-]\d/
/** An abbreviation after a time of day: CET, PST, AEST. */
const ZONE_NAME = /:\d\d(?:[.,]\d+)? ?([A-Z]{3,5})$/
/** A nonzero digit below a microsecond. `read` tells times apart down to 250 ns. */
const NANOSECONDS = /(?::\d\d[.,]\d{6}|^\d{10}[.,]\d{6}|^\d{13}[.,]\d{3}|^\d{16})\d*[1-9]/
/** Zones change their offset at whole quarters of an hour. */
const QUARTER_MS = 900_000

const isInRange = (ms: number) => ms >= 0 && ms < AFTER_LAST_MS
const nanIfOutOfRange = (ms: number) => (isInRange(ms) ? ms : Number.NaN)

const hourBit = (ms: number): number => 1 << (Math.floor(ms / HOUR_MS) % 24)

/** Reads the times of a log, and counts times that are ambiguous. */
export class TimeReader {
  readonly #options: TimeOptions
  readonly #quarters = new Map<number, LocalMoment>()
  /** The hours of all times, as bits: as written if there is no zone, else in UTC. */
  hours = 0
  /** Whether every time has a time of day that is 00:00. */
  areDays = true
  /** Whether some time has digits that `read` loses. */
  hasLostDigits = false
  withoutZone = 0
  /** Dates without a time of day. */
  datesAlone = 0
  /** Local times that occur twice in the zone, because of daylight saving time. */
  repeated = 0
  /** Local times that do not exist in the zone. */
  skipped = 0
  /** With `--time-format`: times in another form. */
  readonly otherForms = new Examples()
  readonly digits = new DigitTimes()
  readonly exchangeableDays: ExchangeableDays

  constructor(options: TimeOptions) {
    this.#options = options
    this.exchangeableDays = new ExchangeableDays(options.format)
  }

  get options(): TimeOptions {
    return this.#options
  }

  /** Milliseconds since 1970, with digits below them, which decide the order of events, down to 250 ns (2^-12 ms). NaN if the text is not a time. */
  read(text: string, line = 0): number {
    const { format } = this.#options
    const common = format === null ? parseCommonTime(text) : Number.NaN
    if (isInRange(common)) {
      this.#addTimeOfDay(common)
      return common
    }
    const trimmed = text.trim()
    const formatted = format?.parse(trimmed) ?? null
    const written = formatted ?? this.#parseOther(trimmed)
    if (written === null) return Number.NaN
    const ms = written.hasZone ? nanIfOutOfRange(written.ms) : this.#inZone(written.ms)
    if (Number.isNaN(ms)) return ms
    this.#addTimeOfDay(written.ms)
    this.hasLostDigits ||= NANOSECONDS.test(trimmed)
    if (!written.hasTimeOfDay) {
      this.datesAlone++
      this.areDays = false
    }
    if (formatted !== null) this.exchangeableDays.add(trimmed, formatted, line)
    else if (format !== null) this.otherForms.add(trimmed, line)
    if (formatted === null && UNIX_DIGITS.test(trimmed)) this.digits.add(trimmed, line)
    return ms
  }

  #addTimeOfDay(ms: number): void {
    this.hours |= hourBit(ms)
    if (this.areDays && ms % DAY_MS !== 0) this.areDays = false
  }

  #parse(text: string): WrittenTime | null {
    return this.#options.format?.parse(text) ?? this.#parseOther(text)
  }

  #parseOther(text: string): WrittenTime | null {
    if (UNIX_SECONDS.test(text)) return isHourStamp(text) ? null : unixTime(text, 0)
    if (UNIX_MILLISECONDS.test(text)) return unixTime(text, 3)
    return parseWrittenTime(text)
  }

  #inZone(local: number): number {
    const { zone } = this.#options
    const moment = zone === null || Number.isNaN(local) ? null : this.#momentAt(local, zone)
    const ms = nanIfOutOfRange(moment?.ms ?? local)
    if (Number.isNaN(ms)) return ms
    this.withoutZone++
    if (moment?.shown === 'twice') this.repeated++
    if (moment?.shown === 'never') this.skipped++
    return ms
  }

  #momentAt(local: number, zone: string): LocalMoment {
    const start = Math.floor(local / QUARTER_MS) * QUARTER_MS
    const moment = this.#quarters.get(start) ?? localMoment(start, zone)
    if (this.#quarters.size >= MAX_CACHED_QUARTERS) this.#quarters.clear()
    this.#quarters.set(start, moment)
    return { ...moment, ms: moment.ms + (local - start) }
  }

  /** Why a text is not a time, and which forms are accepted. */
  explain(text: string): string {
    const trimmed = text.trim()
    const quoted = JSON.stringify(text)
    const written = this.#parse(trimmed)
    if (written === null) return `${quoted} is not a time${this.#accepted(trimmed)}`
    return `${quoted} ${written.fault ?? 'is outside of the times that the service takes, 1970 to 2999'}`
  }

  #accepted(text: string): string {
    const { format } = this.#options
    const formatted = format === null ? '' : ` in the format ${JSON.stringify(format.name)}, or`
    if (/^\s*"/.test(text)) return ': the quotes belong to the cell, because a space precedes or follows them'
    const [, zone] = ZONE_NAME.exec(text) ?? []
    if (zone !== undefined)
      return `: ${zone} is not an offset: write one such as +01:00, because abbreviations of zones have several meanings`
    if (isHourStamp(text))
      return `: its 10 digits may be Unix seconds or a date with an hour; give --time-format unix-s or yyyyMMddHH`
    if (DATE_WITH_MORE.test(text))
      return `: what follows the date may be an offset or a time of day; give --time-format, for example yyyy-MM-ddZ or yyyy-MM-dd-HH`
    if (NUMBER.test(text))
      return `${formatted} of 10 digits (Unix seconds) or 13 (milliseconds); for other numbers give --time-format excel, unix-s, unix-ms, unix-us or unix-ns`
    return `${formatted} such as 2026-01-31T09:30:00Z or 2026-01-31 09:30:00; --time-format names another form, such as "dd.MM.yyyy HH:mm" or "M/d/yyyy h:mm a"`
  }
}

/** Digits such as 2026013114. As Unix seconds they would be a time after 2032. */
const isHourStamp = (text: string): boolean =>
  text.length === 10 && text >= '1970' && HOUR_STAMPS.parse(text)?.fault === null

export function parseTimeZone(name: string): string {
  if (isTimeZone(name)) return name
  throw new InvalidArgumentError('It must be the name of a time zone, such as Europe/Berlin.')
}

/** The end of the simulation. `note` says which instant it is if the text leaves it open. */
export interface Until {
  at: number
  note: string | null
}

/** @throws UsageError if the text is not a time in the form of the log */
export function readUntil(text: string, options: TimeOptions): Until {
  const reader = new TimeReader(options)
  const at = reader.read(text)
  if (Number.isNaN(at)) throw new UsageError(`--until: ${reader.explain(text)}`)
  const zone = options.zone ?? 'UTC'
  const means = `--until ${text.trim()} means ${new Date(at).toISOString()}`
  if (reader.datesAlone > 0)
    return { at, note: `${means}: a date without a time of day is 00:00 in ${zone}, when the day begins` }
  return { at, note: reader.withoutZone > 0 ? `${means}: it has no zone and was read in ${zone}` : null }
}
