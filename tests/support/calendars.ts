import fc from 'fast-check'
import { type Calendar, type Span, WEEKDAYS } from './source/calendars.ts'

const DAY_MS = 86_400_000

/** Five days of eight hours in Berlin. */
export const calendarWith = (changes: Partial<Calendar> = {}): Calendar => ({
  name: 'Support',
  time_zone: 'Europe/Berlin',
  weekly: Object.fromEntries(WEEKDAYS.slice(0, 5).map((day) => [day, [['09:00', '17:00'] as const]])),
  holidays: [],
  exceptions: {},
  ...changes,
})

/** Every minute is working time. */
export const ALWAYS: Calendar['weekly'] = Object.fromEntries(
  WEEKDAYS.map((day) => [day, [['00:00', '24:00']]]),
)

/** The clock changes of a zone, by the runtime, from one year to before another. */
export function transitionsOf(timeZone: string, fromYear: number, untilYear: number): number[] {
  const found: number[] = []
  let time = Temporal.Instant.fromEpochMilliseconds(Date.UTC(fromYear)).toZonedDateTimeISO(timeZone)
  for (;;) {
    const next = time.getTimeZoneTransition('next')
    if (!next || next.epochMilliseconds >= Date.UTC(untilYear)) return found
    found.push(next.epochMilliseconds)
    time = next
  }
}

/** More often near midnight and near the hours of clock changes. */
const minute = fc.oneof(
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 24 * 4 }).map((quarters) => quarters * 15) },
  fc.integer({ min: 0, max: 3 * 60 }),
  fc.integer({ min: 0, max: 24 * 60 }),
)
const timeOf = (minute: number) =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`

const span: fc.Arbitrary<Span> = fc
  .tuple(minute, minute)
  .filter(([a, b]) => a !== b)
  .map(([a, b]) => [timeOf(Math.min(a, b)), timeOf(Math.max(a, b))])
const spans = fc.array(span, { maxLength: 4 })

/** A calendar of the zone whose irregular dates are within ten days of a time. */
export function someCalendar(timeZone: string, nearMs: number): fc.Arbitrary<Calendar> {
  const date = fc
    .integer({ min: -10, max: 10 })
    .map((days) => new Date(nearMs + days * DAY_MS).toISOString().slice(0, 10))
  return fc.record({
    name: fc.constant('Some'),
    time_zone: fc.constant(timeZone),
    weekly: fc.record(
      {
        monday: fc.tuple(fc.constant<Span>(['00:30', '03:30']), span),
        tuesday: spans,
        wednesday: spans,
        thursday: spans,
        friday: spans,
        saturday: spans,
        sunday: fc.oneof(spans, fc.constant<Span[]>([['00:00', '24:00']])),
      },
      { requiredKeys: ['monday'], noNullPrototype: true },
    ),
    holidays: fc.array(date, { maxLength: 3 }),
    exceptions: fc.dictionary(date, spans, { maxKeys: 3, noNullPrototype: true }),
  })
}

/** A calendar, and times in order around a clock change of its zone. */
export interface ZoneCase {
  calendar: Calendar
  times: number[]
  budgetMs: number
}

export const caseAround = (timeZone: string, changeMs: number): fc.Arbitrary<ZoneCase> =>
  fc.record({
    calendar: someCalendar(timeZone, changeMs),
    times: fc
      .array(
        fc.oneof(
          fc.integer({ min: -6 * DAY_MS, max: 6 * DAY_MS }),
          fc.integer({ min: -180, max: 180 }).map((minutes) => minutes * 60_000),
        ),
        { minLength: 2, maxLength: 6 },
      )
      .map((offsets) => offsets.sort((a, b) => a - b).map((offset) => changeMs + offset)),
    budgetMs: fc.oneof(fc.nat(4 * 3_600_000), fc.nat(40 * 3_600_000), fc.constant(0)),
  })
