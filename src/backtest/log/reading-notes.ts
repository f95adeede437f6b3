import { quoted } from '../../core/contracts/hints/spelling.ts'
import type { ComparedType } from '../compared-fields.ts'
import {
  differenceFrom,
  type Example,
  type Examples,
  type FieldStatistics,
  similarityKey,
} from '../field-statistics.ts'
import { MAX_SPAN_DAYS, MAX_TEXT_LENGTH } from '../limits.ts'
import { grouped } from '../report/figures.ts'
import { type ColumnNames, RESERVED_NAMES } from './log-row.ts'
import type { CaseStatistics, DoubtfulCases } from './log-statistics.ts'
import type { LogReading } from './read-rows.ts'

/* Notes about the reading of a log. Each says what is probably a mistake, how often it occurs, and where. */

const YEAR_2000_MS = Date.UTC(2000)
const DAY_MS = 86_400_000

const TYPE_WORDS: Record<ComparedType, string> = {
  scalar: 'a text, a number, or true or false',
  text: 'a text',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
  array: 'an array',
  object: 'an object',
}

export function readingNotes(reading: LogReading, cases: CaseStatistics, now: number): string[] {
  return [
    ...reading.warnings,
    ...rowsInCellsNotes(reading),
    ...rowLimitNotes(reading),
    ...xesNotes(reading),
    ...similarTypes(reading),
    ...[...reading.statistics.values()].flat().flatMap((one) => fieldNotes(one, reading)),
    ...doubtfulCases(cases.ids.shortened, 'that a spreadsheet has shortened, so that many cases may be one'),
    ...doubtfulCases(cases.ids.placeholders, 'used for missing values'),
    ...caseNotes(cases),
    ...openingNotes(reading, cases),
    ...idNotes(reading),
    ...orderNotes(cases.newestFirst),
    ...timeNotes(reading, now),
  ]
}

function rowsInCellsNotes({ rowsInCells }: LogReading): string[] {
  if (rowsInCells === null || rowsInCells.count === 0) return []
  const { count, firstLine } = rowsInCells
  const rows =
    count === 1 ? '1 row of the log, which is not' : `${grouped(count)} rows of the log, which are not`
  return [
    `a quote may not be closed: the row on line ${grouped(firstLine)} has a cell with what looks like ${rows} read`,
  ]
}

/** Spreadsheets drop the rows beyond. */
const SPREADSHEET_ROWS = [65_536, 1_048_576]

function rowLimitNotes({ events, badRows, format }: LogReading): string[] {
  const rows = 1 + events + badRows.count
  if (format !== 'csv' || !SPREADSHEET_ROWS.includes(rows)) return []
  return [
    `the log has exactly ${grouped(rows)} rows with its header, as many as a spreadsheet keeps: further rows may be lost`,
  ]
}

function xesNotes({ xes, options: { columns } }: LogReading): string[] {
  if (xes === null) return []
  const { unread, transitions } = xes
  const ignored = ignoredOptions(columns)
  const counts = [...transitions].map(([name, count]) => `${shown(name)} (${grouped(count)})`)
  return [
    ...(ignored.length > 0
      ? [`XES names the case, the type and the time itself; ${ignored.join(' and ')} had no effect`]
      : []),
    ...(unread > 0
      ? [
          `${unread === 1 ? '1 list, container or attribute of an attribute was' : `${grouped(unread)} lists, containers and attributes of attributes were`} not read`,
        ]
      : []),
    ...(counts.length > 1
      ? [
          `events have several values of lifecycle:transition, and each event counts for its type: ${counts.slice(0, 5).join(', ')}; a condition can name one, for example match {"lifecycle:transition": "complete"}`,
        ]
      : []),
  ]
}

const DEFAULT_COLUMNS = { '--case': 'case_id', '--type': 'type', '--time': 'occurred_at' }

function ignoredOptions({ case: caseName, type, time }: ColumnNames): string[] {
  const given = { '--case': caseName, '--type': type, '--time': time }
  return Object.entries(DEFAULT_COLUMNS).flatMap(([option, name]) =>
    given[option as keyof typeof given] === name ? [] : [option],
  )
}

/** Types of the log that look like a type that a contract names. */
function similarTypes({ statistics, types }: LogReading): string[] {
  const byKey = Map.groupBy(types.all, ({ type }) => similarityKey(type))
  return [...statistics.keys()].flatMap((named) =>
    (byKey.get(similarityKey(named)) ?? [])
      .filter(({ type, count }) => count > 0 && type !== named && !statistics.has(type))
      .map(({ type, count }) => {
        const events = count === 1 ? '1 event has' : `${grouped(count)} events have`
        return `${events} the type ${shown(type)}, which differs from ${shown(named)} of the contract only by ${differenceFrom(type, named)}`
      }),
  )
}

function fieldNotes(one: FieldStatistics, reading: LogReading): string[] {
  const { field, present, otherTypes, similar } = one
  const place = `${shown(field.path.join('.'))} of ${shown(field.event)}`
  if (reading.types.countOf(field.event) === 0) return []
  if (present === 0)
    return [`no event has ${place}, which the contract compares${whyMissing(field.path, reading)}`]
  const array = reading.format === 'csv' ? arrayNotes(one, place) : []
  const compared = `${place} is ${field.type === 'scalar' ? 'counted if it is' : 'compared with'} ${TYPE_WORDS[field.type]}`
  return [
    ...array,
    ...[...otherTypes].map(
      ([type, examples]) =>
        `${compared}, but is ${TYPE_WORDS[type]} in ${grouped(examples.count)} of ${grouped(present)} events: ${list(examples)}${advice(one, examples, reading)}`,
    ),
    ...[...similar].map(
      ([wanted, examples]) =>
        `${place} is compared with ${shown(wanted)}, but ${examples.count === 1 ? '1 event has' : `${grouped(examples.count)} events have`} a text that differs only by ${differenceFrom(examples.first[0]?.text ?? '', wanted)}: ${list(examples)}`,
    ),
  ]
}

/** Exports flatten arrays: `items.0.price`. */
const arrayNotes = ({ field: { path } }: FieldStatistics, place: string): string[] =>
  path.slice(1).some((key) => /^\d+$/.test(key))
    ? [`${place} was read as keys of objects; if the events have arrays, the service finds no value there`]
    : []

function whyMissing(path: readonly string[], { options, fieldNames, format }: LogReading): string {
  const name = path.join('.')
  const { case: caseName, type, time, openedAt, eventId } = options.columns
  const own = Object.entries({
    '--case': caseName,
    '--type': type,
    '--time': time,
    '--opened-at': openedAt,
    '--event-id': eventId,
  })
  const option = format === 'xes' ? undefined : own.find(([, column]) => column === name)?.[0]
  if (option) return `: it is the column of ${option}, which is not part of the payload`
  if (RESERVED_NAMES.has(path[0] ?? '')) return ': the service reserves that name'
  const names = [...fieldNames]
  const similar = names.find((other) => other !== name && similarityKey(other) === similarityKey(name))
  if (similar !== undefined) return `: did you mean ${shown(similar)}?`
  if (format !== 'csv')
    return names.includes(name) && path.length > 1
      ? `: a field has this name with its dots; it is not the value at the path`
      : ''
  return names.includes(name) ? ': its cells are empty' : ': the log has no such column'
}

/** A comma before groups of three digits. */
const DIGIT_GROUPS = /^\s*[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?\s*$/
const DECIMAL_COMMA = /^\s*[+-]?\d+,\d+\s*$/

function advice({ field }: FieldStatistics, { first }: Examples, { options, format }: LogReading): string {
  if (field.type !== 'number' || format !== 'csv' || options.decimal !== '.') return ''
  if (first.some(({ text }) => DECIMAL_COMMA.test(text) && !DIGIT_GROUPS.test(text)))
    return '; with --decimal , a comma is the decimal mark'
  return first.some(({ text }) => DIGIT_GROUPS.test(text))
    ? '; groups of digits are not read: write 1234 for 1,234'
    : ''
}

function doubtfulCases({ count, first }: DoubtfulCases, what: string): string[] {
  if (count === 0) return []
  const cases = count === 1 ? '1 case has an id' : `${grouped(count)} cases have ids`
  const examples = first.map(
    ({ id, line, events }) =>
      `${shown(id)} (line ${grouped(line)}, ${events === 1 ? '1 event' : `${grouped(events)} events`})`,
  )
  return [`${cases} ${what}: ${examples.join(', ')}`]
}

function caseNotes({ ids: { similar, first } }: CaseStatistics): string[] {
  if (similar === 0) return []
  const cases =
    similar === 1 ? '1 case has an id that differs' : `${grouped(similar)} cases have ids that differ`
  const examples = first.map(
    ({ id, line, other }) =>
      `${shown(id)} (line ${grouped(line)}${other === null ? '' : `, after ${shown(other)}`})`,
  )
  return [
    `${cases} from another one only by letter case, invisible characters or characters at the end: ${examples.join(', ')}`,
  ]
}

function openingNotes({ options }: LogReading, { withoutOpening, otherOpenings }: CaseStatistics): string[] {
  const { openedAt } = options.columns
  if (openedAt === undefined) return []
  const { count } = otherOpenings
  return [
    ...(withoutOpening > 0
      ? [
          `${withoutOpening === 1 ? '1 case has no time' : `${grouped(withoutOpening)} cases have no times`} in ${shown(openedAt)} (--opened-at), so the first event opens ${withoutOpening === 1 ? 'the case' : 'each of them'}`,
        ]
      : []),
    ...(count > 0
      ? [
          `${count === 1 ? '1 case has' : `${grouped(count)} cases have`} several times in ${shown(openedAt)} (--opened-at), of which the first of the log counts: ${list(otherOpenings)}`,
        ]
      : []),
  ]
}

function idNotes({ options, eventsWithoutId: count }: LogReading): string[] {
  const { eventId } = options.columns
  if (eventId === undefined || count === 0) return []
  const events = count === 1 ? '1 event has no id' : `${grouped(count)} events have no ids`
  return [`${events} in ${shown(eventId)} (--event-id), so ${count === 1 ? 'it is' : 'each is'} a new event`]
}

function orderNotes(newestFirst: Examples): string[] {
  const { count } = newestFirst
  if (count === 0) return []
  const cases =
    count === 1
      ? '1 case is written newest first and has'
      : `${grouped(count)} cases are written newest first and have`
  return [
    `${cases} events with the same time, which run in the order of the log: ${list(newestFirst)}; sort the log so that older events come first`,
  ]
}

function timeNotes(reading: LogReading, now: number): string[] {
  const { withoutZone, datesAlone, repeated, skipped, options } = reading.times
  const { zone } = options
  return [
    ...(datesAlone > 0
      ? [
          `${datesAlone === 1 ? '1 time is a date without a time of day and was' : `${grouped(datesAlone)} times are dates without a time of day and were`} read as 00:00`,
        ]
      : []),
    ...(withoutZone > 0 && zone === null
      ? [
          `${withoutZone === 1 ? '1 time has no zone and was' : `${grouped(withoutZone)} times have no zone and were`} read as UTC; --time-zone names the zone of such times, for example Europe/Berlin`,
        ]
      : []),
    ...(repeated > 0
      ? [
          `local times that occur twice in ${zone} (daylight saving) were read as the first occurrence: ${grouped(repeated)}`,
        ]
      : []),
    ...(skipped > 0
      ? [
          `local times that do not exist in ${zone} (daylight saving) were read with the offset before the change: ${grouped(skipped)}`,
        ]
      : []),
    ...spanNotes(reading, now),
  ]
}

function spanNotes(reading: LogReading, now: number): string[] {
  const { firstAt, firstLine, lastAt, lastLine, firstOpening, lastOpening } = reading
  if (firstAt === null || lastAt === null) return []
  const day = (time: number) => new Date(time).toISOString().slice(0, 10)
  const years = Math.floor((lastAt - firstAt) / DAY_MS / 365)
  return [
    ...(firstAt < YEAR_2000_MS
      ? [`the earliest event is of ${day(firstAt)} (line ${grouped(firstLine)}): check the column of --time`]
      : []),
    ...(lastAt > now + DAY_MS
      ? [
          `the latest event is of ${day(lastAt)}, in the future (line ${grouped(lastLine)}): check the column of --time`,
        ]
      : []),
    ...(firstOpening !== null && firstOpening.at < YEAR_2000_MS
      ? [
          `the earliest opening time is of ${day(firstOpening.at)} (line ${grouped(firstOpening.line)}): check the column of --opened-at`,
        ]
      : []),
    ...(lastOpening !== null && lastOpening.at > now + DAY_MS
      ? [
          `the latest opening time is of ${day(lastOpening.at)}, in the future (line ${grouped(lastOpening.line)}): check the column of --opened-at`,
        ]
      : []),
    ...(lastAt - firstAt > MAX_SPAN_DAYS * DAY_MS
      ? [`the events span ${years} years, from ${day(firstAt)} to ${day(lastAt)}`]
      : []),
  ]
}

const list = ({ first }: Examples) => first.map(exampleText).join(', ')

const exampleText = ({ text, count, line }: Example) =>
  count === 1
    ? `${shown(text)} (line ${grouped(line)})`
    : `${shown(text)} (${grouped(count)}, first on line ${grouped(line)})`

const shown = (text: string): string =>
  quoted(text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text)
