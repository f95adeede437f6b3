import { InvalidArgumentError } from 'commander'
import { DAY_MS } from '../../kernel/durations.ts'
import { offsetMs, wallClockMs, withFraction } from '../../kernel/iso-time.ts'
import type { WrittenTime } from './written-time.ts'

/** A format of times. `parse` returns null if the text has another form. */
export interface TimeFormat {
  /** As given by `--time-format`. */
  name: string
  parse: (text: string) => WrittenTime | null
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** The letters of a format, from the date patterns of Unicode (UTS 35). */
const LETTERS: Record<string, { pattern: string; part: string }> = {
  yyyy: { pattern: '\\d{4}', part: 'year' },
  yy: { pattern: '\\d{2}', part: 'shortYear' },
  MMM: { pattern: '[A-Za-z]{3}', part: 'monthName' },
  MM: { pattern: '\\d{2}', part: 'month' },
  M: { pattern: '\\d{1,2}', part: 'month' },
  dd: { pattern: '\\d{2}', part: 'day' },
  d: { pattern: '\\d{1,2}', part: 'day' },
  HH: { pattern: '\\d{2}', part: 'hour' },
  H: { pattern: '\\d{1,2}', part: 'hour' },
  hh: { pattern: '\\d{2}', part: 'hour12' },
  h: { pattern: '\\d{1,2}', part: 'hour12' },
  mm: { pattern: '\\d{2}', part: 'minute' },
  m: { pattern: '\\d{1,2}', part: 'minute' },
  ss: { pattern: '\\d{2}', part: 'second' },
  s: { pattern: '\\d{1,2}', part: 'second' },
  a: { pattern: '[AaPp]\\.?[Mm]\\.?', part: 'amPm' },
  Z: { pattern: '[Zz]|UTC|GMT|[+-]\\d\\d(?::?\\d\\d)?', part: 'zone' },
}
const FRACTION = /^S+$/
const REQUIRED = [['year', 'shortYear'], ['month', 'monthName'], ['day']]

/** The formats of Unix times, with the number of digits that are a fraction of a second. */
const UNIX_FRACTIONS: Record<string, number> = { 'unix-s': 0, 'unix-ms': 3, 'unix-us': 6, 'unix-ns': 9 }
/** Excel's serial dates: the day number of 1970-01-01. Workbooks of old Excel for Mac count from 1904. */
const EXCEL_1970_DAYS: Record<string, number> = { excel: 25_569, 'excel-1904': 24_107 }

const NAMED_FORMATS = [...Object.keys(EXCEL_1970_DAYS), ...Object.keys(UNIX_FRACTIONS)].join(', ')
export const TIME_FORMATS = `letters such as yyyy MM dd HH mm ss, or one of ${NAMED_FORMATS}`

/** @throws InvalidArgumentError for a format without a date or with unknown letters */
export function parseTimeFormat(name: string): TimeFormat {
  const days = EXCEL_1970_DAYS[name]
  if (days !== undefined) return { name, parse: (text) => excelTime(text, days) }
  const digits = UNIX_FRACTIONS[name]
  if (digits !== undefined) return { name, parse: (text) => unixTime(text, digits) }
  if (/'Z'$/.test(name))
    throw new InvalidArgumentError(
      `'Z' in quotes is a letter, so the zone would be ignored. Write Z, which reads the zone.`,
    )
  const { pattern, parts } = compile(name)
  const missing = REQUIRED.filter((names) => !names.some((part) => parts.includes(part)))
  if (missing.length > 0)
    throw new InvalidArgumentError(
      `It must name a year, a month and a day, such as "dd.MM.yyyy HH:mm" or "M/d/yyyy h:mm a", or be one of ${NAMED_FORMATS}.`,
    )
  const contradiction = contradictionIn(parts)
  if (contradiction !== null) throw new InvalidArgumentError(contradiction)
  return {
    name,
    parse: (text) => {
      const found = pattern.exec(text)
      return found && timeOf(new Map(parts.map((part, i) => [part, found[i + 1] as string])))
    },
  }
}

/** Parts that exclude each other: if a format had both, one of them would be ignored. */
const ALTERNATIVES: [what: string, parts: string[]][] = [
  ['year', ['year', 'shortYear']],
  ['month', ['month', 'monthName']],
  ['hour', ['hour', 'hour12']],
]

/** Why these parts are ambiguous or contradict each other; null if they do not. */
function contradictionIn(parts: readonly string[]): string | null {
  const twice = ALTERNATIVES.find(([, names]) => names.every((part) => parts.includes(part)))
  if (twice) return `It names the ${twice[0]} twice.`
  const [hasHour12, hasAmPm] = [parts.includes('hour12'), parts.includes('amPm')]
  if (hasHour12 && !hasAmPm)
    return 'Its "h" or "hh" is an hour from 1 to 12, which needs "a" for a.m. or p.m.; "H" or "HH" is one from 0 to 23.'
  if (hasAmPm && !hasHour12)
    return 'Its "a" stands for a.m. or p.m., which needs an hour from 1 to 12, "h" or "hh".'
  return null
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

function compile(format: string): { pattern: RegExp; parts: string[] } {
  const parts: string[] = []
  let pattern = ''
  for (const [token, quoted] of format.matchAll(/'([^']*)'|([A-Za-z])\2*|[^A-Za-z]/g)) {
    if (quoted !== undefined || !/^[A-Za-z]/.test(token)) {
      pattern += quoted === undefined && /\s/.test(token) ? '\\s+' : escaped(quoted ?? token)
      continue
    }
    const letters = FRACTION.test(token) ? { pattern: '\\d{1,9}', part: 'fraction' } : LETTERS[token]
    if (letters === undefined) {
      const known = `${Object.keys(LETTERS).join(', ')}, S`
      throw new InvalidArgumentError(
        `"${token}" is not known; known are ${known}, and text in single quotes.`,
      )
    }
    if (parts.includes(letters.part))
      throw new InvalidArgumentError(`"${token}" repeats a part of the time that the format already has.`)
    parts.push(letters.part)
    pattern += `(${letters.pattern})`
  }
  return { pattern: new RegExp(`^${pattern}$`, 'i'), parts }
}

function timeOf(parts: ReadonlyMap<string, string>): WrittenTime {
  const number = (part: string) => Number(parts.get(part) ?? 0)
  const shortYear = number('shortYear')
  const year = parts.has('year') ? number('year') : shortYear + (shortYear < 70 ? 2000 : 1900)
  const name = parts.get('monthName')?.toLowerCase()
  const month = name === undefined ? number('month') : MONTHS.indexOf(name) + 1
  const zone = parts.get('zone')
  const ms = wallClockMs(year, month, number('day'), hourOf(parts), number('minute'), number('second'))
  const hasTimeOfDay = parts.has('hour') || parts.has('hour12')
  const exact = withFraction(ms - offsetMs(zone ?? 'Z'), parts.get('fraction') ?? '')
  return written(exact, { hasZone: zone !== undefined, hasTimeOfDay })
}

const written = (
  ms: number,
  parts: Pick<WrittenTime, 'hasZone' | 'hasTimeOfDay'> = { hasZone: true, hasTimeOfDay: true },
): WrittenTime => ({
  ms,
  ...parts,
  fault: Number.isNaN(ms) ? 'is a day or a time of day that does not exist' : null,
})

/** 12 a.m. is midnight. NaN for 13 p.m. */
function hourOf(parts: ReadonlyMap<string, string>): number {
  const hour = parts.get('hour12')
  if (hour === undefined) return Number(parts.get('hour') ?? 0)
  if (Number(hour) < 1 || Number(hour) > 12) return Number.NaN
  return (Number(hour) % 12) + (/^p/i.test(parts.get('amPm') ?? '') ? 12 : 0)
}

/** Reads digits, not a double: nanoseconds have more digits than a double holds. */
export function unixTime(text: string, fractionDigits: number): WrittenTime | null {
  const found = /^(\d+)(?:\.(\d+))?$/.exec(text)
  if (!found) return null
  const [, count = '', rest = ''] = found
  const digits = count.padStart(fractionDigits + 1, '0')
  const end = digits.length - fractionDigits
  return written(withFraction(Number(digits.slice(0, end)) * 1000, digits.slice(end) + rest))
}

/**
 * Days with the time of day as a fraction. Rounded to the second if the second is within the precision of the fraction:
 * few digits cannot express a whole second exactly.
 */
function excelTime(text: string, daysTo1970: number): WrittenTime | null {
  const found = /^\d{1,6}(?:[.,](\d+))?$/.exec(text)
  if (!found) return null
  const ms = (Number(text.replace(',', '.')) - daysTo1970) * DAY_MS
  const lastDigitMs = DAY_MS / 10 ** (found[1]?.length ?? 0)
  const nearestSecond = Math.round(ms / 1000) * 1000
  const rounded = Math.abs(ms - nearestSecond) <= lastDigitMs ? nearestSecond : Math.round(ms)
  return written(rounded, { hasZone: false, hasTimeOfDay: found[1] !== undefined })
}
