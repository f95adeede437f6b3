import type { Issue } from '../../kernel/issue.ts'
import { isJsonObject } from '../../kernel/json.ts'
import { MAX_ISSUES } from '../../kernel/limits.ts'
import { lengthInCharacters } from '../../kernel/text.ts'
import { isTimeZone } from '../../kernel/time-zone.ts'
import {
  MAX_CALENDAR_DATES,
  MAX_EXCEPTION_SPANS,
  MAX_NAME_LENGTH,
  MAX_SPANS,
  MIN_WEEKLY_SECONDS,
} from '../limits.ts'
import { dayOf, lengthOf, mergeSpans, type Span, timeOfDayMs, WEEKDAYS } from './calendar.ts'

type Rule = (value: unknown, path: string) => Issue[]

const RULES: Record<string, Rule> = {
  name: validateName,
  time_zone: validateTimeZone,
  weekly: validateWeekly,
  holidays: validateHolidays,
  exceptions: validateExceptions,
}
const FIELDS = Object.keys(RULES)
const REQUIRED = ['name', 'time_zone', 'weekly']

/**
 * What is wrong with a calendar (§2.15). A value without issues is a `Calendar`, maybe without holidays or exceptions.
 */
export function validateCalendar(value: unknown): Issue[] {
  if (!isJsonObject(value)) return [{ path: 'calendar', message: 'must be an object' }]
  const missing = REQUIRED.filter((name) => !Object.hasOwn(value, name))
  const faults = Object.entries(value).flatMap(([name, field]) => {
    const rule = Object.hasOwn(RULES, name) ? RULES[name] : undefined
    return rule?.(field, name) ?? fault(name, `is not a field of a calendar (${FIELDS.join(', ')})`)
  })
  return [...missing.flatMap((path) => fault(path, 'is required')), ...faults].slice(0, MAX_ISSUES)
}

const fault = (path: string, message: string): Issue[] => [{ path, message }]

function validateName(value: unknown, path: string): Issue[] {
  const isName = typeof value === 'string' && value !== '' && lengthInCharacters(value) <= MAX_NAME_LENGTH
  return isName ? [] : fault(path, `must be a string of 1 to ${MAX_NAME_LENGTH} characters`)
}

function validateTimeZone(value: unknown, path: string): Issue[] {
  if (typeof value === 'string' && isTimeZone(value)) return []
  return fault(path, 'must be a name of the IANA time zone database, such as Europe/Berlin')
}

export function validateWeekly(value: unknown, path: string): Issue[] {
  if (!isJsonObject(value)) return fault(path, 'must be an object with the spans of each weekday')
  const issues = Object.entries(value).flatMap(([day, spans]) =>
    WEEKDAYS.some((weekday) => weekday === day)
      ? validateSpans(spans, `${path}.${day}`)
      : fault(`${path}.${day}`, `is not a weekday (${WEEKDAYS.join(', ')})`),
  )
  if (issues.length > 0) return issues
  const weekMs = Object.values(value).reduce<number>(
    (sum, spans) => sum + lengthOf(mergeSpans(spans as unknown as Span[])),
    0,
  )
  return weekMs >= MIN_WEEKLY_SECONDS * 1000
    ? []
    : fault(path, `has ${weekMs / 60_000} minutes of working time; a week has at least an hour`)
}

function validateSpans(value: unknown, path: string): Issue[] {
  if (!Array.isArray(value) || value.length > MAX_SPANS)
    return fault(path, `must be an array of at most ${MAX_SPANS} spans, such as [["09:00", "17:00"]]`)
  return value.flatMap((span, i) => validateSpan(span, `${path}[${i}]`))
}

function validateSpan(value: unknown, path: string): Issue[] {
  if (!Array.isArray(value) || value.length !== 2)
    return fault(path, 'must be two times, the start and the end, such as ["09:00", "17:00"]')
  const issues = value.flatMap((time, i) =>
    typeof time === 'string' && !Number.isNaN(timeOfDayMs(time))
      ? []
      : fault(`${path}[${i}]`, 'must be a time as HH:MM, from 00:00 to 24:00'),
  )
  if (issues.length > 0) return issues
  const [start, end] = value as [string, string]
  if (start < end) return []
  return fault(
    path,
    `starts at ${start}, which must be before its end, ${end}; a span ends at 24:00 at the latest`,
  )
}

export function validateHolidays(value: unknown, path: string): Issue[] {
  if (!Array.isArray(value) || value.length > MAX_CALENDAR_DATES)
    return fault(path, `must be an array of at most ${MAX_CALENDAR_DATES} dates`)
  return value.flatMap((date, i) => validateDate(date, `${path}[${i}]`)).slice(0, MAX_ISSUES)
}

export function validateExceptions(value: unknown, path: string): Issue[] {
  if (!isJsonObject(value) || Object.keys(value).length > MAX_CALENDAR_DATES)
    return fault(path, `must be an object of at most ${MAX_CALENDAR_DATES} dates, each with its spans`)
  const count = Object.values(value).reduce<number>((sum, spans) => sum + [spans].flat().length, 0)
  if (count > MAX_EXCEPTION_SPANS)
    return fault(path, `has ${count} spans; at most ${MAX_EXCEPTION_SPANS} are allowed`)
  return Object.entries(value)
    .flatMap(([date, spans]) => [
      ...validateDate(date, `${path}.${date}`),
      ...validateSpans(spans, `${path}.${date}`),
    ])
    .slice(0, MAX_ISSUES)
}

function validateDate(value: unknown, path: string): Issue[] {
  const isDate = typeof value === 'string' && !Number.isNaN(dayOf(value))
  return isDate ? [] : fault(path, 'must be a date that exists, as YYYY-MM-DD, from 1970 to 2999')
}
