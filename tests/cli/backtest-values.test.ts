import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SeenCases } from '../../src/cli/backtest/cases/seen-cases.ts'
import { parseTime } from '../../src/cli/backtest/log/parse-time.ts'
import { cellValue, valueBytes } from '../support/source/backtest.ts'

test('a cell is a number only where nothing is lost by it', () => {
  for (const cell of ['0', '-1', '1.50', '1e3', '0.30000000000000004', '9007199254740991', '-0'])
    assert.equal(typeof cellValue(cell), 'number', cell)
  for (const cell of [
    '007',
    '9007199254740993',
    '1e400',
    '0.1234567890123456789',
    '1e-400',
    '+1',
    '.5',
    '1.',
    ' 1',
    'NaN',
    '0x10',
    'true',
    '-',
  ])
    assert.equal(typeof cellValue(cell), 'string', cell)
})

test('the size of a value is that of its JSON', () => {
  for (const value of ['', 'plain', 'quo"te', 'back\\slash', 'é€😀', '\n\u0001\u007f', 1.5, -0.25, 1e21]) {
    assert.equal(valueBytes(value), Buffer.byteLength(JSON.stringify(value)))
  }
})

test('times are those of the calendar, in the forms that logs write, whatever the zone of the machine', () => {
  const same = [
    '2026-03-02T07:05:00Z',
    '2026-03-02T07:05:00.000Z',
    '2026-03-02 07:05:00',
    '2026/03/02 07:05',
    '2026-03-02T08:05:00+01:00',
    '2026-03-02 07:05:00 UTC',
    '1772435100',
    '1772435100000',
    '2026-03-02T01:05:00-0600',
  ]
  for (const text of same) assert.equal(parseTime(text), Date.parse('2026-03-02T07:05:00Z'), text)
  for (const text of [
    '2026-02-29T00:00:00Z',
    '2026-13-01',
    '02-03-2026',
    '2026-03-02T24:00:00Z',
    '2026-03-02T07:60:00Z',
    '',
    'now',
    '12',
    '2026-03-02T07:05:00+25:00',
    '2026-0a-02T07:05:00Z',
    '2026-03-02T07:05:00.0x0Z',
  ])
    assert.equal(parseTime(text), null, text)
  for (let day = -700_000; day < 2_900_000; day += 1237) {
    const time = day * 86_400_000 + 45_296_789
    const text = new Date(time).toISOString()
    assert.equal(parseTime(text), time, text)
  }
})

test('a hundred thousand cases with like names are told apart', () => {
  const seen = new SeenCases()
  for (let i = 0; i < 100_000; i++) assert.ok(seen.add(`Case ${i}`))
  for (let i = 0; i < 100_000; i++) assert.ok(!seen.add(`Case ${i}`))
})
