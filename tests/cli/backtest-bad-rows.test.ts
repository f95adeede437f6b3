import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { contractWith } from '../support/contracts.ts'
import { backtestOf, filesIn } from './backtest-files.ts'

const HEADER = 'case_id,type,occurred_at,value,note'

describe('bad rows', () => {
  test('bad rows are counted by reason and shown with the lines that they begin on', async (t) => {
    const rows = [
      HEADER, // line 1
      'a,done,2026-01-01T00:00:00Z,1,"two\r\nlines\nand three"', // 2 to 4
      'a,done,2026-02-30T00:00:00Z,1,',
      '', // 6
      'a,done',
      ',done,2026-01-01T00:00:00Z,1,',
      'a,,2026-01-01T00:00:00Z,1,',
      'a,done,2026-01-01T00:00:00Z,1,\0',
      `a,done,2026-01-01T00:00:00Z,1,${'x'.repeat(256 * 1024)}`,
      `a,${'t'.repeat(256)},2026-01-01T00:00:00Z,1,`,
      'a,done,"yester\nday",1,', // 13 to 14
      'a,done,nonsense,1,',
    ]
    const path = await filesIn(t, { 'log.csv': rows.join('\n') })
    const { bad_rows, log } = (await backtestOf(path('log.csv'), [contractWith()])).json
    assert.equal(log.events, 1)
    const found = bad_rows.first.map(({ line, reason }: { line: number; reason: string }) => [line, reason])
    assert.deepEqual(found, [
      [5, 'bad time'],
      [7, 'wrong number of cells'],
      [8, 'no case'],
      [9, 'no event type'],
      [10, 'character that no string may have'],
      [11, 'payload too large'],
      [12, 'event type too long'],
      [13, 'bad time'],
      [15, 'bad time'],
    ])
    assert.equal(bad_rows.by_reason['bad time'], 3)
  })

  test('a type is measured in characters, as the service does: 255 emoji are not too long', async (t) => {
    const rows = [
      HEADER,
      `a,${'😀'.repeat(255)},2026-01-01T00:00:00Z,1,`,
      `a,${'😀'.repeat(256)},2026-01-01T00:00:00Z,1,`,
    ]
    const path = await filesIn(t, { 'log.csv': rows.join('\n') })
    const { bad_rows, log } = (await backtestOf(path('log.csv'), [contractWith()])).json
    assert.equal(log.events, 1)
    assert.deepEqual(bad_rows.by_reason, { 'event type too long': 1 })
    assert.match(bad_rows.first[0].detail, /has 256 characters/)
  })

  test('line numbers stay right after quoted cells with CRLF', async (t) => {
    const rows = [
      HEADER,
      'a,done,2026-01-01T00:00:00Z,1,"x\r\ny\r\nz"',
      'b,done,never,1,',
      'b,done,"n\r\never",1,',
      'b,done,no,1,',
    ]
    const path = await filesIn(t, { 'log.csv': rows.join('\r\n') })
    const { json } = await backtestOf(path('log.csv'), [contractWith()])
    assert.deepEqual(
      json.bad_rows.first.map(({ line }: { line: number }) => line),
      [5, 6, 8],
    )
  })

  test('bad lines of NDJSON: no object, NUL, half a surrogate pair, a number too large', async (t) => {
    const good = '{"case_id":7,"type":"done","occurred_at":1767225600,"value":1}'
    const lines = [
      good,
      '[1]',
      '{"case_id":',
      good.replace('done', 'd\\u0000'),
      good.replace('}', ',"x":{"y":["\\ud800"]}}'),
      good.replace(':1}', ':1e999}'),
      good.replace('done', '\\ud83d\\ude00'),
    ]
    const path = await filesIn(t, { 'log.ndjson': lines.join('\n') })
    const { json } = await backtestOf(path('log.ndjson'), [contractWith()], { format: 'ndjson' })
    const reasons = json.bad_rows.first.map(
      ({ line, reason }: { line: number; reason: string }) => `${line} ${reason}`,
    )
    assert.deepEqual(reasons, [
      '2 not a JSON object',
      '3 not a JSON object',
      '4 character that no string may have',
      '5 character that no string may have',
      '6 number out of range',
    ])
    assert.equal(json.log.events, 2)
  })
})
