import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { toPeriods } from '../../src/backtest/cases/periods.ts'
import { reportPage } from '../../src/backtest/report/page.ts'
import { all, contractWith, not } from '../support/contracts.ts'
import { resultTable } from '../support/source/backtest.ts'
import { backtestOf, filesIn } from './backtest-files.ts'

const HOSTILE = '<script>alert(1)</script><img src=x onerror="alert(2)">\'&amp;'
const quoted = `"${HOSTILE.replaceAll('"', '""')}"`
const rows = [
  'case_id,type,occurred_at,value',
  `${quoted},${quoted},2026-01-01T00:00:00Z,${quoted}`,
  `${quoted},done,2026-01-03T00:00:00Z,1`,
  'b,done,2026-01-05T00:00:00Z,1',
  `c,done,${quoted},1`,
]

describe('the report', () => {
  test('escapes every string of the log and of the contracts, and loads nothing', async (t) => {
    const path = await filesIn(t, { 'log.csv': rows.join('\n') })
    const contract = contractWith({
      fulfillment_condition: all({ event: 'done' }, not({ event: HOSTILE, match: HOSTILE })),
    })
    const other = contractWith({ price: 0.1 })
    const { result } = await backtestOf(path('log.csv'), [contract, other])
    const page = reportPage({
      ...result,
      log: { file: HOSTILE, format: 'csv' },
      files: [HOSTILE, `x/${HOSTILE}`],
    })
    assert.ok(!/<script|<img|onerror="/.test(page), 'no markup of the log')
    assert.ok(page.includes('&lt;script&gt;alert(1)&lt;/script&gt;'))
    assert.ok(!/<[^>]*\s(src|href)=|url\(|@import|https?:/.test(page), 'no address')
    assert.ok(page.includes("default-src 'none'"))
  })

  test('is well-formed: every element that opens closes', async (t) => {
    const path = await filesIn(t, { 'log.csv': rows.join('\n') })
    const { result } = await backtestOf(path('log.csv'), [contractWith(), contractWith({ price: 1 })])
    const open: string[] = []
    for (const [, slash, name, own] of reportPage(result).matchAll(/<(\/?)([a-z0-9]+)\b[^>]*?(\/?)>/g)) {
      if (own || ['meta', '!doctype'].includes(name ?? '')) continue
      if (slash) assert.equal(open.pop(), name)
      else open.push(name as string)
    }
    assert.deepEqual(open, [])
  })

  test('has a page for a log without cases too', async (t) => {
    const path = await filesIn(t, { 'log.csv': 'case_id,type,occurred_at\na,done,2026-01-01T00:00:00Z\n' })
    const { result, json } = await backtestOf(path('log.csv'), [contractWith()], { until: Date.UTC(2025) })
    assert.equal(json.contracts[0].cases, 0)
    assert.match(reportPage(result), /0 cases in a log of 1 events/)
    assert.match(resultTable(result), /cases +│ +0 │/)
  })

  test('a log cannot write control sequences on the terminal', async (t) => {
    const path = await filesIn(t, {
      'log.csv': 'case_id,type,occurred_at\n\x1b[31mred\u202e,\x1b]0;title\x07,2026-01-01T00:00:00Z\n',
    })
    const { result } = await backtestOf(path('log.csv'), [contractWith()])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
    assert.doesNotMatch(resultTable(result), /[\x00-\x09\x0b-\x1f\u202e]/)
    assert.match(resultTable(result), /\\u001b\[31mred\\u202e/)
  })
})

test('periods are the finest of which there are at most 60, without gaps', () => {
  const counts = { OPEN: 0, PENDING: 0, CONFIRMED: 1, FAILED: 2 }
  const day = (text: string) => Date.parse(text) / 86_400_000
  const of = (...days: string[]) => toPeriods(new Map(days.map((text) => [day(text), counts])))
  assert.equal(of('2026-01-01', '2026-03-01')?.unit, 'day')
  assert.deepEqual(of('2026-01-01', '2026-03-01')?.periods.length, 60)
  assert.equal(of('2026-01-01', '2026-06-01')?.periods[0]?.label, '2025-12-29')
  const months = of('2020-11-30', '2020-11-01', '2024-02-29')
  assert.equal(months?.unit, 'month')
  assert.deepEqual(months?.periods[0], { label: '2020-11', counts: { ...counts, CONFIRMED: 2, FAILED: 4 } })
  assert.equal(months?.periods.length, 40)
  assert.equal(of('2010-05-01', '2024-05-01')?.periods[0]?.label, '2010 Q2')
  assert.equal(of('0000-01-01', '9999-12-31')?.unit, 'decade')
  assert.equal(toPeriods(new Map()), null)
})
