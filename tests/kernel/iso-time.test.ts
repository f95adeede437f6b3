import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseIsoTime } from '../../src/kernel/iso-time.ts'

const timeOf = (text: string) => {
  const time = parseIsoTime(text)
  assert.ok(time instanceof Date, `${text}: ${time}`)
  return time.toISOString()
}

test('times are parsed in the formats of libraries of other languages', () => {
  for (const [text, time] of [
    ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01t00:00:00z', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T00:00Z', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T00:00:00,5Z', '2026-01-01T00:00:00.500Z'],
    ['2026-01-01T00:00:00.1239999+00:00', '2026-01-01T00:00:00.123Z'],
    ['2026-01-01 00:00:00.000000000000+00', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01 00:00:00 +0100', '2025-12-31T23:00:00.000Z'],
    ['2026-01-01T00:00:00+01', '2025-12-31T23:00:00.000Z'],
    ['2026-01-01T00:00:00+0130', '2025-12-31T22:30:00.000Z'],
    ['2026-01-01T00:00-09:30', '2026-01-01T09:30:00.000Z'],
    ['2024-02-29T23:59:59-00:00', '2024-02-29T23:59:59.000Z'],
    ['1970-01-01T00:00Z', '1970-01-01T00:00:00.000Z'],
    ['1970-01-01T01:00+01', '1970-01-01T00:00:00.000Z'],
    ['2999-12-31T23:59:59.999Z', '2999-12-31T23:59:59.999Z'],
  ] as const)
    assert.equal(timeOf(text), time, text)
})

test('any other text is refused with the reason', () => {
  for (const [text, flaw] of [
    ['', /^must be a time as ISO 8601 with a zone, such as 2026-01-31T09:30:00\.000Z$/],
    ['tomorrow', /^must be a time as ISO 8601/],
    ['1767225600', /^must be a time as ISO 8601/],
    ['01.01.2026', /^must be a time as ISO 8601/],
    [' 2026-01-01T00:00:00Z', /^must be a time as ISO 8601/],
    ['2026-1-1T00:00:00Z', /^must be a time as ISO 8601/],
    ['2026-01-01', /^must have a time of day and a zone after the date/],
    ['2026-01-01T5:00Z', /^must have a time of day/],
    ['2026-01-01T00:00:00', /^must have a zone at the end, Z or an offset such as \+01:00/],
    ['2026-01-01T00:00:00.Z', /^must have a zone/],
    ['2026-01-01T00:00:00 02:00', /^must have a zone/],
    ['2026-01-01T00:00:00Z+01:00', /^must have a zone/],
    ['2026-01-01T00:00:00+1', /^must have a zone/],
    ['2027-02-30T00:00:00Z', /^names a day that does not exist, 2027-02-30$/],
    ['2100-02-29T00:00:00Z', /^names a day that does not exist/],
    ['2026-13-01T00:00:00Z', /^names a day that does not exist/],
    ['2026-00-01T00:00:00Z', /^names a day that does not exist/],
    ['2026-01-00T00:00:00Z', /^names a day that does not exist/],
    ['2026-01-01T24:00:00Z', /^names the hour 24; hours go from 00 to 23$/],
    ['2016-12-31T23:59:60Z', /^names the second 60: leap seconds are not accepted$/],
    ['2026-01-01T00:60Z', /^names a minute or second beyond 59$/],
    ['2026-01-01T00:00:61Z', /^names a minute or second beyond 59$/],
    ['2026-01-01T00:00+24:00', /^has an offset that does not exist, \+24:00$/],
    ['2026-01-01T00:00+00:60', /^has an offset that does not exist/],
    ['1970-01-01T00:00+00:01', /^must be from 1970 to 2999$/],
    ['0001-01-01T00:00:00Z', /^must be from 1970 to 2999$/],
    ['3000-01-01T00:00:00Z', /^must be from 1970 to 2999$/],
    ['+012026-01-01T00:00:00Z', /^must be a time as ISO 8601/],
  ] as const) {
    const parsed = parseIsoTime(text)
    assert.equal(typeof parsed, 'string', text)
    assert.match(`${parsed}`, flaw, text)
  }
})
