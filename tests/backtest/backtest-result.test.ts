import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { readContract } from '../../src/backtest/run-backtest.ts'
import { contractWith } from '../support/contracts.ts'
import { type BacktestOptions, resultTable } from '../support/source/backtest.ts'
import { backtestOf, delivery, filesIn, SAMPLE_LOG } from './backtest-files.ts'

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
      /no column "ticket" \(--case\); with the separator "," it has: case_id, type, occurred_at$/,
    ],
    ['log.csv', { columns: { ...columns, openedAt: 'begin' } }, /no column "begin" \(--opened-at\)/],
    ['other.ndjson', { format: 'ndjson' }, /first line has no field "case_id" \(--case\); it has: case$/],
    ['apart.csv', { isSorted: true }, /^line 4 of the log: case "a" appears again/],
    ['cut.csv.gz', {}, /cut\.csv\.gz is cut short/],
    ['quote.csv', {}, /^the row that begins on line 3 of the log is not CSV/],
  ]
  for (const [name, options, message] of cases) {
    await assert.rejects(backtestOf(path(name), [contractWith()], options), {
      name: 'OperatorError',
      message,
    })
  }
  await assert.rejects(readContract(path('none.json')), {
    name: 'OperatorError',
    message: /there is no contract /,
  })
  await assert.rejects(readContract(path('no.json')), { name: 'OperatorError', message: /is not JSON: / })
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
