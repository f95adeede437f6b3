import { quoted } from '../../core/contracts/hints/spelling.ts'
import { DAY_MS } from '../../kernel/durations.ts'
import type { RowOrder } from '../cases/row-order.ts'
import type { ComparedType } from '../compared-fields.ts'
import { damagedForms, isNumber, PLACEHOLDER } from '../damaged-texts.ts'
import {
  differenceFrom,
  type Example,
  type Examples,
  type FieldStatistics,
  similarityKey,
} from '../field-statistics.ts'
import { MAX_SPAN_DAYS, MAX_TEXT_LENGTH, MAX_TRANSITIONS_SHOWN } from '../limits.ts'
import type { DecimalMark } from '../read-cell.ts'
import { grouped } from '../report/figures.ts'
import { misleadingZone } from '../time/misleading-zone.ts'
import type { TimeReader } from '../time/time-reader.ts'
import { type ColumnNames, RESERVED_NAMES } from './log-row.ts'
import type { CaseStatistics, SuspectCases } from './log-statistics.ts'
import type { LogReading } from './read-rows.ts'

/* Notes about the reading of a log. Each says what is probably a mistake, how often it occurs, and where. */

const YEAR_2000_MS = Date.UTC(2000)

const ROUNDED = 'last digits are zeros or rounded, as a spreadsheet or JavaScript leaves them'

const TYPE_WORDS: Record<ComparedType, string> = {
  scalar: 'a text, a number, or true or false',
  text: 'a text',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
  array: 'an array',
  object: 'an object',
}

export function readingNotes(
  reading: LogReading,
  cases: CaseStatistics,
  order: RowOrder,
  now: number,
): string[] {
  return [
    ...reading.warnings,
    ...rowsInCellsNotes(reading),
    ...otherHeaderNotes(reading),
    ...rowLimitNotes(reading),
    ...repeatedKeyNotes(reading),
    ...xesNotes(reading),
    ...similarTypes(reading),
    ...placeholderTypes(reading),
    ...[...reading.statistics.values()].flat().flatMap((one) => fieldNotes(one, reading)),
    ...suspectCases(
      cases.ids.shortened,
      'that a spreadsheet or a program has shortened, so that many cases may be one',
    ),
    ...(cases.ids.rounded === null
      ? []
      : suspectCases(cases.ids.rounded, `whose ${ROUNDED}, so that many cases may be one`)),
    ...suspectCases(cases.ids.dates, 'in the form of a date, as a spreadsheet leaves 10-12'),
    ...suspectCases(cases.ids.placeholders, 'used for missing values'),
    ...(cases.ids.commented === null
      ? []
      : suspectCases(
          cases.ids.commented,
          'in the form of a comment, unlike other ids, so rows that were commented out may have been read',
        )),
    ...caseNotes(cases),
    ...openingNotes(reading, cases),
    ...idNotes(reading, cases),
    ...repeatedRowNotes(reading, cases),
    ...orderNotes(cases, order),
    ...lostDigitNotes(reading, cases, order),
    ...halfDayNotes(reading, order),
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

function otherHeaderNotes({ otherHeaders: [first, ...others] }: LogReading): string[] {
  if (first === undefined) return []
  const headers =
    others.length === 0
      ? `the row on line ${grouped(first)} is a header`
      : `${grouped(1 + others.length)} rows are headers (the first on line ${grouped(first)})`
  return [
    `${headers} with other columns than those of the first line; the rows after it were read with the columns of the first line, so values may be in the wrong columns: give each file the same columns before you join them`,
  ]
}

/** Spreadsheets drop the rows beyond. */
const SPREADSHEET_ROWS = [65_536, 1_048_576]
/** Usual limits of exports: TablePlus has 1,000, Metabase 2,000, Looker 5,000, Elasticsearch 10,000, Power BI 30,000, Splunk 50,000. */
const EXPORT_ROWS = [1_000, 2_000, 5_000, 10_000, 30_000, 50_000, 100_000, 1_000_000]

function rowLimitNotes({ events, badRows, format }: LogReading): string[] {
  const rows = events + badRows.count
  if (format === 'csv' && SPREADSHEET_ROWS.includes(1 + rows))
    return [
      `the log has exactly ${grouped(1 + rows)} rows with its header, as many as a spreadsheet keeps: further rows may be lost`,
    ]
  if (format === 'xes' || !EXPORT_ROWS.includes(rows)) return []
  return [
    `the log has exactly ${grouped(rows)} rows, as many as some programs export at most: further rows may be lost`,
  ]
}

function repeatedKeyNotes({ repeatedKeys: found }: LogReading): string[] {
  if (found === null || found.count === 0) return []
  const rows = have(found.count, 'row')
  return [`${rows} a key twice, of which the last counts, as in the service: ${list(found)}`]
}

function xesNotes({ xes, options: { columns } }: LogReading): string[] {
  if (xes === null) return []
  const { unread, transitions, sameName, empty } = xes
  const ignored = ignoredOptions(columns)
  const steps = [...transitions.all]
  const counts = steps.map(({ type, count }) => `${shown(type)} (${grouped(count)})`)
  return [
    ...(ignored.length > 0
      ? [`XES names the case, the type and the time itself; ${ignored.join(' and ')} had no effect`]
      : []),
    ...(sameName.count > 0
      ? [
          `${have(sameName.count, 'trace')} the concept:name of an earlier trace; traces of one name are one case: ${list(sameName)}`,
        ]
      : []),
    ...(empty.count > 0
      ? [
          `${empty.count === 1 ? '1 trace has no events and is not a case' : `${grouped(empty.count)} traces have no events and are not cases`}: ${list(empty)}`,
        ]
      : []),
    ...(unread > 0
      ? [
          `${unread === 1 ? '1 list, container or attribute of an attribute was' : `${grouped(unread)} lists, containers and attributes of attributes were`} not read`,
        ]
      : []),
    ...(steps.some(({ type }) => type.toLowerCase() !== 'complete')
      ? [
          `each event counts for its type, whatever its lifecycle:transition: ${counts.slice(0, MAX_TRANSITIONS_SHOWN).join(', ')}${counts.length > MAX_TRANSITIONS_SHOWN ? ' and others' : ''}; a condition can name one, for example match {"lifecycle:transition": "complete"}`,
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
  return [...statistics.keys()].flatMap((named) => [
    ...(byKey.get(similarityKey(named)) ?? [])
      .filter(({ type, count }) => count > 0 && type !== named && !statistics.has(type))
      .map(
        ({ type, count }) =>
          `${have(count, 'event')} the type ${shown(type)}, which differs from ${shown(named)} of the contract only by ${differenceFrom(type, named)}`,
      ),
    ...(isNumber(named) && types.has(named) ? [] : damagedTypes(named, { statistics, types })),
  ])
}

/** Types of the log that were probably the named one before an export or a spreadsheet changed them. */
function damagedTypes(
  named: string,
  { statistics, types }: Pick<LogReading, 'statistics' | 'types'>,
): string[] {
  return [...damagedForms(named)]
    .filter(([form]) => types.has(form) && !statistics.has(form))
    .filter(([form]) => similarityKey(form) !== similarityKey(named))
    .map(
      ([form, how]) =>
        `${have(types.countOf(form), 'event')} the type ${shown(form)}, which differs from ${shown(named)} of the contract by ${how}`,
    )
}

function placeholderTypes({ statistics, types }: LogReading): string[] {
  return [...types.all]
    .filter(({ type, count }) => count > 0 && !statistics.has(type) && PLACEHOLDER.test(type))
    .map(
      ({ type, count }) =>
        `${have(count, 'event')} the type ${shown(type)}, which is used for missing values`,
    )
}

function fieldNotes(one: FieldStatistics, reading: LogReading): string[] {
  const { field, present, otherTypes, similar } = one
  const place = `${shown(field.path.join('.'))} of ${shown(field.event)}`
  if (reading.types.countOf(field.event) === 0) return []
  if (present === 0 && !field.texts.has(''))
    return [
      `no event has ${place}, which the contract compares${whyMissing(field.path, reading)}`,
      ...nonObjectNotes(one, place),
    ]
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
        `${place} is compared with ${shown(wanted)}, but ${have(examples.count, 'event')} a text that differs only by ${differenceFrom(examples.first[0]?.text ?? '', wanted)}: ${list(examples)}`,
    ),
    ...one.damaged.map(
      ([wanted, examples]) =>
        `${place} is compared with ${shown(wanted)}, but ${have(examples.count, 'event')} a text that differs by ${damagedForms(wanted).get(examples.first[0]?.text ?? '')}: ${list(examples)}`,
    ),
    ...otherTextNotes(one, place),
    ...nameNotes(one, place),
    ...nonObjectNotes(one, place),
    ...distinctNotes(
      one.similarDistinct,
      place,
      'that is almost equal to another one, but counts as another',
    ),
    ...distinctNotes(
      one.shortened,
      place,
      'that a spreadsheet or a program has shortened, so that several values may count as one',
    ),
    ...distinctNotes(one.rounded, place, `whose ${ROUNDED}, so that several values may count as one`),
    ...distinctNotes(one.placeholders, place, 'that is used for missing values, but counts as a value'),
    ...groupedNotes(one, place, reading.options.decimal),
    ...roundedNotes(one, place),
  ]
}

/** Values of a `distinct` that are probably mistakes. */
const distinctNotes = (found: Examples | null, place: string, what: string): string[] =>
  found === null || found.count === 0
    ? []
    : [`${place} counts different values, and ${have(found.count, 'event')} a value ${what}: ${list(found)}`]

/** Compared texts that no event has, if neither similar texts nor values of other types explain it. */
const otherTextNotes = ({ missing, otherTexts, otherTypes }: FieldStatistics, place: string): string[] =>
  otherTexts.count === 0 || otherTypes.size > 0 || missing.length === 0
    ? []
    : [
        `no event has ${missing.map(shown).join(' or ')} in ${place}; ${have(otherTexts.count, 'event')} other texts: ${list(otherTexts)}`,
      ]

const nameNotes = ({ similarNames }: FieldStatistics, place: string): string[] =>
  similarNames.first.map(
    ({ text, count, line }) =>
      `${have(count, 'event')} ${shown(text)} in place of ${place} (line ${grouped(line)})`,
  )

const nonObjectNotes = ({ nonObjects }: FieldStatistics, place: string): string[] =>
  [...nonObjects].map(
    ([type, examples]) =>
      `${have(examples.count, 'event')} ${TYPE_WORDS[type]} in place of an object on the path ${place}, so no value is read there: ${list(examples)}`,
  )

function groupedNotes({ grouped: found }: FieldStatistics, place: string, mark: DecimalMark): string[] {
  if (found === null) return []
  const name = mark === '.' ? 'point' : 'comma'
  const numbers = found.count === 1 ? 'the number' : `all ${grouped(found.count)} numbers`
  const [first] = found.first
  const value = Number(first?.text.replace(',', '.'))
  return [
    `${numbers} with a ${name} in ${place} ${found.count === 1 ? 'has' : 'have'} three digits after it and may be grouped thousands: ${list(found)}; a ${name} was read as the decimal mark, ${shown(first?.text ?? '')} as ${value}; write ${first?.text.replace(mark, '')} if it is that number`,
  ]
}

const roundedNotes = ({ roundedNumbers, roundedSummands }: FieldStatistics, place: string): string[] => [
  ...[...roundedNumbers].map(
    ([wanted, examples]) =>
      `${place} is compared with ${wanted}, but ${have(examples.count, 'event')} a number that differs only by the rounding of a program: ${list(examples)}`,
  ),
  ...(roundedSummands.count > 0
    ? [
        `${place} is added up, but ${have(roundedSummands.count, 'event')} a number that a program has rounded to 32 bits, so the sum may be too high or too low: ${list(roundedSummands)}`,
      ]
    : []),
]

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

function suspectCases({ count, first }: SuspectCases, what: string): string[] {
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
    `${cases} from another one only by letter case, invisible characters, characters at the start or end, separators or zeros at the start: ${examples.join(', ')}`,
  ]
}

function openingNotes({ options, times }: LogReading, cases: CaseStatistics): string[] {
  const { withoutOpening, otherOpenings, withoutLaterEvent, inOpeningMs } = cases
  const inOpeningUnit = cases.inOpeningUnit(times.datesAlone > 0)
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
          `${have(count, 'case')} several times in ${shown(openedAt)} (--opened-at), of which the first of the log counts: ${list(otherOpenings)}`,
        ]
      : []),
    ...(withoutLaterEvent.count > 0
      ? [
          `all events of ${withoutLaterEvent.count === 1 ? '1 case are' : `${grouped(withoutLaterEvent.count)} cases are`} before the opening and were refused: ${list(withoutLaterEvent)}; check the column ${shown(openedAt)} (--opened-at)`,
        ]
      : []),
    ...(inOpeningMs.count > 0
      ? [
          `${inOpeningMs.count === 1 ? '1 event comes' : `${grouped(inOpeningMs.count)} events come`} before the opening of the case, but in the same millisecond, and ${inOpeningMs.count === 1 ? 'counts' : 'count'} as after it: ${list(inOpeningMs)}`,
        ]
      : []),
    ...(inOpeningUnit.count > 0
      ? [
          `${inOpeningUnit.count === 1 ? '1 event was' : `${grouped(inOpeningUnit.count)} events were`} refused as before the opening of the case, but may be after it: their times have fewer digits than those in ${shown(openedAt)} (--opened-at): ${list(inOpeningUnit)}`,
        ]
      : []),
  ]
}

function idNotes({ options, eventsWithoutId }: LogReading, cases: CaseStatistics): string[] {
  const { conflictingRepeats, similarEventIds: similar, shortenedEventIds: shortened } = cases
  const { eventId } = options.columns
  if (eventId === undefined) return []
  const { count } = conflictingRepeats
  return [
    ...(eventsWithoutId > 0
      ? [
          `${eventsWithoutId === 1 ? '1 event has no id' : `${grouped(eventsWithoutId)} events have no ids`} in ${shown(eventId)} (--event-id), so ${eventsWithoutId === 1 ? 'it is' : 'each is'} a new event`,
        ]
      : []),
    ...(shortened.count > 0
      ? [
          `${shortened.count === 1 ? '1 event has an id' : `${grouped(shortened.count)} events have ids`} in ${shown(eventId)} (--event-id) that a spreadsheet or a program has shortened, so that several events may count as one: ${list(shortened)}`,
        ]
      : []),
    ...(similar.count > 0
      ? [
          `${have(similar.count, 'event')} the type, time and compared fields of another one and an almost equal id in ${shown(eventId)} (--event-id), and ${similar.count === 1 ? 'counts' : 'count'} again: ${list(similar)}`,
        ]
      : []),
    ...(count > 0
      ? [
          `${have(count, 'event')} the id of an earlier event of the case, but another type, time or compared field, and ${count === 1 ? 'counts' : 'count'} as repeated: ${list(conflictingRepeats)}; check the column ${shown(eventId)} (--event-id)`,
        ]
      : []),
  ]
}

/** A count and a sum add a repeated event again. */
function repeatedRowNotes(
  { options, likelyIdName }: LogReading,
  { repeatedRows, repeatedLikelyIds: repeated }: CaseStatistics,
): string[] {
  if (options.columns.eventId !== undefined) return []
  if (repeated.count > 0) {
    const name = shown(likelyIdName ?? '')
    return [
      `${have(repeated.count, 'event')} the ${name}, type and compared fields of an earlier one of the case, and ${repeated.count === 1 ? 'counts' : 'count'} again: ${list(repeated)}; --event-id ${name} recognizes repeated events`,
    ]
  }
  if (repeatedRows.count === 0) return []
  const { count } = repeatedRows
  return [
    `${have(count, 'event')} the case, type, time and compared fields of another one and ${count === 1 ? 'counts' : 'count'} again: ${list(repeatedRows)}; --event-id names the column of ids, by which repeated events are recognized`,
  ]
}

function orderNotes({ ties, tiesNewestFirst }: CaseStatistics, order: RowOrder): string[] {
  const isMostly = order.isNewestFirst || order.isMostlyNewestFirst
  const found = isMostly ? ties : tiesNewestFirst
  if (found.count === 0) return []
  const cases = have(found.count, 'case')
  if (order.isReversed)
    return [
      `the log is written newest first, so events of a case with the same time run from the last row to the first: ${cases} such events: ${list(found)}`,
    ]
  const where = isMostly
    ? 'and the log is mostly written newest first'
    : `in ${found.count === 1 ? 'a case' : 'cases'} written newest first`
  return [
    `${cases} events with the same time, ${where}; such events run in the order of the log: ${list(found)}; sort the log so that older events come first`,
  ]
}

function lostDigitNotes({ times }: LogReading, { ties }: CaseStatistics, order: RowOrder): string[] {
  if (!times.hasLostDigits || ties.count === 0 || order.isReversed) return []
  const cases = have(ties.count, 'case')
  return [
    `${cases} events whose times are equal or less than 250 nanoseconds apart; such events run in the order of the log, because further digits are not read: ${list(ties)}`,
  ]
}

/** The hours from 1 to 6 and from 7 to 12, as bits. */
const [EARLY_HOURS, LATE_HOURS] = [0b111_1110, 0b1_1111_1000_0000]
/** Fewer events are within twelve hours by chance. */
const MIN_EVENTS = 20

/** Times of a clock of 12 hours whose a.m. and p.m. were lost: those of the afternoon come before those of the morning. */
function halfDayNotes({ events, times }: LogReading, order: RowOrder): string[] {
  const { hours } = times
  const hasBoth = (hours & EARLY_HOURS) !== 0 && (hours & LATE_HOURS) !== 0
  const isHalfDay = hasBoth && (hours & ~(EARLY_HOURS | LATE_HOURS)) === 0
  if (events < MIN_EVENTS || !order.isMixed || !isHalfDay) return []
  return [
    'no time is before 01:00 or after 12:59, and rows of a case go back in time: the log may have hours from 1 to 12 without a.m. and p.m.',
  ]
}

function timeNotes(reading: LogReading, now: number): string[] {
  const { withoutZone, datesAlone, repeated, skipped, otherForms, options } = reading.times
  const { zone, format } = options
  return [
    ...(datesAlone > 0
      ? [
          `${datesAlone === 1 ? '1 time is a date without a time of day and was' : `${grouped(datesAlone)} times are dates without a time of day and were`} read as 00:00`,
        ]
      : []),
    ...(otherForms.count > 0
      ? [
          `${otherForms.count === 1 ? '1 time does not have the format' : `${grouped(otherForms.count)} times do not have the format`} ${shown(format?.name ?? '')} and ${otherForms.count === 1 ? 'was' : 'were'} read as ISO 8601 or a Unix time: ${list(otherForms)}; a spreadsheet may have changed day and month in such a log`,
        ]
      : []),
    ...(reading.times.areDays && reading.events >= MIN_EVENTS
      ? ['every time is 00:00, so the times may be dates without a time of day']
      : []),
    ...doubtfulTimes(reading.times),
    ...zoneNotes(withoutZone, zone),
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

/** Times without a zone, if `--time-zone` is not given or its name misleads. */
function zoneNotes(withoutZone: number, zone: string | null): string[] {
  const misleading = zone === null ? null : misleadingZone(zone)
  if (withoutZone === 0 || (zone !== null && misleading === null)) return []
  const times =
    withoutZone === 1 ? '1 time has no zone and was' : `${grouped(withoutZone)} times have no zone and were`
  return [
    misleading === null
      ? `${times} read as UTC; --time-zone names the zone of such times, for example Europe/Berlin`
      : `${times} read in ${zone}, which is ${misleading}`,
  ]
}

function doubtfulTimes({ digits, exchangeableDays, options }: TimeReader): string[] {
  const [asDigits, exchanged] = [digits.doubt, exchangeableDays.doubt]
  return [
    ...(asDigits === null
      ? []
      : [
          `all ${grouped(asDigits.examples.count)} times of ${asDigits.examples.first[0]?.text.length} digits were read as Unix times, but are also dates in the format ${asDigits.format}: ${list(asDigits.examples)}; --time-format ${asDigits.format} reads them as dates`,
        ]),
    ...(exchanged === null
      ? []
      : [
          `every time could also have the format ${shown(exchanged.format)} in place of ${shown(options.format?.name ?? '')}, because no day is after the 12th: ${list(exchanged.examples)}`,
        ]),
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

/** The subject and the verb of a sentence: "1 event has", "1,200 events have". */
const have = (count: number, noun: string): string =>
  count === 1 ? `1 ${noun} has` : `${grouped(count)} ${noun}s have`

const list = ({ first }: Examples) => first.map(exampleText).join(', ')

const exampleText = ({ text, count, line }: Example) =>
  count === 1
    ? `${shown(text)} (line ${grouped(line)})`
    : `${shown(text)} (${grouped(count)}, first on line ${grouped(line)})`

const shown = (text: string): string =>
  quoted(text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text)
