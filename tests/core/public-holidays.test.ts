import assert from 'node:assert/strict'
import { test } from 'node:test'
import Holidays from 'date-holidays'
import { publicHolidays } from '../../src/core/calendars/public-holidays.ts'

const of = (year: number, ...place: [country: string, state?: string]) =>
  publicHolidays(new Holidays(...(place as [string])).getHolidays(year))

test('public holidays are the dates of a country and its states', () => {
  const dates = (year: number, ...place: [string, string?]) => of(year, ...place).map(({ date }) => date)
  assert.ok(!dates(2026, 'DE').includes('2026-01-06'))
  assert.ok(dates(2026, 'DE', 'BY').includes('2026-01-06'))
  assert.deepEqual(dates(2027, 'GB', 'ENG').slice(-4), [
    '2027-12-25',
    '2027-12-26',
    '2027-12-27',
    '2027-12-28',
  ])
})

test('a holiday of several days has each date, and one of a part of a day has none', () => {
  const inKorea = of(2027, 'KR').filter(({ name }) => name.includes('설날'))
  assert.deepEqual(
    inKorea.map(({ date }) => date),
    ['2027-02-07', '2027-02-08', '2027-02-09'],
  )
  // Christmas Eve from 13:00.
  assert.ok(!of(2027, 'IS').some(({ date }) => date === '2027-12-24'))
})

test('a date with two holidays is there once, and dates are in order', () => {
  const found = of(2035, 'US')
  assert.deepEqual(
    found.map(({ date }) => date),
    [...new Set(found.map(({ date }) => date))].sort(),
  )
  const twice = publicHolidays([
    { date: '2026-05-01 00:00:00', start: new Date(0), end: new Date(86_400_000), name: 'A', type: 'public' },
    { date: '2026-05-01 00:00:00', start: new Date(0), end: new Date(86_400_000), name: 'B', type: 'public' },
    { date: '2026-05-02 00:00:00', start: new Date(0), end: new Date(86_400_000), name: 'C', type: 'bank' },
  ])
  assert.deepEqual(twice, [{ date: '2026-05-01', name: 'A, B' }])
})
