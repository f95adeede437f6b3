import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { TIME_ZONES } from '../../dashboard/src/format/time-zone-names.ts'
import { dayAt, isTimeZone, lastDays, localTime, startOfDay, timeAt } from '../support/source/contracts.ts'

const DAY = 86_400_000
const iso = (time: Date | null) => time?.toISOString().replace(':00.000Z', 'Z') ?? null

test('names of the IANA time zone database are time zones, in any case of letters; offsets and the rest are not', () => {
  for (const name of ['UTC', 'utc', 'Europe/Berlin', 'asia/KATHMANDU', 'Asia/Kolkata', 'Etc/GMT+5'])
    assert.ok(isTimeZone(name), name)
  for (const name of ['', '+02:00', '-0330', '05', 'UTC+2', 'Nowhere', 'Europe/', ' UTC', 'Z', 'CEST'])
    assert.ok(!isTimeZone(name), name)
})

test('names that only runtimes know, of old, are none', () => {
  for (const name of ['PST', 'ist', 'SystemV/EST5EDT', 'systemv/hst10', 'US/Pacific-New'])
    assert.ok(!isTimeZone(name), name)
  for (const name of ['EST', 'HST', 'MST', 'CET', 'ROK', 'PST8PDT', 'US/Pacific', 'Canada/Saskatchewan'])
    assert.ok(isTimeZone(name), name)
})

test('the dashboard offers time zones by the names that they have today', () => {
  assert.ok(TIME_ZONES.length > 300)
  for (const name of TIME_ZONES) assert.ok(isTimeZone(name), name)
  for (const name of ['Asia/Kolkata', 'Asia/Kathmandu', 'Europe/Kyiv'])
    assert.ok(TIME_ZONES.includes(name), name)
  for (const name of ['Asia/Calcutta', 'Europe/Kiev']) assert.ok(!TIME_ZONES.includes(name), name)
})

describe('a local time', () => {
  for (const [what, zone, local, time] of [
    ['that clocks show once is that moment', 'Asia/Kathmandu', '2026-01-31T13:00', '2026-01-31T07:15Z'],
    [
      'that they pass over counts as if they had not',
      'Europe/Berlin',
      '2026-03-29T02:30',
      '2026-03-29T01:30Z',
    ],
    ['that they show twice is the first', 'Europe/Berlin', '2026-10-25T02:30', '2026-10-25T00:30Z'],
    [
      'that is shown twice in half an hour is too',
      'Australia/Lord_Howe',
      '2026-04-05T01:45',
      '2026-04-04T14:45Z',
    ],
    [
      'of a day that is left out is the moment of it',
      'Pacific/Apia',
      '2011-12-30T00:00',
      '2011-12-30T10:00Z',
    ],
  ] as const) {
    test(`${what} (${zone})`, () => assert.equal(iso(timeAt(local, zone)), time))
  }

  test('that is none, or of a year that the service does not take, is null', () => {
    for (const text of [
      '',
      '2026-13-01T00:00',
      '2026-01-31T25:00',
      '0002-01-01T00:00',
      '+275760-09-13T00:00',
      '1969-12-01T00:00',
    ])
      assert.equal(timeAt(text, 'Europe/Berlin'), null, text)
    assert.equal(startOfDay('', 'UTC'), null)
  })
})

describe('a day begins with the first moment of its date', () => {
  for (const [what, zone, day, begins, ends] of [
    ['one of 23 hours', 'Europe/Berlin', '2026-03-29', '2026-03-28T23:00Z', '2026-03-29T22:00Z'],
    ['one of 25 hours', 'Europe/Berlin', '2026-10-25', '2026-10-24T22:00Z', '2026-10-25T23:00Z'],
    [
      'one whose first hour is passed over',
      'Africa/Cairo',
      '2026-04-24',
      '2026-04-23T22:00Z',
      '2026-04-24T21:00Z',
    ],
    [
      'one whose first hour is twice',
      'America/Havana',
      '2025-11-02',
      '2025-11-02T04:00Z',
      '2025-11-03T05:00Z',
    ],
    [
      'one whose first minute is twice',
      'America/St_Johns',
      '2010-11-07',
      '2010-11-07T02:30Z',
      '2010-11-08T03:30Z',
    ],
    [
      'one whose first hours are twice, and the last of the day before',
      'Antarctica/Casey',
      '2010-03-05',
      '2010-03-04T13:00Z',
      '2010-03-05T16:00Z',
    ],
    ['one at three quarters', 'Asia/Kathmandu', '2026-01-02', '2026-01-01T18:15Z', '2026-01-02T18:15Z'],
  ] as const) {
    test(`${what} (${zone})`, () => {
      assert.deepEqual([iso(startOfDay(day, zone)), iso(startOfDay(day, zone, 1))], [begins, ends])
      assert.equal(dayAt(new Date(begins), zone), day)
      assert.equal(dayAt(new Date(Date.parse(ends) - 1), zone), day)
    })
  }

  test('the hour in which clocks that were set back show the old date again is of the new day', () => {
    for (const [time, shown] of [
      ['2010-11-07T02:30Z', '2010-11-07'],
      ['2010-11-07T02:31Z', '2010-11-06'],
      ['2010-11-07T03:29Z', '2010-11-06'],
    ] as const) {
      assert.equal(localTime(new Date(time), 'America/St_Johns').slice(0, 10), shown)
      assert.equal(dayAt(new Date(time), 'America/St_Johns'), '2010-11-07')
    }
  })
})

describe('the last days', () => {
  const listed = (until: string, zone: string, count: number) =>
    lastDays(new Date(until), zone, count).map(({ day, start }) => [day, iso(start)])

  test('go up to that of the time, also before 1970 and at the end of all times', () => {
    assert.deepEqual(listed('2026-01-31T18:15Z', 'Asia/Kathmandu', 2), [
      ['2026-01-31', '2026-01-30T18:15Z'],
      ['2026-02-01', '2026-01-31T18:15Z'],
    ])
    assert.deepEqual(listed('1970-01-01T00:00Z', 'America/New_York', 1), [
      ['1969-12-31', '1969-12-31T05:00Z'],
    ])
    assert.deepEqual(listed('2999-12-31T23:59Z', 'Europe/Berlin', 1), [['3000-01-01', '2999-12-31T23:00Z']])
  })

  test('have a day that is left out, without a moment', () => {
    assert.deepEqual(listed('2011-12-30T10:00Z', 'Pacific/Apia', 3), [
      ['2011-12-29', '2011-12-29T10:00Z'],
      ['2011-12-30', '2011-12-30T10:00Z'],
      ['2011-12-31', '2011-12-30T10:00Z'],
    ])
  })

  test('begin when clocks are set forward over midnight, if they are', () => {
    assert.deepEqual(listed('1919-03-31T04:30Z', 'America/Toronto', 1), [['1919-03-31', '1919-03-31T04:30Z']])
  })
})

test('days of all time zones have no gaps, and each begins with the first moment of its date (§4.8)', () => {
  const time = fc.date({ min: new Date('1900-01-01'), max: new Date('2101-01-01'), noInvalidDate: true })
  const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'))
  fc.assert(
    fc.property(time, zone, fc.integer({ min: 1, max: DAY }), (until, timeZone, earlier) => {
      const dates = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' })
      const days = lastDays(until, timeZone, 366)
      assert.equal(days.at(-1)?.day, dayAt(until, timeZone))
      for (const [i, { day, start }] of days.entries()) {
        const next = days[i + 1] ?? { day: null, start: new Date(until.getTime() + 1) }
        assert.ok(start < next.start || start.getTime() === next.start.getTime())
        if (next.day) assert.equal(Date.parse(next.day), Date.parse(day) + DAY)
        assert.ok(dates.format(start) >= day)
        for (const ms of [1, earlier]) assert.ok(dates.format(start.getTime() - ms) < day)
        if (start < next.start) assert.equal(dayAt(start, timeZone), day)
        assert.ok(dayAt(new Date(start.getTime() - 1), timeZone) < day)
        if (start >= new Date(0)) assert.deepEqual(startOfDay(day, timeZone), start)
      }
    }),
    { numRuns: 100 },
  )
})

test('what clocks show at a moment is that moment again, or an earlier one that they show as well', () => {
  const zones = [
    'UTC',
    'Europe/Berlin',
    'Asia/Kathmandu',
    'America/St_Johns',
    'Pacific/Kiritimati',
    'Africa/Casablanca',
  ]
  const moment = fc.date({ min: new Date('1971-01-01'), max: new Date('2099-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(moment, fc.constantFrom(...zones), (time, zone) => {
      const shown = localTime(time, zone)
      const again = timeAt(shown, zone) as Date
      assert.equal(localTime(again, zone), shown)
      assert.ok(again <= time)
    }),
  )
})
