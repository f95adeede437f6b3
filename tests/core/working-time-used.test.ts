import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runSync } from '../../src/platform/concurrency/cooperative.ts'
import { ALWAYS, calendarWith } from '../support/calendars.ts'
import { type Calendar, type Interval, workingTime, workingTimeUsed } from '../support/source/calendars.ts'

const usedOf = (calendar: Calendar, ...periods: [from: string, to: string][]) => {
  const intervals = periods.map(
    ([from, to]): Interval => ({ startMs: Date.parse(from), endMs: Date.parse(to) }),
  )
  return runSync(workingTimeUsed(workingTime(calendar), intervals))
}

test('a span or a date in two periods counts once, and one that a period only touches does not count', () => {
  const calendar = calendarWith({ holidays: ['2026-05-05'] })
  const used = usedOf(
    calendar,
    // 09:00 in Berlin is 07:00 in UTC.
    ['2026-05-04T06:00:00Z', '2026-05-04T07:00:00Z'],
    ['2026-05-04T08:00:00Z', '2026-05-04T09:00:00Z'],
    ['2026-05-04T10:00:00Z', '2026-05-05T08:00:00Z'],
    ['2026-05-05T09:00:00Z', '2026-05-05T09:00:00Z'],
    ['2026-05-05T10:00:00Z', '2026-05-06T07:00:00Z'],
  )
  assert.deepEqual([used.spanCount, used.holidays], [1, ['2026-05-05']])
})

test('a holiday counts only if its weekday has working time and it has no exception', () => {
  const calendar = calendarWith({
    holidays: ['2026-05-01', '2026-05-02', '2026-05-04'],
    exceptions: { '2026-05-04': [['10:00', '11:00']], '2026-05-08': [] },
  })
  assert.deepEqual(usedOf(calendar, ['2026-04-30T22:00:00Z', '2026-05-07T22:00:00Z']), {
    spanCount: 4,
    holidays: ['2026-05-01'],
    holidayCount: 1,
    exceptions: ['2026-05-04'],
    exceptionCount: 1,
  })
})

test('the first 100 dates are named, and all are counted', () => {
  const day = (n: number) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10)
  const holidays = Array.from({ length: 150 }, (_, n) => day(n))
  const calendar = calendarWith({ time_zone: 'UTC', weekly: ALWAYS, holidays })
  const used = usedOf(calendar, ['2026-01-01T00:00:00Z', '2026-06-30T00:00:00Z'])
  assert.deepEqual([used.holidays, used.holidayCount, used.spanCount], [holidays.slice(0, 100), 150, 30])
})
