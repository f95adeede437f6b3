import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { TIME_ZONES } from '../../dashboard/src/pages/settings/time-zone-names.ts'
import { dayAt, isTimeZone, localTime, startOfDay, timeAt } from '../../src/domain/time-zone.ts'

const iso = (time: Date | null) => time?.toISOString().replace(':00.000Z', 'Z') ?? null

test('names of the IANA time zone database are time zones, in any case of letters; offsets and the rest are not', () => {
  for (const name of ['UTC', 'utc', 'Europe/Berlin', 'asia/KATHMANDU', 'Asia/Kolkata', 'Etc/GMT+5'])
    assert.ok(isTimeZone(name), name)
  for (const name of ['', '+02:00', '-0330', '05', 'UTC+2', 'Nowhere', 'Europe/', ' UTC', 'Z', 'CEST'])
    assert.ok(!isTimeZone(name), name)
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
    ['one at three quarters', 'Asia/Kathmandu', '2026-01-02', '2026-01-01T18:15Z', '2026-01-02T18:15Z'],
  ] as const) {
    test(`${what} (${zone})`, () => {
      assert.deepEqual([iso(startOfDay(day, zone)), iso(startOfDay(day, zone, 1))], [begins, ends])
      assert.deepEqual(dayAt(new Date(begins), zone), day)
    })
  }
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
