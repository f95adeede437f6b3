import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { cellValue, valueBytes } from '../../src/cli/backtest/cell-value.ts'
import { parseTime } from '../../src/cli/backtest/parse-time.ts'
import { readContract } from '../../src/cli/backtest/read-contract.ts'
import { resultTable } from '../../src/cli/backtest/result-table.ts'
import type { BacktestOptions } from '../../src/cli/backtest/run-backtest.ts'
import { SeenCases } from '../../src/cli/backtest/seen-cases.ts'
import type { Contract } from '../../src/domain/contract.ts'
import { all, contractWith, not } from '../support/contracts.ts'
import { backtestOf, filesIn } from './backtest-files.ts'

const SAMPLE_LOG = fileURLToPath(new URL('../../examples/sample-log.csv', import.meta.url))
const HEADER = 'case_id,type,occurred_at,value,note'

const delivery: Contract = contractWith({
  activity_window: 4 * 3600,
  fulfillment_condition: all(
    { event: 'delivered', field: 'celsius', gte: 2, lte: 8 },
    { event: 'signed' },
    not({ event: 'damage_reported' }),
  ),
})

const asNdjson = (csv: string) => {
  const [header = [], ...rows] = csv
    .trim()
    .split('\n')
    .map(
      (line) =>
        line.match(/("[^"]*"|[^,]*)(,|$)/g)?.map((cell) => cell.replace(/,$/, '').replaceAll('"', '')) ?? [],
    )
  return rows
    .map((cells) => header.flatMap((name, i) => (name && cells[i] ? [[name, cellValue(cells[i])]] : [])))
    .map((entries) => JSON.stringify(Object.fromEntries(entries)))
    .join('\n')
}

describe('the log', () => {
  test('gives the same result as CSV, NDJSON and gzip, sorted by case and not, with a BOM and CRLF', async (t) => {
    const csv = await readFile(SAMPLE_LOG, 'utf8')
    const [header, ...rows] = csv.trim().split('\n')
    const byTime = rows.toSorted((a, b) => ((a.split(',')[2] ?? '') < (b.split(',')[2] ?? '') ? -1 : 1))
    const byCase = rows.toSorted((a, b) => ((a.split(',')[0] ?? '') < (b.split(',')[0] ?? '') ? -1 : 1))
    const path = await filesIn(t, {
      'by-case.csv': [header, ...byCase].join('\n'),
      'by-time.csv': [header, ...byTime].join('\n'),
      'windows.csv': `\uFEFF${[header, ...byCase, ''].join('\r\n')}`,
      'log.csv.gz': gzipSync(csv),
      'log.ndjson': `\uFEFF${asNdjson(csv)}`,
      'log.ndjson.gz': gzipSync(asNdjson(csv).replaceAll('\n', '\r\n\r\n')),
      'tabs.csv': csv
        .replace('on time, friendly', 'x')
        .replace('crushed, two', '')
        .replace('neighbour, not', '')
        .replaceAll(',', '\t'),
    })
    const expected = await backtestOf(SAMPLE_LOG, [delivery])
    assert.equal(expected.json.contracts[0].confirmed, 5)
    const withoutLines = (json: object) =>
      JSON.parse(JSON.stringify(json, (key, value) => (key === 'line' ? 0 : value)))
    for (const name of [
      'by-case.csv',
      'by-time.csv',
      'windows.csv',
      'log.csv.gz',
      'log.ndjson',
      'log.ndjson.gz',
      'tabs.csv',
    ]) {
      const format = name.includes('ndjson') ? 'ndjson' : 'csv'
      const separator = name === 'tabs.csv' ? '\t' : ','
      const { json } = await backtestOf(path(name), [delivery], { format, separator })
      assert.deepEqual(withoutLines(json), withoutLines(expected.json), name)
    }
    const sorted = await backtestOf(path('by-case.csv'), [delivery], { isSorted: true })
    assert.deepEqual(withoutLines(sorted.json), withoutLines(expected.json))
  })

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

  test('the payload is the other columns, without empty cells and names that the service keeps', async (t) => {
    const match = (payload: object) =>
      contractWith({ fulfillment_condition: { event: 'done', match: payload as never } })
    const path = await filesIn(t, {
      'log.csv':
        'case_id,type,occurred_at,id,value,flag,empty,__proto__,code\na,done,2026-01-01T00:00:00Z,9,1.50,true,,p,007\n',
    })
    const confirmed = async (payload: string) => {
      const { json } = await backtestOf(path('log.csv'), [match(JSON.parse(payload))])
      assert.match(json.warnings.join(), /"id" is left out of the payloads/)
      return json.contracts[0].confirmed === 1
    }
    for (const payload of ['{"value":1.5}', '{"flag":"true"}', '{"code":"007"}', '{"__proto__":"p"}'])
      assert.ok(await confirmed(payload), payload)
    for (const payload of [
      '{"value":"1.50"}',
      '{"flag":true}',
      '{"id":9}',
      '{"empty":""}',
      '{"case_id":"a"}',
    ])
      assert.ok(!(await confirmed(payload)), payload)
  })

  test('--opened-at gives the opening time, by whichever row of the case has it; else it is the first event', async (t) => {
    const path = await filesIn(t, {
      'log.csv':
        'case_id,type,occurred_at,begun\na,x,2026-01-01T00:00:00Z,\na,done,2026-01-01T01:30:00Z,2026-01-01T01:00:00Z\nb,x,2026-01-01T00:00:00Z,\nb,done,2026-01-01T01:30:00Z,\n',
    })
    const columns = { case: 'case_id', type: 'type', time: 'occurred_at', openedAt: 'begun' }
    const [contract] = (await backtestOf(path('log.csv'), [contractWith()], { columns })).json.contracts
    assert.deepEqual([contract.confirmed, contract.failed], [1, 1])
    assert.equal(contract.events.refused.before_opening, 1)
  })
})

test('a log or a contract that cannot be read is refused in one line that says why', async (t) => {
  const log = 'case_id,type,occurred_at\na,done,2026-01-01T00:00:00Z\n'
  const path = await filesIn(t, {
    'log.csv': log,
    'apart.csv': `${log}b,x,2026-01-01T00:00:00Z\na,x,2026-01-02T00:00:00Z\n`,
    'cut.csv.gz': gzipSync(log).subarray(0, -6),
    'quote.csv': `${log}"b,done,2026-01-01T00:00:00Z\n`,
    'empty.csv': '',
    'other.ndjson': '{"case":"a"}\n',
    'no.json': '{',
  })
  const columns = { case: 'case_id', type: 'type', time: 'occurred_at' }
  const cases: [string, Partial<BacktestOptions>, RegExp][] = [
    ['none.csv', {}, /^there is no log .*none\.csv$/],
    ['.', {}, /is a folder$/],
    ['empty.csv', {}, /the log is empty/],
    [
      'log.csv',
      { columns: { ...columns, case: 'ticket' } },
      /no column "ticket" \(--case\); separated by "," it has: case_id, type, occurred_at$/,
    ],
    ['log.csv', { columns: { ...columns, openedAt: 'begin' } }, /no column "begin" \(--opened-at\)/],
    ['other.ndjson', { format: 'ndjson' }, /first line has no field "case_id" \(--case\); it has: case$/],
    ['apart.csv', { isSorted: true }, /^line 4 of the log: case "a" appears again/],
    ['cut.csv.gz', {}, /cut\.csv\.gz is cut short/],
    ['quote.csv', {}, /^the row that begins on line 3 of the log is not CSV/],
  ]
  for (const [name, options, message] of cases) {
    await assert.rejects(backtestOf(path(name), [contractWith()], options), { name: 'StartupError', message })
  }
  await assert.rejects(readContract(path('none.json')), {
    name: 'StartupError',
    message: /there is no contract /,
  })
  await assert.rejects(readContract(path('no.json')), { name: 'StartupError', message: /is not JSON: / })
})

test('an end of the run leaves cases OPEN and PENDING, and tells what comes after it', async () => {
  const until = Date.parse('2026-03-03T09:15:00Z')
  const { json, result } = await backtestOf(SAMPLE_LOG, [{ ...delivery, review_window: 86_400 }], { until })
  const [contract] = json.contracts
  assert.deepEqual(contract.still_open, { open: 4, pending: 8 })
  assert.equal(contract.cases, contract.confirmed + contract.failed + 12)
  assert.deepEqual([json.until, json.events_after_until], ['2026-03-03T09:15:00.000Z', 6])
  assert.match(resultTable(result), /note: 6 events come after --until: not looked at/)
})

test('the sum of many prices is exact', async (t) => {
  const rows = ['a', 'b', 'c'].map((name) => `${name},done,2026-01-01T00:00:00Z`)
  const path = await filesIn(t, { 'log.csv': ['case_id,type,occurred_at', ...rows].join('\n') })
  const { json } = await backtestOf(path('log.csv'), [contractWith({ price: 0.1 })])
  assert.equal(json.contracts[0].price_sums.confirmed, '0.3')
})

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
