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

  test('rows that a quote without its end takes into a cell are noted (§10 rule 8)', async (t) => {
    const at = (hour: number) => `2026-01-01T0${hour}:00:00Z`
    const [open, done] = [`a,open,${at(1)},1`, `a,done,${at(2)},1`]
    const logs: Record<string, string[]> = {
      'last.csv': [HEADER, `${open},"bad`, `${done},`, `b,open,${at(1)},1,`, `b,x,${at(3)},1,"ok"`],
      'one.csv': [HEADER, `${open},"bad`, `${done},size 5"`],
      'first.csv': ['case_id,type,occurred_at', `"b,done,${at(1)}`, `c",done,${at(2)}`],
      'windows.csv': ['case_id;note;type;occurred_at', 'a;"bad', `a;"ok";done;${at(2)}`],
      'text.csv': [
        HEADER,
        `${open},"""Dear, all"""`,
        `${done},"a, b`,
        ',,,',
        '1, 2, 3, 4, 5',
        `on ${at(1)},`,
        '"',
      ],
    }
    const ends = (name: string) => (name === 'windows.csv' ? '\r\n' : '\n')
    const path = await filesIn(
      t,
      Object.fromEntries(Object.entries(logs).map(([name, rows]) => [name, rows.join(ends(name))])),
    )
    const notes = async (name: string) => (await backtestOf(path(name), [contractWith()])).json.warnings
    const begins = 'a quote may not be closed: the row on line 2 has a cell with what looks like'
    assert.deepEqual(await notes('last.csv'), [`${begins} 3 rows of the log, which are not read`])
    assert.deepEqual(await notes('one.csv'), [`${begins} 1 row of the log, which is not read`])
    assert.deepEqual(await notes('first.csv'), [`${begins} 1 row of the log, which is not read`])
    assert.deepEqual(await notes('windows.csv'), [`${begins} 1 row of the log, which is not read`])
    assert.deepEqual(await notes('text.csv'), [])
  })

  test('headers within the log whose columns differ from the first are noted (§10 rule 8)', async (t) => {
    const [first, row] = ['case_id,type,occurred_at,v,w', 'a,done,2026-01-01T09:00:00Z,1,2']
    for (const [header, isOther] of [
      ['case_id,type,occurred_at,w,v', true],
      ['type,case_id,occurred_at,v,w', true],
      ['case_id,type,occurred_at,v,other', true],
      ['case_id,type,v,w,occurred_at', true],
      ['\uFEFFcase_id, type,occurred_at,v,w', false],
      ['x,y,occurred_at,w,v', false],
    ] as const) {
      const path = await filesIn(t, { log: [first, row, header, row, ''].join('\n') })
      const { json } = await backtestOf(path('log'), [contractWith()])
      assert.equal(json.bad_rows.first[0]?.line, 3, header)
      assert.deepEqual(
        json.warnings,
        isOther
          ? [
              'the row on line 3 is a header with other columns than those of the first line; the rows after it were read with the columns of the first line, so values may be in the wrong columns: give each file the same columns before you join them',
            ]
          : [],
        header,
      )
    }
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
