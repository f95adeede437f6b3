import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { ALWAYS, calendarWith, caseAround, transitionsOf } from '../support/calendars.ts'
import {
  type Calendar,
  MAX_CALENDAR_DATES,
  MAX_WORKING_SECONDS,
  WEEKDAYS,
  workingTime,
} from '../support/source/calendars.ts'
import { isTimeZone, localTime } from '../support/source/contracts.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const ms = (text: string) => Date.parse(text)
const iso = (time: number) => new Date(time).toISOString().replace(':00.000Z', 'Z')
const onlyOn = (day: (typeof WEEKDAYS)[number], ...spans: [string, string][]): Partial<Calendar> => ({
  weekly: { [day]: spans },
})
const hoursBetween = (changes: Partial<Calendar>, from: string, to: string) =>
  workingTime(calendarWith(changes)).workingMsBetween(ms(from), ms(to)) / HOUR
const due = (changes: Partial<Calendar>, start: string, hours: number) =>
  iso(workingTime(calendarWith(changes)).endOfBudget(ms(start), hours * HOUR))

describe('working time (§2.15 rule 1)', () => {
  test('is the time within the spans of the local date: the start is included, the end is not', () => {
    // Monday 2026-06-01, 09:00 to 17:00 at UTC+2.
    const time = workingTime(calendarWith())
    for (const [at, isWorking] of [
      ['2026-06-01T06:59:59.999Z', 0],
      ['2026-06-01T07:00:00.000Z', 1],
      ['2026-06-01T14:59:59.999Z', 1],
      ['2026-06-01T15:00:00.000Z', 0],
    ] as const)
      assert.equal(time.workingMsBetween(ms(at), ms(at) + 1), isWorking, at)
    assert.equal(hoursBetween({}, '2026-05-30T00:00Z', '2026-06-06T00:00Z'), 40)
  })

  test('counts spans that overlap once', () => {
    const twice = onlyOn(
      'monday',
      ['09:00', '12:00'],
      ['11:00', '13:00'],
      ['09:30', '10:00'],
      ['13:00', '14:00'],
    )
    assert.equal(hoursBetween(twice, '2026-06-01T00:00Z', '2026-06-08T00:00Z'), 5)
  })

  test('a holiday has no spans, and an exception replaces those of its date, also of a holiday (§2.15 rule 2)', () => {
    const changes = {
      holidays: ['2026-12-24', '2026-12-25', '2026-12-26'],
      exceptions: {
        '2026-12-24': [['09:00', '12:00']],
        '2026-12-27': [['10:00', '11:00']],
        '2026-12-28': [],
      },
    } as const
    assert.equal(hoursBetween(changes, '2026-12-23T23:00Z', '2026-12-24T23:00Z'), 3)
    assert.equal(hoursBetween(changes, '2026-12-24T23:00Z', '2026-12-26T23:00Z'), 0)
    assert.equal(hoursBetween(changes, '2026-12-26T23:00Z', '2026-12-28T23:00Z'), 1)
  })

  test('a budget is used up at the earliest instant, not at the start of the next span', () => {
    assert.equal(due({}, '2026-06-01T07:00Z', 8), '2026-06-01T15:00Z')
    assert.equal(due({}, '2026-06-05T14:00Z', 2), '2026-06-08T08:00Z')
    // Saturday: the window begins outside working time.
    assert.equal(due({}, '2026-06-06T12:00Z', 1), '2026-06-08T08:00Z')
  })

  test('a budget of 0 is used up at once, outside working time too', () => {
    assert.equal(due({}, '2026-06-06T12:00Z', 0), '2026-06-06T12:00Z')
    assert.equal(due({}, '2026-06-01T08:00Z', 0), '2026-06-01T08:00Z')
  })

  test('counts nothing between a time and an earlier one', () => {
    assert.equal(hoursBetween({}, '2026-06-02T00:00Z', '2026-06-01T00:00Z'), 0)
  })

  test('names the instants of a date', () => {
    const time = workingTime(calendarWith(onlyOn('sunday', ['01:30', '02:30'], ['04:00', '05:00'])))
    const spans = (date: string) => time.spansOf(date).map(({ startMs, endMs }) => [iso(startMs), iso(endMs)])
    assert.deepEqual(spans('2026-06-07'), [
      ['2026-06-06T23:30Z', '2026-06-07T00:30Z'],
      ['2026-06-07T02:00Z', '2026-06-07T03:00Z'],
    ])
    assert.deepEqual(spans('2026-06-08'), [])
    // The hour from 02:00 is skipped.
    assert.deepEqual(spans('2026-03-29')[0], ['2026-03-29T00:30Z', '2026-03-29T01:00Z'])
    // It is shown twice.
    assert.deepEqual(spans('2026-10-25').slice(0, 2), [
      ['2026-10-24T23:30Z', '2026-10-25T00:30Z'],
      ['2026-10-25T01:00Z', '2026-10-25T01:30Z'],
    ])
  })
})

describe('when clocks are changed, a time that they show twice counts twice and one that they skip not at all (§2.15 rule 3)', () => {
  test('Europe/Berlin: 23 and 25 hours, and the hour itself', () => {
    assert.equal(hoursBetween({ weekly: ALWAYS }, '2026-03-28T23:00Z', '2026-03-29T22:00Z'), 23)
    assert.equal(hoursBetween({ weekly: ALWAYS }, '2026-10-24T22:00Z', '2026-10-25T23:00Z'), 25)
    const night = onlyOn('sunday', ['02:00', '03:00'])
    assert.equal(hoursBetween(night, '2026-03-23T00:00Z', '2026-03-30T00:00Z'), 0)
    assert.equal(hoursBetween(night, '2026-10-19T00:00Z', '2026-10-26T00:00Z'), 2)
    // The budget of one hour ends between the two.
    assert.equal(due(night, '2026-10-24T00:00Z', 1), '2026-10-25T01:00Z')
    assert.equal(due(night, '2026-10-24T00:00Z', 1.5), '2026-10-25T01:30Z')
    // A skipped hour is made up for a week later.
    assert.equal(due(night, '2026-03-28T00:00Z', 0.5), '2026-04-05T00:30Z')
  })

  test('Australia/Lord_Howe changes by half an hour', () => {
    const zone = { time_zone: 'Australia/Lord_Howe' }
    const night = { ...zone, ...onlyOn('sunday', ['01:30', '02:30']) }
    // 2026-04-05 02:00 becomes 01:30; 2026-10-04 02:00 becomes 02:30.
    assert.equal(hoursBetween(night, '2026-04-03T00:00Z', '2026-04-06T00:00Z'), 1.5)
    assert.equal(hoursBetween(night, '2026-10-02T00:00Z', '2026-10-05T00:00Z'), 0.5)
  })

  test('Africa/Casablanca changes its clocks for Ramadan', () => {
    // From 2026-02-15 03:00 to 2026-03-22 02:00 clocks show UTC.
    const work = { time_zone: 'Africa/Casablanca', ...onlyOn('sunday', ['02:00', '03:00']) }
    assert.equal(hoursBetween(work, '2026-02-14T00:00Z', '2026-02-16T00:00Z'), 2)
    assert.equal(hoursBetween(work, '2026-03-21T00:00Z', '2026-03-23T00:00Z'), 0)
    assert.equal(due({ time_zone: 'Africa/Casablanca' }, '2026-02-13T15:00Z', 2), '2026-02-16T10:00Z')
  })

  test('Pacific/Apia skipped 2011-12-30', () => {
    const work = { time_zone: 'Pacific/Apia', weekly: ALWAYS }
    assert.equal(hoursBetween(work, '2011-12-30T09:00Z', '2011-12-30T11:00Z'), 2)
    const friday = { time_zone: 'Pacific/Apia', ...onlyOn('friday', ['09:00', '17:00']) }
    assert.equal(hoursBetween(friday, '2011-12-26T00:00Z', '2012-01-03T00:00Z'), 0)
    assert.equal(due(friday, '2011-12-29T00:00Z', 1), '2012-01-05T20:00Z')
    assert.deepEqual(workingTime(calendarWith(friday)).spansOf('2011-12-30'), [])
  })

  test('America/Santiago changes its clocks at midnight', () => {
    const night = { time_zone: 'America/Santiago', ...onlyOn('saturday', ['23:00', '24:00']) }
    // 2026-04-04 24:00 becomes 23:00.
    assert.equal(hoursBetween(night, '2026-04-04T00:00Z', '2026-04-06T00:00Z'), 2)
    const morning = { time_zone: 'America/Santiago', ...onlyOn('sunday', ['00:00', '01:00']) }
    // 2026-09-06 00:00 becomes 01:00.
    assert.equal(hoursBetween(morning, '2026-09-05T00:00Z', '2026-09-07T00:00Z'), 0)
  })
})

describe('working time is always', () => {
  const zones = Intl.supportedValuesOf('timeZone').map((zone) => ({
    zone,
    changes: [...transitionsOf(zone, 2020, 2040), ms('2026-07-01T00:00Z')],
  }))
  const aCase = fc
    .constantFrom(...zones)
    .chain(({ zone, changes }) => fc.constantFrom(...changes).chain((change) => caseAround(zone, change)))

  test('what the local clock says, added up: never negative, never doubled', () => {
    fc.assert(
      fc.property(aCase, ({ calendar, times }) => {
        const time = workingTime(calendar)
        for (const at of times) {
          assert.equal(time.workingMsBetween(at, at + 1), isWorkingAt(calendar, at) ? 1 : 0, iso(at))
          assert.equal(time.workingMsBetween(at, at), 0)
        }
        const steps = times.slice(1).map((to, i) => time.workingMsBetween(times[i] as number, to))
        for (const [i, step] of steps.entries())
          assert.ok(step >= 0 && step <= (times[i + 1] as number) - (times[i] as number))
        const whole = time.workingMsBetween(times[0] as number, times.at(-1) as number)
        assert.equal(sum(steps), whole)
      }),
      { numRuns: 500 },
    )
  })

  test('used up at the end of a budget, and not a millisecond before', () => {
    fc.assert(
      fc.property(aCase, ({ calendar, times: [start = 0], budgetMs }) => {
        const time = workingTime(calendar)
        const end = time.endOfBudget(start, budgetMs)
        assert.ok(end >= start)
        assert.equal(time.workingMsBetween(start, end), budgetMs)
        if (budgetMs > 0) assert.equal(time.workingMsBetween(start, end - 1), budgetMs - 1)
      }),
      { numRuns: 500 },
    )
  })

  test('the sum of the instants of its dates', () => {
    fc.assert(
      fc.property(aCase, ({ calendar, times }) => {
        const time = workingTime(calendar)
        const from = Math.floor((times[0] as number) / DAY)
        const lengths = Array.from({ length: 12 }, (_, i) => {
          const spans = time.spansOf(new Date((from + i) * DAY).toISOString().slice(0, 10))
          for (const { startMs, endMs } of spans) {
            assert.equal(time.workingMsBetween(startMs, endMs), endMs - startMs)
            assert.equal(isWorkingAt(calendar, startMs), true)
            assert.equal(isWorkingAt(calendar, endMs - 1), true)
          }
          return sum(spans.map(({ startMs, endMs }) => endMs - startMs))
        })
        const isOf = (at: number) => {
          const day = Math.floor(ms(`${localTime(new Date(at), calendar.time_zone)}Z`) / DAY)
          return day >= from && day < from + 12
        }
        // All instants of these dates and, beside them, of no others.
        const [first, last] = [(from - 2) * DAY, (from + 14) * DAY]
        let counted = 0
        for (let at = first; at < last; at += 15 * MINUTE)
          if (isOf(at)) counted += time.workingMsBetween(at, at + 15 * MINUTE)
        assert.equal(sum(lengths), counted)
      }),
      { numRuns: 30 },
    )
  })
})

describe('a budget ends', () => {
  test('of a year of working time at an hour a week, however many dates have none', () => {
    const mondays = Array.from({ length: MAX_CALENDAR_DATES * 2 }, (_, i) =>
      new Date(ms('2026-01-05T00:00Z') + i * 7 * DAY).toISOString().slice(0, 10),
    )
    const least = calendarWith({
      ...onlyOn('monday', ['02:00', '03:00']),
      holidays: mondays.slice(0, MAX_CALENDAR_DATES),
      exceptions: Object.fromEntries(mondays.slice(MAX_CALENDAR_DATES).map((date) => [date, []])),
    })
    const start = ms('2026-01-01T00:00Z')
    const end = workingTime(least).endOfBudget(start, MAX_WORKING_SECONDS * 1000)
    assert.equal(workingTime(least).workingMsBetween(start, end), MAX_WORKING_SECONDS * 1000)
    assert.equal(iso(end).slice(0, 4), '2232')
  })

  test('or it is an error that says so', () => {
    const none = calendarWith({ weekly: { monday: [] } })
    assert.throws(
      () => workingTime(none).endOfBudget(0, 1),
      /has less than 1 ms of working time in the next 400 years/,
    )
  })
})

test('every time zone that a calendar may have has working time', () => {
  const zones = ['UTC', 'utc', 'GMT', 'Etc/GMT+5', 'EST', 'Asia/Calcutta', 'US/Pacific', 'europe/berlin']
  for (const zone of [...Intl.supportedValuesOf('timeZone'), ...zones]) {
    assert.ok(isTimeZone(zone), zone)
    const time = workingTime(calendarWith({ time_zone: zone, weekly: ALWAYS }))
    assert.equal(time.workingMsBetween(0, 30_000 * DAY), 30_000 * DAY, zone)
    assert.equal(time.endOfBudget(0, 365 * DAY), 365 * DAY, zone)
  }
})

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)

/** By the definition, with another part of the runtime. */
function isWorkingAt({ time_zone, weekly, holidays, exceptions }: Calendar, at: number): boolean {
  const [date = '', time = ''] = localTime(new Date(at), time_zone).split('T')
  const weekday = WEEKDAYS[(new Date(date).getUTCDay() + 6) % 7] as keyof Calendar['weekly']
  const spans = exceptions[date] ?? (holidays.includes(date) ? [] : (weekly[weekday] ?? []))
  return spans.some(([start, end]) => start <= time.slice(0, 5) && time.slice(0, 5) < end)
}

test('the clock changes of a time zone are read once for a calendar, however many time zones are in use', (t) => {
  const read = t.mock.method(Temporal.ZonedDateTime.prototype, 'getTimeZoneTransition')
  const zones = Intl.supportedValuesOf('timeZone').slice(0, 200)
  const times = zones.map((time_zone) => workingTime(calendarWith({ time_zone })))
  const computeAll = () => {
    for (const time of times) time.endOfBudget(Date.UTC(2026), 8 * 3_600_000)
  }
  computeAll()
  const before = read.mock.callCount()
  assert.ok(before > 0)
  computeAll()
  assert.equal(read.mock.callCount(), before)
})
