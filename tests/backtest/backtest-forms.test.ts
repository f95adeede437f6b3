import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTimeFormat } from '../../src/backtest/time/time-format.ts'
import { all, any, contractWith, not } from '../support/contracts.ts'
import type { BacktestOptions } from '../support/source/backtest.ts'
import type { Contract } from '../support/source/contracts.ts'
import { backtestOf, filesIn } from './backtest-files.ts'

const TYPES = ['opened', 'assigned', 'rated', 'closed']
const CITIES = ['Köln', 'Genève', 'Wien']
const START = Date.parse('2026-01-01T00:00:00Z')
const COLUMNS = ['case_id', 'type', 'occurred_at', 'score', 'ok', 'code', 'city', 'step', 'note']
const HOUR = 3600

type Event = Record<string, string | number | boolean>

/** Events of 240 cases by arithmetic, so that another program could compute the counts below. */
const EVENTS: Event[] = Array.from({ length: 960 }, (_, i) => {
  const [n, step] = [Math.floor(i / 4), i % 4]
  const minutes = (n * 37 + step * 101 + n * n * 7) % 240
  return {
    case_id: `case ${n}`,
    type: TYPES[step] as string,
    occurred_at: new Date(START + (n * 90 + step * 360 + minutes) * 60_000).toISOString(),
    score: Number((((n * 13 + step * 29) % 50) / 10 + 0.25).toFixed(2)),
    ok: (n + step) % 3 === 0,
    code: `00${(n * 3 + step) % 5}`,
    city: CITIES[(n + step) % 3] as string,
    step: step + 1,
    note: '“a”; b, c',
  }
})

/** The cases that each contract confirms, counted by an independent program. */
const CONTRACTS: [hours: number, condition: unknown, confirmed: number][] = [
  [24, { event: 'closed' }, 240],
  [18, { event: 'closed' }, 60],
  [24, all({ event: 'rated', field: 'score', gte: 4 }, { event: 'assigned' }), 57],
  [24, { event: 'rated', field: 'score', gt: 2, lte: 3.55 }, 76],
  [24, { event: 'rated', match: { score: 1.35 } }, 5],
  [24, { event: 'assigned', match: { ok: true } }, 80],
  [24, { event: 'closed', match: { ok: false, code: '002' } }, 32],
  [24, any({ event: 'rated', match: { city: 'Genève' } }, { event: 'opened', match: { city: 'Köln' } }), 160],
  [24, all({ event: 'closed' }, not({ event: 'assigned', field: 'score', lt: 1 })), 202],
  [16, { event: 'closed', match: { step: 4, note: '“a”; b, c' }, field: 'score', gt: 2.5 }, 35],
]

interface CsvForm {
  separator: string
  end: string
  time: (iso: string) => string
  decimal?: string
  boolean?: (value: boolean) => string
}

function csvOf({ separator, end, time, decimal = '.', boolean = String }: CsvForm): string {
  const quoted = (cell: string) => (/[",;\t]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
  const cellOf = (name: string, value: string | number | boolean = '') => {
    if (name === 'occurred_at') return time(`${value}`)
    return typeof value === 'boolean'
      ? boolean(value)
      : `${value}`.replace('.', name === 'score' ? decimal : '.')
  }
  const rows = EVENTS.map((event) => COLUMNS.map((name) => quoted(cellOf(name, event[name]))).join(separator))
  return [COLUMNS.join(separator), ...rows, ''].join(end)
}

const american = (iso: string) => {
  const [, year, month, day, hour, minute] = /(\d+)-(\d+)-(\d+)T(\d+):(\d+)/.exec(iso) as RegExpExecArray
  return `${Number(month)}/${Number(day)}/${year} ${Number(hour) % 12 || 12}:${minute} ${Number(hour) < 12 ? 'AM' : 'PM'}`
}
const german = (iso: string) => {
  const inBerlin = new Date(Date.parse(iso) + HOUR * 1000).toISOString()
  return inBerlin.replace(/(\d+)-(\d+)-(\d+)T(\d+:\d+).*/, '$3.$2.$1 $4')
}
const upper = (value: boolean) => String(value).toUpperCase()
const same = (text: string) => text

function xesOf(): string {
  const escaped = (value: unknown) => `${value}`.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  const attribute = (element: string, key: string, value: unknown) =>
    `<${element} key="${key}" value="${escaped(value)}"/>`
  const traces = [...Map.groupBy(EVENTS, (event) => event.case_id)].map(([id, events]) => {
    const inside = events.map(
      ({ type, occurred_at, score, ok, code, city, step, note }) =>
        `<event>${attribute('string', 'concept:name', type)}${attribute('date', 'time:timestamp', occurred_at)}${attribute('float', 'score', score)}${attribute('boolean', 'ok', ok)}${attribute('string', 'code', code)}${attribute('string', 'city', city)}${attribute('int', 'step', step)}${attribute('string', 'note', note)}</event>`,
    )
    return `<trace>${attribute('string', 'concept:name', id)}${inside.join('')}</trace>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<log xes.version="1.0">\n${traces.join('\n')}\n</log>`
}

test('a log has the same counts in every format (§10 rules 1, 3, 5, 6)', async (t) => {
  const toWindows1252 = (text: string) =>
    Buffer.from(text.replaceAll('“', '\x93').replaceAll('”', '\x94'), 'latin1')
  const path = await filesIn(t, {
    'plain.csv': csvOf({ separator: ',', end: '\n', time: same }),
    'excel-us.csv': `\uFEFF${csvOf({ separator: ',', end: '\r\n', time: american, boolean: upper })}`,
    'excel-de.csv': toWindows1252(
      csvOf({ separator: ';', end: '\r\n', time: german, decimal: ',', boolean: upper }),
    ),
    'unicode.txt': Buffer.from(`\uFEFF${csvOf({ separator: '\t', end: '\r\n', time: same })}`, 'utf16le'),
    'log.ndjson': EVENTS.map((event) => JSON.stringify(event)).join('\n'),
    'log.json': JSON.stringify(EVENTS, null, 1),
    'log.xes': xesOf(),
  })
  const times = (format: string, zone: string | null) => ({ format: parseTimeFormat(format), zone })
  const forms: Record<string, Partial<BacktestOptions>> = {
    'plain.csv': {},
    'excel-us.csv': { times: times('M/d/yyyy h:mm a', 'UTC') },
    'excel-de.csv': {
      encoding: 'windows-1252',
      decimal: ',',
      times: times('dd.MM.yyyy HH:mm', 'Europe/Berlin'),
    },
    'unicode.txt': {},
    'log.ndjson': {},
    'log.json': {},
    'log.xes': {},
  }
  const contracts = CONTRACTS.map(([hours, condition]) =>
    contractWith({
      activity_window: hours * HOUR,
      fulfillment_condition: condition as Contract['fulfillment_condition'],
    }),
  )
  for (const [name, options] of Object.entries(forms)) {
    const { json } = await backtestOf(path(name), contracts, { format: null, ...options })
    assert.deepEqual(
      [json.log.cases, json.log.events, json.bad_rows.count, json.warnings],
      [240, 960, 0, []],
      name,
    )
    const confirmed = json.contracts.map((contract: { confirmed: number }) => contract.confirmed)
    assert.deepEqual(
      confirmed,
      CONTRACTS.map(([, , count]) => count),
      name,
    )
  }
})
