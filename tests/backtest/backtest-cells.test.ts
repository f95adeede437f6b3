import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { all, any, contractWith, not } from '../support/contracts.ts'
import type { BacktestOptions } from '../support/source/backtest.ts'
import type { Contract } from '../support/source/contracts.ts'
import type { Scope } from '../support/test-database.ts'
import { backtestOf, filesIn } from './backtest-files.ts'

const AT = '2026-01-01T08:00:00Z'
const withCondition = (fulfillment_condition: unknown): Contract =>
  contractWith({ fulfillment_condition: fulfillment_condition as Contract['fulfillment_condition'] })

/** A CSV log. Each row is a case with one event "done" and these further cells. */
async function runRows(
  t: Scope,
  header: string,
  rows: string[],
  conditions: unknown[],
  options: Partial<BacktestOptions> = {},
) {
  const lines = rows.map((cells, i) => `c${i},done,${AT},${cells}`)
  const path = await filesIn(t, { 'log.csv': [`case_id,type,occurred_at,${header}`, ...lines].join('\n') })
  const { json } = await backtestOf(path('log.csv'), conditions.map(withCondition), options)
  return json
}

describe('cells', () => {
  test('are read as the type that each leaf compares, also in one row and by two contracts (§10 rule 1)', async (t) => {
    const number = { event: 'done', field: 'code', gte: 7 }
    const json = await runRows(
      t,
      'code',
      ['007', '7', 'x'],
      [number, { event: 'done', match: { code: '007' } }],
    )
    assert.deepEqual(
      json.contracts.map(({ confirmed }: { confirmed: number }) => confirmed),
      [2, 1],
    )
    const both = { event: 'done', match: { code: '007' }, field: 'code', lte: 7 }
    const [contract] = (await runRows(t, 'code', ['007', '7', '8'], [both])).contracts
    assert.equal(contract.confirmed, 1)
    const [either] = (
      await runRows(
        t,
        'code',
        ['007', '7', 'true'],
        [any({ event: 'done', match: { code: 7 } }, { event: 'done', match: { code: true } })],
      )
    ).contracts
    assert.equal(either.confirmed, 3)
  })

  test('of a column with dots are the value at the path; an object is there if a cell below it is (§10 rule 2)', async (t) => {
    const confirmed = async (condition: object) => {
      const [contract] = (
        await runRows(t, 'a.b,a.c.d,a, spaced ', ['5,x,text,1', ',,text,'], [{ event: 'done', ...condition }])
      ).contracts
      return contract.confirmed
    }
    for (const condition of [
      { field: 'a.b', gte: 5 },
      { match: { a: { b: 5, c: { d: 'x' } } } },
      { match: { a: { b: '5' } }, field: 'a.b', eq: 5 },
      { match: { 'a.b': '5' } },
      { match: { a: {} } },
      { match: { spaced: 1 } },
    ])
      assert.equal(await confirmed(condition), 1, JSON.stringify(condition))
    assert.equal(await confirmed({ match: { a: 'text' } }), 2)
    const json = await runRows(
      t,
      'a,a.b',
      ['text,1'],
      [all({ event: 'done', match: { a: 'text' } }, { event: 'done', match: { a: { b: 1 } } })],
    )
    assert.equal(json.contracts[0].confirmed, 1)
  })

  test('have no value if they are empty, unless a leaf compares with the empty text (§10 rule 1)', async (t) => {
    const empty = { event: 'done', match: { x: '' } }
    const json = await runRows(t, 'x', ['', 'y'], [empty, { event: 'done', match: { x: 'z' } }])
    assert.deepEqual(
      json.contracts.map(({ confirmed }: { confirmed: number }) => confirmed),
      [1, 0],
    )
    const [missing] = (await runRows(t, 'y', ['1'], [empty])).contracts
    assert.equal(missing.confirmed, 0)
  })

  test('for more than 32 keys of a match are each read as the type of the key (§10 rule 1)', async (t) => {
    const keys = Array.from({ length: 33 }, (_, i) => `k${i}`)
    const match = Object.fromEntries(keys.map((key) => [key, 1]))
    const condition = all({ event: 'done', match }, { event: 'done', match: { k0: '01' } })
    const json = await runRows(t, keys.join(), [`01${',1'.repeat(32)}`], [condition])
    assert.equal(json.contracts[0].confirmed, 1)
  })

  test('the nearest number of a lost case is that of the cell, also beside a leaf that reads it as text', async (t) => {
    const condition = all({ event: 'done', field: 'x', gte: 7 }, { event: 'done', match: { x: '5.0' } })
    const [contract] = (await runRows(t, 'x', ['5.0'], [condition])).contracts
    assert.match(contract.nearest_losers[0].missing, /the nearest was 5, off by 2/)
  })

  test('with a number that the service refuses make a bad row only if a leaf compares it (§10 rule 4)', async (t) => {
    const rows = ['9007199254740993,1', '1,9007199254740993']
    const json = await runRows(t, 'value,other', rows, [{ event: 'done', gte: 1 }])
    assert.deepEqual(json.bad_rows.by_reason, { 'number out of range': 1 })
    assert.match(json.bad_rows.first[0].detail, /^the number 9007199254740993 cannot be stored exactly/)
    assert.equal(json.contracts[0].confirmed, 1)
  })
})

describe('notes', () => {
  test('name a field whose values have another type, with counts and examples (§10 rule 8)', async (t) => {
    const rating = { event: 'done', gte: 4 }
    const rows = ['"4,5"', '3', '"4,5"', '"7,25"', 'n/a', '']
    const csv = await runRows(t, 'value', rows, [rating, not(rating)])
    assert.deepEqual(csv.warnings, [
      '"value" of "done" is compared with a number, but is a text in 4 of 5 events: "4,5" (2, first on line 2), "7,25" (line 5), "n/a" (line 6); with --decimal , a comma is the decimal mark',
    ])
    const comma = await runRows(t, 'value', rows, [rating], { decimal: ',' })
    assert.equal(comma.contracts[0].confirmed, 3)
    assert.match(comma.warnings.join(), /is a text in 1 of 5 events: "n\/a" \(line 6\)$/)
    const boolean = await runRows(t, 'ok', ['yes', 'True'], [{ event: 'done', match: { ok: true } }])
    assert.deepEqual(boolean.warnings, [
      '"ok" of "done" is compared with true or false, but is a text in 1 of 2 events: "yes" (line 2)',
    ])
  })

  test('tell groups of digits from a decimal comma (§10 rule 8)', async (t) => {
    const rating = { event: 'done', gte: 4 }
    const groups = await runRows(t, 'value', ['"1,234"', '"12,345,678"'], [rating])
    assert.match(groups.warnings.join(), /groups of digits are not read: write 1234 for 1,234$/)
    const decimals = await runRows(t, 'value', ['"1,234"', '"4,5"'], [rating])
    assert.match(decimals.warnings.join(), /with --decimal , a comma is the decimal mark$/)
  })

  test('name columns of flattened arrays, in which the service finds no value (§10 rule 8)', async (t) => {
    const json = await runRows(t, 'items.0.price', ['5'], [{ event: 'done', field: 'items.0.price', gte: 4 }])
    assert.deepEqual(json.warnings, [
      '"items.0.price" of "done" was read as keys of objects; if the events have arrays, the service finds no value there',
    ])
  })

  test('name a log that has as many rows as a spreadsheet keeps (§10 rule 8)', async (t) => {
    const row = `a,done,${AT}\n`
    const path = await filesIn(t, {
      'cut.csv': `case_id,type,occurred_at\n${row.repeat(65_535)}`,
      'whole.csv': `case_id,type,occurred_at\n${row.repeat(65_534)}`,
    })
    const notes = async (name: string) => (await backtestOf(path(name), [contractWith()])).json.warnings
    assert.deepEqual(await notes('cut.csv'), [
      'the log has exactly 65,536 rows with its header, as many as a spreadsheet keeps: further rows may be lost',
    ])
    assert.deepEqual(await notes('whole.csv'), [])
  })

  test('name a log that has as many rows as programs export at most (§10 rule 8)', async (t) => {
    const line = JSON.stringify({ case_id: 'a', type: 'done', occurred_at: AT })
    const path = await filesIn(t, {
      'cut.csv': `case_id,type,occurred_at\n${`a,done,${AT}\n`.repeat(999)}a,done,never\n`,
      'cut.ndjson': `${line}\n`.repeat(10_000),
      'whole.ndjson': `${line}\n`.repeat(9_999),
    })
    const notes = async (name: string) =>
      (await backtestOf(path(name), [contractWith()], { format: null })).json.warnings
    const note = (rows: string) => [
      `the log has exactly ${rows} rows, as many as some programs export at most: further rows may be lost`,
    ]
    assert.deepEqual(await notes('cut.csv'), note('1,000'))
    assert.deepEqual(await notes('cut.ndjson'), note('10,000'))
    assert.deepEqual(await notes('whole.ndjson'), [])
  })

  test('name it in logs whose values have types too (§10 rules 3, 8)', async (t) => {
    const line = (n: number, fields: object) =>
      JSON.stringify({ case_id: `c${n}`, type: 'done', occurred_at: AT, ...fields })
    const path = await filesIn(t, {
      'log.ndjson': [
        line(1, { ok: 'true', value: '4.5', 'a.b': 1 }),
        line(2, { ok: true, value: null, n: true }),
        line(3, { ok: [1], value: 5, n: 'x' }),
      ].join('\n'),
    })
    const leaf = { event: 'done', match: { ok: true, n: 'true' }, gte: 4 }
    const condition = all(leaf, { event: 'done', field: 'a.b', eq: 1 }, { event: 'done', match: { x: 1 } })
    const { json } = await backtestOf(path('log.ndjson'), [withCondition(condition)], { format: null })
    assert.deepEqual(json.warnings, [
      '"ok" of "done" is compared with true or false, but is a text in 1 of 3 events: "true" (line 1)',
      '"ok" of "done" is compared with true or false, but is an array in 1 of 3 events: "[1]" (line 3)',
      '"n" of "done" is compared with a text, but is true or false in 1 of 2 events: "true" (line 2)',
      '"value" of "done" is compared with a number, but is a text in 1 of 2 events: "4.5" (line 1)',
      'no event has "a.b" of "done", which the contract compares: a field has this name with its dots; it is not the value at the path',
      'no event has "x" of "done", which the contract compares',
    ])
  })

  test('name a field that no event has, and the reason (§10 rule 8)', async (t) => {
    const missing = async (field: string) => {
      const json = await runRows(t, 'Score,empty,id', ['1,,2'], [{ event: 'done', field, gte: 1 }])
      return json.warnings.at(-1)
    }
    const start = (name: string) => `no event has "${name}" of "done", which the contract compares: `
    assert.equal(await missing('score'), `${start('score')}did you mean "Score"?`)
    assert.equal(await missing('empty'), `${start('empty')}its cells are empty`)
    assert.equal(await missing('other.x'), `${start('other.x')}the log has no such column`)
    assert.equal(await missing('id'), `${start('id')}the service reserves that name`)
    assert.equal(
      await missing('case_id'),
      `${start('case_id')}it is the column of --case, which is not part of the payload`,
    )
  })

  test('name texts, types and cases that differ only by letter case, invisible characters or the end (§10 rules 4, 8)', async (t) => {
    const rows = [
      'case_id,type,occurred_at,carrier',
      `a ,done,${AT},dhl `,
      `a,done,${AT},DHL`,
      `b,Done,${AT},DHL`,
      `c,"done ",${AT},DHL`,
      `d,done,${AT},DHL Express`,
      `e,done,${AT},dhl `,
    ]
    const path = await filesIn(t, { 'log.csv': rows.join('\n') })
    const condition = { event: 'done', match: { carrier: 'DHL' } }
    const { json } = await backtestOf(path('log.csv'), [withCondition(condition)])
    assert.equal(json.contracts[0].confirmed, 1)
    assert.deepEqual(json.warnings, [
      '1 event has the type "Done", which differs from "done" of the contract only by letter case: U+0044 “D” in place of U+0064 “d” at position 1',
      '1 event has the type "done ", which differs from "done" of the contract only by invisible characters: U+0020 SPACE at position 5',
      '"carrier" of "done" is compared with "DHL", but 2 events have a text that differs only by letter case: U+0064 “d” U+0068 “h” U+006C “l” … in place of U+0044 “D” U+0048 “H” U+004C “L” at position 1: "dhl " (2, first on line 2)',
      '1 case has an id that differs from another one only by letter case, invisible characters, characters at the start or end, separators or zeros at the start: "a" (line 3, after "a ")',
    ])
  })

  test('name whole numbers that differ by the ".0" of spreadsheets and pandas (§10 rule 8)', async (t) => {
    const rows = [
      'case_id,type,occurred_at,code',
      `7,done,${AT},123.0`,
      `7.0,done,${AT},`,
      `8,done,${AT},124.0`,
    ]
    const path = await filesIn(t, { 'log.csv': rows.join('\n') })
    const condition = { event: 'done', match: { code: '123' } }
    const { json } = await backtestOf(path('log.csv'), [withCondition(condition)])
    assert.deepEqual(json.warnings, [
      '"code" of "done" is compared with "123", but 1 event has a text that differs only by quotes, separators or characters at the start or end: "123.0" (line 2)',
      '1 case has an id that differs from another one only by letter case, invisible characters, characters at the start or end, separators or zeros at the start: "7.0" (line 3)',
    ])
  })

  test('name ids that are probably of many cases, or of none (§10 rule 8)', async (t) => {
    const ids = [
      '1.23457E+12',
      '1.23457E+12',
      '4,5E+15',
      'NULL',
      ' ',
      '#N/A',
      'nan',
      '-',
      '\\N',
      '1e5',
      'E+12',
      'no',
      '#NAME?',
      '00000000-0000-0000-0000-000000000000',
      '[NULL]',
      '(blank)',
      '#NV',
    ]
    const rows = ids.map((id) => `"${id}",done,${AT}`)
    const path = await filesIn(t, { 'log.csv': ['case_id,type,occurred_at', ...rows].join('\n') })
    const { json } = await backtestOf(path('log.csv'), [contractWith()])
    assert.deepEqual(json.warnings, [
      '2 cases have ids that a spreadsheet or a program has shortened, so that many cases may be one: "1.23457E+12" (line 2, 2 events), "4,5E+15" (line 4, 1 event)',
      '11 cases have ids used for missing values: "NULL" (line 5, 1 event), " " (line 6, 1 event), "#N/A" (line 7, 1 event)',
      '1 case has an id that differs from another one only by letter case, invisible characters, characters at the start or end, separators or zeros at the start: "[NULL]" (line 16)',
    ])
  })

  test('show invisible characters by their names', async (t) => {
    const json = await runRows(t, 'x', ['do\u200bne', 'ne\u0301'], [{ event: 'done', match: { x: 'done' } }])
    assert.match(json.warnings[0], /"do\\u200bne" \(line 2\)$/)
  })

  test('are absent if the log has what the contract compares', async (t) => {
    const json = await runRows(t, 'x,y', ['done,1', ',2'], [{ event: 'done', match: { x: 'done', y: 1 } }])
    assert.deepEqual(json.warnings, [])
  })
})

test('columns below a name that the service reserves are left out', async (t) => {
  const json = await runRows(
    t,
    'system.channel',
    ['web'],
    [{ event: 'done', match: { system: { channel: 'web' } } }],
  )
  assert.equal(json.contracts[0].confirmed, 0)
  assert.match(
    json.warnings.join(),
    /"system\.channel" is not part of the payloads: the service reserves that name/,
  )
})

test('a type that a contract names is counted after ten thousand others', async (t) => {
  const others = Array.from({ length: 10_001 }, (_, i) => `a,/page/${i},${AT},`)
  const rows = ['case_id,type,occurred_at,value', ...others, `a,rated,${AT},"4,5"`, `b,rated,${AT},"4,5"`]
  const path = await filesIn(t, { 'log.csv': rows.join('\n') })
  const condition = { event: 'rated', field: 'value', gte: 4 }
  const { json } = await backtestOf(path('log.csv'), [withCondition(condition)])
  assert.deepEqual(json.contracts[0].named_types_not_in_log, [])
  assert.match(json.warnings.join(), /in 2 of 2 events.*with --decimal , a comma is the decimal mark/)
})
