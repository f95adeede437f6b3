import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { calendarWith, someCalendar } from '../support/calendars.ts'
import { MAX_CALENDAR_DATES, MAX_SPANS, validateCalendar } from '../support/source/calendars.ts'

const paths = (value: unknown) => validateCalendar(value).map(({ path }) => path)
const pathsWith = (changes: object) => paths({ ...calendarWith(), ...changes })
const dates = (count: number) =>
  Array.from({ length: count }, (_, i) => new Date(i * 86_400_000).toISOString().slice(0, 10))

describe('a calendar (§2.15)', () => {
  test('every generated calendar is valid', () => {
    fc.assert(
      fc.property(someCalendar('Asia/Tokyo', Date.UTC(2026)), (calendar) =>
        assert.deepEqual(paths(calendar), []),
      ),
    )
  })

  test('is an object with a name, a time zone and a week, and no other fields', () => {
    for (const value of [null, [], 'x', 1, undefined]) assert.deepEqual(paths(value), ['calendar'])
    assert.deepEqual(paths({}), ['name', 'time_zone', 'weekly'])
    const { holidays: _, exceptions: __, ...least } = calendarWith()
    assert.deepEqual(paths(least), [])
    for (const name of ['extra', 'toString', '__proto__x']) assert.deepEqual(pathsWith({ [name]: 1 }), [name])
    for (const name of ['name', 'time_zone', 'weekly', 'holidays', 'exceptions'])
      assert.deepEqual(pathsWith({ [name]: null }), [name])
    assert.deepEqual(pathsWith({ name: '' }), ['name'])
    assert.deepEqual(pathsWith({ name: 'x'.repeat(256) }), ['name'])
    assert.deepEqual(pathsWith({ name: '🗓'.repeat(255) }), [])
  })

  test('has a time zone of the IANA database', () => {
    for (const time_zone of ['+02:00', 'CEST', 'Europe/Nowhere', '', 1])
      assert.deepEqual(pathsWith({ time_zone }), ['time_zone'])
    for (const time_zone of ['UTC', 'Asia/Kathmandu', 'America/Argentina/Ushuaia'])
      assert.deepEqual(pathsWith({ time_zone }), [])
  })

  test('has times of day as HH:MM up to 24:00, and spans that start before they end', () => {
    const monday = (...spans: unknown[]) =>
      pathsWith({ weekly: { monday: spans, friday: [['09:00', '17:00']] } })
    for (const span of [
      ['00:00', '24:00'],
      ['23:59', '24:00'],
      ['00:00', '00:01'],
    ])
      assert.deepEqual(monday(span), [])
    for (const [span, wrong] of [
      [['9:00', '17:00'], '[0]'],
      [['09:00', '24:01'], '[1]'],
      [['09:00', '17:60'], '[1]'],
      [['09:00:00', '17:00'], '[0]'],
      [['24:00', '24:00'], ''],
      [['17:00', '09:00'], ''],
      [['09:00', '09:00'], ''],
      [['09:00'], ''],
      [['09:00', '10:00', '11:00'], ''],
      ['09:00', ''],
      [[9, 17], '[0]'],
      [null, ''],
    ] as const)
      assert.equal(monday(span)[0], `weekly.monday[0]${wrong}`, JSON.stringify(span))
    assert.deepEqual(pathsWith({ weekly: { monday: 'all', friday: [['09:00', '17:00']] } }), [
      'weekly.monday',
    ])
    assert.deepEqual(pathsWith({ weekly: { Monday: [['09:00', '17:00']] } }), ['weekly.Monday'])
    assert.deepEqual(monday(...Array(MAX_SPANS).fill(['09:00', '17:00'])), [])
    assert.deepEqual(monday(...Array(MAX_SPANS + 1).fill(['09:00', '17:00'])), ['weekly.monday'])
  })

  test('has at least an hour of working time a week, spans that overlap counted once', () => {
    assert.deepEqual(pathsWith({ weekly: { monday: [['09:00', '10:00']] } }), [])
    assert.deepEqual(
      pathsWith({ weekly: { monday: [['09:00', '09:30']], sunday: [['09:00', '09:30']] } }),
      [],
    )
    for (const weekly of [
      {},
      { monday: [] },
      { monday: [['09:00', '09:59']] },
      {
        monday: [
          ['09:00', '09:40'],
          ['09:10', '09:50'],
        ],
      },
    ])
      assert.deepEqual(pathsWith({ weekly }), ['weekly'], JSON.stringify(weekly))
  })

  test('names dates that exist, from 1970 to 2999', () => {
    for (const date of ['2028-02-29', '1970-01-01', '2999-12-31'])
      assert.deepEqual(pathsWith({ holidays: [date], exceptions: { [date]: [] } }), [], date)
    for (const date of [
      '2026-02-29',
      '2026-04-31',
      '2026-13-01',
      '1969-12-31',
      '3000-01-01',
      '2026-1-1',
      '20260101',
      '',
    ])
      assert.deepEqual(pathsWith({ holidays: [date], exceptions: { [date]: [] } }), [
        'holidays[0]',
        `exceptions.${date}`,
      ])
    assert.deepEqual(pathsWith({ exceptions: { '2026-12-24': [['12:00', '09:00']] } }), [
      'exceptions.2026-12-24[0]',
    ])
  })

  test('has at most a thousand holidays and a thousand exceptions', () => {
    const exceptions = (count: number) => Object.fromEntries(dates(count).map((date) => [date, []]))
    const most = MAX_CALENDAR_DATES
    assert.deepEqual(pathsWith({ holidays: dates(most), exceptions: exceptions(most) }), [])
    assert.deepEqual(pathsWith({ holidays: dates(most + 1) }), ['holidays'])
    assert.deepEqual(pathsWith({ exceptions: exceptions(most + 1) }), ['exceptions'])
  })
})
