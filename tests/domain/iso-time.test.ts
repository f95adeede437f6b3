import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseIsoTime } from '../../src/domain/iso-time.ts'

test('a time is read in each form of ISO 8601; without a zone it is read as UTC', () => {
  for (const [text, time, hasZone] of [
    ['2027-02-28', '2027-02-28T00:00:00.000Z', false],
    ['2028-02-29T12:00', '2028-02-29T12:00:00.000Z', false],
    ['2027-01-31T12:00:00', '2027-01-31T12:00:00.000Z', false],
    ['2027-01-31T12:00:00.1239Z', '2027-01-31T12:00:00.123Z', true],
    ['2027-01-31 12:00:00,5z', '2027-01-31T12:00:00.500Z', true],
    ['2027-01-31T12:00:00+01', '2027-01-31T11:00:00.000Z', true],
    ['2027-01-31T23:30-0545', '2027-02-01T05:15:00.000Z', true],
    ['2027-01-31T12:00:00-00:00', '2027-01-31T12:00:00.000Z', true],
  ] as const) {
    const found = parseIsoTime(text)
    assert.deepEqual([found?.time.toISOString(), found?.hasZone], [time, hasZone], text)
  }
})

test('a time that does not exist, or is of another form, is none', () => {
  for (const text of [
    ...['2027-02-29', '2027-02-30', '2027-04-31', '2027-13-01', '2027-00-10', '2027-01-00', '2027-01-32'],
    ...['2027-06-31T00:00:00Z', '2027-01-31T24:00:00Z', '2027-01-31T12:60:00Z', '2016-12-31T23:59:60Z'],
    ...['2027-01-31T12:00:00+24:00', '2027-01-31T12:00:00+01:60', '2027-01-31T12', '2027-1-31', '31.01.2027'],
    ...['2027-01-31T', '2027-01-31Z', '2027-01-31T12:00:00 GMT', '1800000000', 'tomorrow', ''],
  ])
    assert.equal(parseIsoTime(text), null, text)
})
