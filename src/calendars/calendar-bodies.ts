import { type Static, Type } from 'typebox'
import { MadeBy, presentMaker } from '../accounts/tokens/maker-bodies.ts'
import { type Calendar, normalizeHours, WEEKDAYS } from '../core/calendars/calendar.ts'
import {
  MAX_CALENDAR_DATES,
  MAX_CALENDAR_NAME_LENGTH,
  MAX_EXCEPTION_SPANS,
  MAX_SPANS,
} from '../core/limits.ts'
import type { CalendarRecord, CalendarVersion } from '../core/records.ts'
import {
  DateTime,
  DateTimeOrNull,
  TimeZone,
  Uuid,
  Version,
} from '../platform/http/responses/field-schemas.ts'

/* The published schema of a calendar. The domain validates calendars, because it names the exact span. */

const TIME = {
  type: 'string',
  pattern: '^(([01]\\d|2[0-3]):[0-5]\\d|24:00)$',
  examples: ['09:00', '17:00', '24:00'],
}
const DATE_PATTERN = '^(19[7-9]|2\\d\\d)\\d-\\d\\d-\\d\\d$'

const SPANS = {
  type: 'array',
  description: 'Times of day as HH:MM, the start included, the end excluded. Spans that overlap count once.',
  maxItems: MAX_SPANS,
  items: { type: 'array', minItems: 2, maxItems: 2, items: TIME },
  examples: [
    [
      ['09:00', '12:00'],
      ['13:00', '17:00'],
    ],
  ],
}

const WEEKLY_HOURS = {
  $id: 'WeeklyHours',
  type: 'object',
  description:
    'The spans of working time of each weekday. A weekday that is left out has none. A week has at least an hour.',
  additionalProperties: false,
  properties: Object.fromEntries(WEEKDAYS.map((day) => [day, SPANS])),
  examples: [
    {
      monday: [
        ['09:00', '12:00'],
        ['13:00', '17:00'],
      ],
      friday: [['09:00', '15:00']],
    },
  ],
}

const HOLIDAYS = {
  $id: 'Holidays',
  type: 'array',
  description: 'Dates without working time, in the time zone of the calendar.',
  maxItems: MAX_CALENDAR_DATES,
  items: { type: 'string', pattern: DATE_PATTERN, examples: ['2026-12-25', '2027-01-01'] },
  examples: [['2026-12-25', '2026-12-26']],
}

const EXCEPTIONAL_HOURS = {
  $id: 'ExceptionalHours',
  type: 'object',
  description: `The spans of dates, in place of those of the weekday or the holiday; at most ${MAX_EXCEPTION_SPANS} spans in all.`,
  maxProperties: MAX_CALENDAR_DATES,
  propertyNames: { pattern: DATE_PATTERN },
  additionalProperties: SPANS,
  examples: [{ '2026-12-24': [['09:00', '12:00']] }],
}

const refTo = <Value>({ $id }: { $id: string }) => Type.Unsafe<Value>({ $ref: `${$id}#` })

const HOURS = {
  weekly: refTo<Calendar['weekly']>(WEEKLY_HOURS),
  holidays: refTo<Calendar['holidays']>(HOLIDAYS),
  exceptions: refTo<Calendar['exceptions']>(EXCEPTIONAL_HOURS),
}

const RULES = {
  name: Type.String({
    description: 'For people.',
    minLength: 1,
    maxLength: MAX_CALENDAR_NAME_LENGTH,
    examples: ['Support Berlin'],
  }),
  time_zone: TimeZone('The time zone of the dates and times: a name of the IANA time zone database.'),
  ...HOURS,
}

/** §2.15 */
export const CalendarBody = Type.Object(
  {
    id: Uuid('Made by the server.'),
    user_id: Uuid('The account that it belongs to.'),
    version: Version('From 1 on: one more with each change.'),
    ...RULES,
    created_at: DateTime('When it was created.'),
    updated_at: DateTime('When its current version was made.'),
    deleted_at: DateTimeOrNull('When it was deleted, which closes it to new contracts; null if it was not.'),
  },
  { $id: 'Calendar', description: 'When work is done, in a time zone (§2.15).' },
)

/** §2.15 */
export const CalendarVersionBody = Type.Object(
  {
    calendar_id: Uuid('The calendar.'),
    version: Version('Its number, from 1 on.'),
    ...RULES,
    created_at: DateTime('When it was made.'),
    made_by: MadeBy,
  },
  { $id: 'CalendarVersion', description: 'What a calendar is, or was. It never changes (§2.15).' },
)

const OPTIONAL_DATES = {
  holidays: Type.Optional(HOURS.holidays),
  exceptions: Type.Optional(HOURS.exceptions),
}

export const NewCalendarBody = Type.Object({ ...RULES, ...OPTIONAL_DATES }, { additionalProperties: false })

export const CalendarChangeBody = Type.Object(
  {
    name: Type.Optional(RULES.name),
    time_zone: Type.Optional(RULES.time_zone),
    weekly: Type.Optional(HOURS.weekly),
    ...OPTIONAL_DATES,
  },
  { additionalProperties: false, minProperties: 1 },
)

const Instants = Type.Object({
  start: DateTime('Included.'),
  end: DateTime('Excluded.'),
})

export const CalendarPreviewBody = Type.Object(
  {
    calendar_id: Uuid('The calendar.'),
    version: Version('The version that is shown.'),
    time_zone: RULES.time_zone,
    time_zone_data: Type.String({
      description: 'The version of the IANA time zone database that the server uses.',
      examples: ['2026c'],
    }),
    holidays_until: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date',
      description: 'The last holiday of the calendar; null if it has none. Later years have no holidays yet.',
      examples: ['2027-12-26'],
    }),
    data: Type.Array(
      Type.Object({
        date: Type.String({ format: 'date', examples: ['2026-12-24'] }),
        weekday: Type.Enum([...WEEKDAYS]),
        holiday: Type.Boolean({ description: 'Whether the calendar lists the date as a holiday.' }),
        exception: Type.Boolean({ description: 'Whether the calendar has spans for the date.' }),
        spans: Type.Unsafe<string[][]>({
          ...SPANS,
          description: 'The spans of the date on the local clock, overlaps merged.',
        }),
        working_time: Type.Array(Instants, {
          description: 'The same as instants, with the changes of the clocks: a skipped hour is left out.',
        }),
        seconds: Type.Number({ description: 'The seconds of working time of the date.' }),
      }),
    ),
  },
  { $id: 'CalendarPreview', description: 'The working time of dates (§4.18).' },
)

export const CALENDAR_COMPONENTS = [
  WEEKLY_HOURS,
  HOLIDAYS,
  EXCEPTIONAL_HOURS,
  CalendarBody,
  CalendarVersionBody,
  CalendarPreviewBody,
]

const presentRules = (calendar: Calendar) => {
  const { name, time_zone, weekly, holidays, exceptions } = normalizeHours(calendar)
  return { name, time_zone, weekly, holidays, exceptions }
}

export const presentCalendar = (calendar: CalendarRecord): Static<typeof CalendarBody> => ({
  id: calendar.id,
  user_id: calendar.userId,
  version: calendar.versionNumber,
  ...presentRules(calendar),
  created_at: calendar.createdAt,
  updated_at: calendar.updatedAt,
  deleted_at: calendar.deletedAt,
})

export const presentCalendarVersion = (version: CalendarVersion): Static<typeof CalendarVersionBody> => ({
  calendar_id: version.calendarId,
  version: version.number,
  ...presentRules(version),
  created_at: version.createdAt,
  made_by: presentMaker(version.madeBy),
})
