import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseTimeFormat } from '../../src/backtest/time/time-format.ts'
import { readUntil } from '../../src/backtest/time/time-reader.ts'
import { contractWith } from '../support/contracts.ts'
import { runSharedCli } from '../support/shared-cli.ts'
import type { Contract } from '../support/source/contracts.ts'
import { backtestOf, filesIn } from './backtest-files.ts'

/* Values that may mean something else than what they are read as. */

const NOW = '2026-01-01T09:00:00Z'
const csv = (header: string, ...rows: string[]) => `${header}\n${rows.join('\n')}\n`
const valuesOf = (...values: string[]) =>
  csv('case_id,type,occurred_at,v', ...values.map((value, i) => `c-${i},done,${NOW},${value}`))
const timesOf = (...times: string[]) =>
  csv('case_id,type,occurred_at', ...times.map((time) => `a,done,${time}`))
const casesOf = (...ids: string[]) => csv('case_id,type,occurred_at', ...ids.map((id) => `${id},done,${NOW}`))
const matching = (v: string): Contract =>
  contractWith({ fulfillment_condition: { event: 'done', match: { v } } })
const atLeast = (gte: number) => contractWith({ fulfillment_condition: { event: 'done', field: 'v', gte } })

type Options = NonNullable<Parameters<typeof backtestOf>[2]>
type Scope = Parameters<typeof filesIn>[0]

async function notesOf(t: Scope, log: string, contract: Contract, options: Options = {}): Promise<string[]> {
  const path = await filesIn(t, { log })
  return (await backtestOf(path('log'), [contract], options)).json.warnings
}

describe('numbers (§10 rule 8)', () => {
  test('that all look like grouped thousands are noted', async (t) => {
    assert.deepEqual(await notesOf(t, valuesOf('1.500', '950', '12.000', '0'), atLeast(1000)), [
      'all 2 numbers with a point in "v" of "done" have three digits after it and may be grouped thousands: "1.500" (line 2), "12.000" (line 4); a point was read as the decimal mark, "1.500" as 1.5; write 1500 if it is that number',
    ])
    assert.deepEqual(await notesOf(t, valuesOf('"1,500"'), atLeast(1000), { decimal: ',' }), [
      'the number with a comma in "v" of "done" has three digits after it and may be grouped thousands: "1,500" (line 2); a comma was read as the decimal mark, "1,500" as 1.5; write 1500 if it is that number',
    ])
  })

  test('are not noted if one shows that the point is the decimal mark', async (t) => {
    for (const other of ['4.5', '0.500', '1500', '1500.250', '1.5000', '007'])
      assert.deepEqual(await notesOf(t, valuesOf('1.500', other), atLeast(1)), [], other)
    assert.deepEqual(await notesOf(t, valuesOf('100', '5'), atLeast(1)), [])
  })

  test('that a program has rounded are noted beside the compared one, and in a sum', async (t) => {
    const rounded = (bound: number, value: string) =>
      `"v" of "done" is compared with ${bound}, but 1 event has a number that differs only by the rounding of a program: "${value}" (line 2)`
    for (const [bound, value] of [
      [4.7, '4.699999809265137'],
      [4.7, '4.69999981'],
      [4.7, '4.6999998'],
      [3.3, '3.3000000000000003'],
      [15, '14.999999999999998'],
      [0, '5.551115123125783e-17'],
    ] as const) {
      assert.deepEqual(await notesOf(t, valuesOf(value, '9'), atLeast(bound)), [rounded(bound, value)])
      const exact = contractWith({ fulfillment_condition: { event: 'done', match: { v: bound } } })
      assert.deepEqual(await notesOf(t, valuesOf(value, '9'), exact), [rounded(bound, value)])
    }
    for (const [bound, value] of [
      [4.7, '4.7'],
      [4.7, '4.69999'],
      [20_000_001, '20000000'],
      [1000.01, '1000'],
      [1_000_000, '1000000.01'],
      [0.5, '0.50000000001'],
    ] as const)
      assert.deepEqual(await notesOf(t, valuesOf(value, '9'), atLeast(bound)), [], value)
    const sum = contractWith({
      fulfillment_condition: { event: 'done', field: 'v', aggregate: 'sum', gte: 9.4 },
    })
    assert.deepEqual(
      await notesOf(
        t,
        valuesOf('4.699999809265137', '0.10000000149011612', '4.7', '0.0001220703125', '3'),
        sum,
      ),
      [
        '"v" of "done" is added up, but 2 events have a number that a program has rounded to 32 bits, so the sum may be too high or too low: "4.699999809265137" (line 2), "0.10000000149011612" (line 3)',
      ],
    )
  })
})

describe('times of digits (§10 rule 8)', () => {
  test('that are dates of 10 or 13 digits as well as Unix times are noted', async (t) => {
    for (const [format, ...times] of [
      ['MMddyyyyHH', '1031202614', '1101202609', '1231202623'],
      ['yyMMddHHmm', '1712311430', '1601021545'],
      ['MddyyyyHHmmss', '1312026143059', '1012026000000'],
    ] as const) {
      const [note = ''] = (await notesOf(t, timesOf(...times), contractWith())).filter((text) =>
        /digits/.test(text),
      )
      assert.ok(
        note.startsWith(
          `all ${times.length} times of ${times[0].length} digits were read as Unix times, but are also dates in the format ${format}: "${times[0]}" (line 2)`,
        ),
        `${format}: ${note}`,
      )
      assert.ok(note.endsWith(`; --time-format ${format} reads them as dates`), note)
    }
  })

  test('that are plainly Unix times are not', async (t) => {
    const seconds = (from: string, step: number) =>
      Array.from({ length: 50 }, (_, i) => String(Date.parse(from) / 1000 + i * step))
    for (const from of [
      '2002-01-01T00:01:00Z',
      '2009-01-23T12:00:00Z',
      '2017-06-01T08:00:00Z',
      '2026-11-01T00:01:00Z',
    ])
      for (const step of [1, 60, 3600, 86_400]) {
        const times = seconds(from, step)
        assert.deepEqual(await notesOf(t, timesOf(...times), contractWith()), [], `${from} by ${step} s`)
        const millis = times.map((time) => `${time}000`)
        assert.deepEqual(
          await notesOf(t, timesOf(...millis), contractWith()),
          [],
          `${from} by ${step} s, in ms`,
        )
      }
    assert.deepEqual(await notesOf(t, timesOf('1712311430'), contractWith()), [], 'a single one')
  })
})

describe('times in --time-format (§10 rule 8)', () => {
  const times = { format: parseTimeFormat('MM/dd/yyyy HH:mm'), zone: 'UTC' }

  test('in which day and month could be exchanged are noted', async (t) => {
    assert.deepEqual(
      await notesOf(t, timesOf('03/04/2026 10:00', '05/05/2026 10:00'), contractWith(), { times }),
      [
        'every time could also have the format "dd/MM/yyyy HH:mm" in place of "MM/dd/yyyy HH:mm", because no day is after the 12th: "03/04/2026 10:00" (line 2)',
      ],
    )
    assert.deepEqual(
      await notesOf(t, timesOf('03/04/2026 10:00', '03/13/2026 10:00'), contractWith(), { times }),
      [],
    )
    assert.deepEqual(await notesOf(t, timesOf('05/05/2026 10:00'), contractWith(), { times }), [])
    for (const [format, time] of [
      ['dd.MM.yyyy', '03.04.2026'],
      ['yyyy-MM-dd HH:mm', '2026-03-04 10:00'],
      ['dd-MMM-yyyy', '03-Apr-2026'],
    ] as const) {
      const notes = await notesOf(t, timesOf(time), contractWith(), {
        times: { format: parseTimeFormat(format), zone: 'UTC' },
      })
      assert.ok(!notes.some((note) => note.includes('every time')), format)
    }
  })

  test('are noted if some have another form', async (t) => {
    assert.deepEqual(
      await notesOf(t, timesOf('2026-02-01 10:00', '01/13/2026 10:00'), contractWith(), { times }),
      [
        '1 time does not have the format "MM/dd/yyyy HH:mm" and was read as ISO 8601 or a Unix time: "2026-02-01 10:00" (line 2); a spreadsheet may have changed day and month in such a log',
      ],
    )
  })
})

describe('--until (§10 rule 12)', () => {
  test('says which instant a date alone or a time without a zone is', async (t) => {
    const berlin = { format: null, zone: 'Europe/Berlin' }
    assert.deepEqual(readUntil('2026-01-31', berlin), {
      at: Date.parse('2026-01-30T23:00:00Z'),
      note: '--until 2026-01-31 means 2026-01-30T23:00:00.000Z: a date without a time of day is 00:00 in Europe/Berlin, when the day begins',
    })
    assert.deepEqual(readUntil('2026-01-31 10:00', { format: null, zone: null }), {
      at: Date.parse('2026-01-31T10:00:00Z'),
      note: '--until 2026-01-31 10:00 means 2026-01-31T10:00:00.000Z: it has no zone and was read in UTC',
    })
    assert.equal(readUntil(NOW, berlin).note, null)

    const path = await filesIn(t, {
      'log.csv': timesOf(NOW),
      'c.json': JSON.stringify(contractWith()),
      'r.html': '',
    })
    const args = ['backtest', '--log', path('log.csv'), '--contract', path('c.json'), '--until', '2026-01-02']
    const [table, json] = await Promise.all([runSharedCli(args), runSharedCli([...args, '--json'])])
    const note =
      '--until 2026-01-02 means 2026-01-02T00:00:00.000Z: a date without a time of day is 00:00 in UTC, when the day begins'
    assert.ok(table.stdout.includes(`note: ${note}`))
    assert.ok(JSON.parse(json.stdout).warnings.includes(note))
  })

  test('of the same millisecond as an event does not leave the event out', async (t) => {
    const path = await filesIn(t, { log: timesOf('2026-01-01T09:00:00.0004Z') })
    const { json } = await backtestOf(path('log'), [contractWith()], { until: Date.parse(NOW) })
    assert.equal(json.cases_after_until, 0)
  })
})

describe('case ids (§10 rule 8)', () => {
  test('whose last digits a spreadsheet or a double has lost are noted', async (t) => {
    for (const [first, second] of [
      ['1234567890123450', '1234567890123460'],
      ['12345678901234500', '12345678901234600'],
      ['1234567890123456800', '1234567890123457000'],
      ['1234567890123456768', '1234567890123457024'],
    ])
      assert.deepEqual(await notesOf(t, casesOf(`${first}`, `${second}`, 'x'), contractWith()), [
        `2 cases have ids whose last digits are zeros or rounded, as a spreadsheet or JavaScript leaves them, so that many cases may be one: "${first}" (line 2, 1 event), "${second}" (line 3, 1 event)`,
      ])
    for (const ids of [
      ['1234567890123451', '1234567890123462', '1234567890123470'],
      ['123456789012340', '123456789012350'],
      ['1234567890123456789', '1234567890123456791'],
    ])
      assert.deepEqual(await notesOf(t, casesOf(...ids), contractWith()), [], ids.join())
  })

  test('in the notation of spreadsheets or Java that loses digits are noted', async (t) => {
    for (const [id, isShortened] of [
      ['1.58292E+18', true],
      ['2.1602730330000062e+31', true],
      ['1.58291753387385242E18', true],
      ['1.2345678901E10', false],
      ['5E12', false],
    ] as const)
      assert.deepEqual(
        await notesOf(t, casesOf(id, 'x'), contractWith()),
        isShortened
          ? [
              `1 case has an id that a spreadsheet or a program has shortened, so that many cases may be one: "${id}" (line 2, 1 event)`,
            ]
          : [],
        id,
      )
  })

  test('that a spreadsheet has turned into dates are noted', async (t) => {
    assert.deepEqual(await notesOf(t, casesOf('12-Oct', 'A-1'), contractWith()), [
      '1 case has an id in the form of a date, as a spreadsheet leaves 10-12: "12-Oct" (line 2, 1 event)',
    ])
  })
})

test('case ids that differ by grouped digits, decimals, marks before them or hyphens of a UUID are noted (§10 rule 8)', async (t) => {
  for (const [first, second] of [
    ['1234', '"1,234"'],
    ['1234', '1234.00'],
    ['1234', '"# 1234"'],
    ['INC-1001', 'INC1001'],
    ['INC0001001', 'INC1001'],
    ['ACME#12', 'ACME-12'],
    ['2026/001', '2026-001'],
    ['А1', 'A1'],
    ['5003000000D8cuI', '5003000000D8cuIAAR'],
    ['3f2504e04f8911d39a0c0305e82c3301', '{3F2504E0-4F89-11D3-9A0C-0305E82C3301}'],
  ] as const)
    assert.match(
      (await notesOf(t, casesOf(`${first}`, `${second}`), contractWith()))[0] ?? '',
      /^1 case has an id (?:in the form of a comment|that differs from another one only by )/,
      second,
    )
  for (const ids of [
    ['5', '-5'],
    ['12', '1-2'],
    ['12', '"1,2"'],
    ['A-1', 'A1'],
    ['A-11', 'A1-1'],
    ['1.1', '1.10'],
    ['5003000000D8cuI', '5003000000D8cuIAAQ'],
  ])
    assert.deepEqual(await notesOf(t, casesOf(...ids), contractWith()), [], ids.join())
})

test('case ids in the form of a comment are noted, unless all ids are (§10 rule 8)', async (t) => {
  const note = (count: string, example: string) =>
    `${count} in the form of a comment, unlike other ids, so rows that were commented out may have been read: ${example}`
  for (const id of ['#b', '# b', '//b', '--b', ';b'])
    assert.deepEqual(await notesOf(t, casesOf('a', id), contractWith()), [
      note('1 case has an id', `"${id}" (line 3, 1 event)`),
    ])
  assert.deepEqual(await notesOf(t, casesOf('#1', '#2', '#3'), contractWith()), [])
})

test('events that repeat an id with another content are noted: the column may hold no ids of events (§10 rules 8, 9)', async (t) => {
  const columns = { case: 'case_id', type: 'type', time: 'occurred_at', eventId: 'eid' }
  const counting = contractWith({
    fulfillment_condition: { event: 'done', aggregate: 'sum', field: 'v', gte: 3 },
  })
  const log = (...rows: string[]) => csv('case_id,type,occurred_at,eid,v', ...rows)
  for (const id of ['NULL', '1234570000000', 'order-7'])
    for (const second of [
      `a,done,2026-01-01T10:00:00Z,${id},1`,
      `a,other,${NOW},${id},1`,
      `a,done,${NOW},${id},2`,
    ])
      assert.deepEqual(await notesOf(t, log(`a,done,${NOW},${id},1`, second), counting, { columns }), [
        `1 event has the id of an earlier event of the case, but another type, time or compared field, and counts as repeated: "${id}" (line 3); check the column "eid" (--event-id)`,
      ])
  const again = [`a,done,${NOW},1,1`, `a,done,${NOW},1,1`, `b,other,${NOW},1,1`]
  assert.deepEqual(await notesOf(t, log(...again), counting, { columns }), [])
})

test('ids of events that have lost digits are noted: several events may count as one (§10 rules 8, 9)', async (t) => {
  const columns = { case: 'case_id', type: 'type', time: 'occurred_at', eventId: 'key' }
  for (const [id, isShortened] of [
    ['1.58E+18', true],
    ['1.58291753387385242E18', true],
    ['1582917533873852417', false],
  ] as const) {
    const log = csv('case_id,type,occurred_at,key', `a,done,${NOW},${id}`, `a,done,${NOW},${id}`)
    assert.deepEqual(
      await notesOf(t, log, contractWith(), { columns }),
      isShortened
        ? [
            `2 events have ids in "key" (--event-id) that a spreadsheet or a program has shortened, so that several events may count as one: "${id}" (2, first on line 2)`,
          ]
        : [],
      id,
    )
  }
})

test('almost equal ids of one event are noted: it counts again (§10 rules 8, 9)', async (t) => {
  const columns = { case: 'case_id', type: 'type', time: 'occurred_at', eventId: 'eid' }
  const counting = contractWith({ fulfillment_condition: { event: 'done', aggregate: 'count', gte: 3 } })
  const row = (id: string, time = NOW) => `a,done,${time},${id},5`
  const notes = (contract: Contract, ...rows: string[]) =>
    notesOf(t, csv('case_id,type,occurred_at,eid,v', ...rows), contract, { columns })
  for (const [id, other] of [
    ['17', '17.0'],
    ['17', '0017'],
    ['evt-9', 'EVT-9'],
  ] as const)
    assert.deepEqual(await notes(counting, row(id), row(other), row(other)), [
      `1 event has the type, time and compared fields of another one and an almost equal id in "eid" (--event-id), and counts again: "${other}" (line 3)`,
    ])
  const later = '2026-01-01T10:00:00Z'
  assert.deepEqual(await notes(counting, row('17'), row('18'), row('17.0', later)), [])
  assert.deepEqual(await notes(contractWith(), row('17'), row('17.0')), [])
})

test('events that repeat an id of a column that --event-id does not name are noted: they count again (§10 rule 8)', async (t) => {
  const counting = contractWith({
    activity_window: 86_400,
    fulfillment_condition: { event: 'done', aggregate: 'count', gte: 3 },
  })
  const later = '2026-01-01T10:00:00Z'
  const log = (name: string, id: string, other: string) =>
    csv(`case_id,type,occurred_at,${name}`, `a,done,${NOW},${id}`, `a,done,${later},${other}`)
  const note = (name: string) => [
    `1 event has the "${name}", type and compared fields of an earlier one of the case, and counts again: "E-1" (line 3); --event-id "${name}" recognizes repeated events`,
  ]
  for (const name of ['event_id', 'eventId', 'Message ID', 'idempotency-key'])
    assert.deepEqual(await notesOf(t, log(name, 'E-1', 'E-1'), counting), note(name))
  const path = await filesIn(t, { log: log('event_id', 'E-1', 'E-1') })
  const { json } = await backtestOf(path('log'), [counting])
  const { accepted, repeated } = json.contracts[0].events
  assert.deepEqual([accepted, repeated], [2, 0])
  const lines = [NOW, later].map((occurred_at) =>
    JSON.stringify({ event_id: 'E-1', case_id: 'a', type: 'done', occurred_at }),
  )
  assert.deepEqual(await notesOf(t, lines.join('\n\n'), counting, { format: 'ndjson' }), note('event_id'))
  assert.deepEqual(await notesOf(t, log('event_id', 'E-1', 'E-1'), contractWith()), [])
  assert.deepEqual(await notesOf(t, log('order_id', 'E-1', 'E-1'), counting), [])
  const columns = { case: 'event_id', type: 'type', time: 'occurred_at' }
  for (const format of ['csv', 'ndjson'] as const) {
    const text = format === 'csv' ? log('event_id', 'E-1', 'E-1') : lines.join('\n')
    assert.deepEqual(await notesOf(t, text, counting, { format, columns }), [], `the case in ${format}`)
  }
  for (const [id, other] of [
    ['E-1', 'E-2'],
    ['', ''],
    ['NULL', 'NULL'],
    ['x'.repeat(256), 'x'.repeat(256)],
  ] as const)
    assert.deepEqual(await notesOf(t, log('event_id', id, other), counting), [], id)
})

test('columns and fields that have the value in place of the compared one are noted (§10 rule 8)', async (t) => {
  const note = (name: string, path: string, line: number) => [
    `1 event has "${name}" in place of "${path}" of "done" (line ${line})`,
  ]
  const rows = [`a,done,${NOW},x,`, `b,done,${NOW},,x`, `c,done,${NOW},,`]
  assert.deepEqual(
    await notesOf(t, csv('case_id,type,occurred_at,v,V', ...rows), matching('x')),
    note('V', 'v', 3),
  )
  const nested = contractWith({ fulfillment_condition: { event: 'done', field: 'd.delay', lte: 5 } })
  const row = (id: string, rest: object) =>
    JSON.stringify({ case_id: id, type: 'done', occurred_at: NOW, ...rest })
  for (const [name, rest] of [
    ['d.Delay', { d: { Delay: 5 } }],
    ['D.delay', { D: { delay: 5 } }],
    ['d.delay', { 'd.delay': 5 }],
  ] as const) {
    const log = [row('a', { d: { delay: 5 } }), row('b', rest), row('c', { d: {} })].join('\n')
    assert.deepEqual(await notesOf(t, log, nested, { format: 'ndjson' }), note(name, 'd.delay', 2))
  }
})

test('times that are all 00:00 are noted: they may be dates (§10 rule 8)', async (t) => {
  const days = (time: string) =>
    timesOf(...Array.from({ length: 20 }, (_, i) => `2026-01-${i + 10}${i === 7 ? time : ' 00:00:00+00:00'}`))
  const note = 'every time is 00:00, so the times may be dates without a time of day'
  assert.deepEqual(await notesOf(t, days('T00:00:00Z'), contractWith()), [note])
  assert.deepEqual(await notesOf(t, days('T00:00:01Z'), contractWith()), [])
})

describe('aggregates (§10 rules 8, 9)', () => {
  const counting = contractWith({ fulfillment_condition: { event: 'done', aggregate: 'count', gte: 2 } })

  test('name rows that repeat an event, unless --event-id tells events apart', async (t) => {
    const log = csv('case_id,type,occurred_at,id', `a,done,${NOW},1`, `a,done,${NOW},1`, `a,done,${NOW},`)
    const columns = { case: 'case_id', type: 'type', time: 'occurred_at' }
    const repeated =
      '2 events have the case, type, time and compared fields of another one and count again: "a" (2, first on line 3); --event-id names the column of ids, by which repeated events are recognized'
    assert.ok((await notesOf(t, log, counting, { columns })).includes(repeated))
    assert.ok(
      !(await notesOf(t, log, counting, { columns: { ...columns, eventId: 'id' } })).includes(repeated),
    )
    assert.ok(!(await notesOf(t, log, contractWith(), { columns })).includes(repeated))
  })

  test('do not name rows whose compared fields or times differ', async (t) => {
    const summing = contractWith({
      fulfillment_condition: {
        op: 'AND',
        conditions: [
          { event: 'done', aggregate: 'sum', field: 'v', gte: 2 },
          { event: 'done', match: { v: '5' } },
        ],
      },
    })
    const rows = [`a,done,${NOW},5`, `a,done,${NOW},6`, `a,done,2026-01-01T09:00:01Z,5`]
    assert.deepEqual(await notesOf(t, csv('case_id,type,occurred_at,v', ...rows), summing), [])
  })

  test('name texts that are almost equal, but count as different values', async (t) => {
    const distinct = contractWith({
      fulfillment_condition: { event: 'done', aggregate: 'distinct', field: 'v', gte: 2 },
    })
    assert.deepEqual(await notesOf(t, valuesOf('Anna', 'anna ', 'Ben', 'Anna'), distinct), [
      '"v" of "done" counts different values, and 1 event has a value that is almost equal to another one, but counts as another: "anna " (line 3)',
    ])
    assert.deepEqual(await notesOf(t, valuesOf('Anna', 'Ben', '1.1', '1.10'), distinct), [])
    for (const [one, other] of [
      ['Müller', 'MÃ¼ller'],
      ['MÃ¼ller', 'Müller'],
      ['bob.smith', 'Bob Smith'],
    ] as const)
      assert.match(
        (await notesOf(t, valuesOf(one, other), distinct)).join(),
        /^[^;]* 1 event has a value that is almost equal to another one[^;]*$/,
        other,
      )
  })

  test('name values that may stand for several, but count as one value', async (t) => {
    const distinct = contractWith({
      fulfillment_condition: { event: 'done', aggregate: 'distinct', field: 'v', gte: 3 },
    })
    const shortened = 'that a spreadsheet or a program has shortened'
    const rounded = 'whose last digits are zeros or rounded, as a spreadsheet or JavaScript leaves them'
    for (const [value, what] of [
      ['9.06E+17', shortened],
      ['9.06000000000e+17', shortened],
      ['1.58291753387385242E18', shortened],
      ['1582917533873850000', rounded],
      ['1582917533873852417', null],
      ['1234567890', null],
    ] as const)
      assert.deepEqual(
        await notesOf(t, valuesOf(value, 'Anna', value), distinct),
        what === null
          ? []
          : [
              `"v" of "done" counts different values, and 2 events have a value ${what}, so that several values may count as one: "${value}" (2, first on line 2)`,
            ],
        value,
      )
  })

  test('name values that stand for a missing one, but count as a value', async (t) => {
    const distinct = contractWith({
      fulfillment_condition: { event: 'done', aggregate: 'distinct', field: 'v', gte: 2 },
    })
    for (const value of ['NULL', '\\N', 'nan', '" "'])
      assert.deepEqual(await notesOf(t, valuesOf('Anna', value, ''), distinct), [
        `"v" of "done" counts different values, and 1 event has a value that is used for missing values, but counts as a value: ${JSON.stringify(value.replaceAll('"', ''))} (line 3)`,
      ])
  })
})

describe('texts (§10 rule 8)', () => {
  test('that an export or a spreadsheet has changed are noted', async (t) => {
    for (const [compared, found, how] of [
      ['München', 'MÃ¼nchen', 'UTF-8 that was read as another encoding'],
      ['München', 'M?nchen', 'letters that an encoding lacks'],
      ['München', 'M\ufffdnchen', 'letters that an encoding lacks'],
      ['München', 'Munchen', 'accents of letters'],
      ['R&D', 'R&amp;D', 'escapes of HTML'],
      ['München', 'M\\u00fcnchen', 'escapes of JSON'],
      ['in transit', 'in%20transit', 'escapes of URLs'],
      ['ok', 'ok_x000D_', 'escapes of Excel'],
      ['1.50', '1.5', 'the way a number is written'],
      ['1234567890123456', '1234567890123450', 'digits that a spreadsheet has dropped'],
      ['1234567890123456', '1.23457E+15', 'digits that a spreadsheet has dropped'],
      ['Größe', 'Groesse', 'the letters for ä, ö, ü or ß'],
      ['C:\\temp', 'C:\\\\temp', 'escapes of backslashes'],
    ] as const) {
      const note = `"v" of "done" is compared with ${JSON.stringify(compared)}, but 1 event has a text that differs by ${how}: ${JSON.stringify(found)} (line 2)`
      assert.deepEqual(await notesOf(t, valuesOf(found), matching(compared)), [note])
      // Two programs wrote the log, and one of them changed the text. A number may be another one.
      const notes = await notesOf(t, valuesOf(found, compared), matching(compared))
      assert.deepEqual(notes, /^\d/.test(compared) ? [] : [note])
    }
    assert.deepEqual(
      await notesOf(t, valuesOf('1.50', '1.5'), matching('1.50')),
      [],
      'the text itself occurs',
    )
    assert.deepEqual(await notesOf(t, valuesOf('7'), matching('007')), [
      '"v" of "done" is compared with "007", but 1 event has a text that differs only by zeros at the start: "7" (line 2)',
    ])
  })

  test('that no event has are noted with those that events have', async (t) => {
    assert.deepEqual(await notesOf(t, valuesOf('gold', 'silver', 'gold'), matching('platinum')), [
      'no event has "platinum" in "v" of "done"; 3 events have other texts: "gold" (2, first on line 2), "silver" (line 3)',
    ])
    assert.deepEqual(await notesOf(t, valuesOf('gold', 'platinum'), matching('platinum')), [])
    assert.deepEqual(await notesOf(t, valuesOf('', ''), matching('')), [])
  })

  test('of event types are noted too', async (t) => {
    const contract = (event: string) => contractWith({ fulfillment_condition: { event } })
    const log = (type: string) => csv('case_id,type,occurred_at', `a,${type},${NOW}`)
    assert.deepEqual(await notesOf(t, log('Ã¶ffnen'), contract('öffnen')), [
      '1 event has the type "Ã¶ffnen", which differs from "öffnen" of the contract by UTF-8 that was read as another encoding',
    ])
    assert.deepEqual(await notesOf(t, log('Picked Up'), contract('picked_up')), [
      '1 event has the type "Picked Up", which differs from "picked_up" of the contract only by quotes, separators or characters at the start or end',
    ])
  })

  test('that people write in several ways are noted, also beside the compared one', async (t) => {
    for (const [compared, found] of [
      ['in_progress', 'in progress'],
      ['reopened', 're-opened'],
      ['inProgress', 'in_progress'],
      ['R&D', 'R & D'],
      ['follow-up', 'follow–up'],
      ["won't fix", 'won’t fix'],
      ['ok', '[ok]'],
      ['paid', 'pаid'],
      ['finished', 'fınıshed'],
      ['FINISHED', 'FİNİSHED'],
    ] as const) {
      const notes = await notesOf(t, valuesOf(compared, found), matching(compared))
      assert.match(notes.join(), /^[^;]* 1 event has a text that differs only by [^;]*$/, found)
    }
    assert.deepEqual(await notesOf(t, valuesOf('µs', 'ms', 'A1', 'A-1', 'A-11', 'A1-1'), matching('ms')), [])
  })

  test('of event types that stand for a missing one are noted', async (t) => {
    for (const type of ['NULL', ' ', 'nan'])
      assert.deepEqual(
        await notesOf(
          t,
          csv('case_id,type,occurred_at', `a,${type},${NOW}`, `a,done,${NOW}`),
          contractWith(),
        ),
        [`1 event has the type "${type}", which is used for missing values`],
      )
  })
})

describe('NDJSON (§10 rules 6, 8)', () => {
  const row = (id: string, rest = '"v":"x"') =>
    `{"case_id":"${id}","type":"done","occurred_at":"${NOW}",${rest}}`

  test('has lines that end with LF, CRLF or CR, wherever chunks end', async (t) => {
    const padding = ' '.repeat(256 * 1024 - row('a').length - 1)
    for (const end of ['\n', '\r\n', '\r', `${padding}\r\n`, `${padding}\r`]) {
      const path = await filesIn(t, { log: [row('a'), row('b'), '{}', ''].join(end) })
      const { json } = await backtestOf(path('log'), [contractWith()], { format: 'ndjson' })
      assert.equal(json.contracts[0].confirmed, 2, JSON.stringify(end.trim()))
      assert.equal(json.bad_rows.first[0].line, 3, JSON.stringify(end.trim()))
    }
  })

  test('with a key twice in an object is noted: the last counts', async (t) => {
    const options: Options = { format: 'ndjson' }
    for (const rest of ['"v":5,"v":500', '"o":{"v":1,"\\u0076":2}']) {
      assert.deepEqual(await notesOf(t, row('a', rest), contractWith(), options), [
        '1 row has a key twice, of which the last counts, as in the service: "v" (line 1)',
      ])
    }
    for (const rest of ['"v":"v"', '"o":[{"v":1},{"v":2}],"v":"\\"v\\":1"', '"o":{"o":["v","v"]}'])
      assert.deepEqual(await notesOf(t, row('a', rest), contractWith(), options), [], rest)
  })

  test('names fields that replace the compared one in some events', async (t) => {
    const log = [row('a', '"v":"x"'), row('b', '"V":"x"'), row('c', '"V":"x"')].join('\n')
    assert.deepEqual(await notesOf(t, log, matching('x'), { format: 'ndjson' }), [
      '2 events have "V" in place of "v" of "done" (line 2)',
    ])
  })

  test('names values that are not objects on the path to the compared field', async (t) => {
    const nested = contractWith({ fulfillment_condition: { event: 'done', field: 'd.delay', lte: 5 } })
    const notes = (...rest: string[]) =>
      notesOf(t, rest.map((text, i) => row(`c${i}`, text)).join('\n'), nested, { format: 'ndjson' })
    const noteOf = (what: string, value: string, line: number) =>
      `1 event has ${what} in place of an object on the path "d.delay" of "done", so no value is read there: ${JSON.stringify(value)} (line ${line})`
    const text = '{"delay":5}'
    const isObject = `"d":${text}`
    const isText = `"d":${JSON.stringify(text)}`
    assert.deepEqual(await notes(isObject, isText), [noteOf('a text', text, 2)])
    assert.deepEqual(await notes(isObject, '"d":[{"delay":5}]'), [noteOf('an array', '[{"delay":5}]', 2)])
    assert.deepEqual(await notes(isText), [
      'no event has "d.delay" of "done", which the contract compares',
      noteOf('a text', text, 1),
    ])
    assert.deepEqual(await notes(isObject, '"d":null', '"d":{}', '"x":1'), [])
  })
})

describe('XES (§10 rule 3)', () => {
  const event = (type: string, rest = '') =>
    `<event><string key="concept:name" value="${type}"/><date key="time:timestamp" value="${NOW}"/>${rest}</event>`
  const trace = (name: string, ...events: string[]) =>
    `<trace><string key="concept:name" value="${name}"/>${events.join('')}</trace>`
  const options: Options = { format: 'xes' }

  test('traces of one name are one case, and traces without events are none; both are noted', async (t) => {
    const log = `<log>\n${trace('a', event('x'))}\n${trace('b', event('x'))}\n${trace('a', event('done'))}\n${trace('c')}\n</log>`
    const path = await filesIn(t, { log })
    const { json } = await backtestOf(path('log'), [contractWith()], options)
    assert.equal(json.contracts[0].cases, 2)
    assert.deepEqual(json.warnings, [
      '1 trace has the concept:name of an earlier trace; traces of one name are one case: "a" (line 4)',
      '1 trace has no events and is not a case: "c" (line 5)',
    ])
  })

  test('counts at most 10,000 values of lifecycle:transition by name', async (t) => {
    const step = (i: number) => event('x', `<string key="lifecycle:transition" value="t-${i}"/>`)
    const path = await filesIn(t, {
      log: `<log>${trace('a', ...Array.from({ length: 10_050 }, (_, i) => step(i)))}</log>`,
    })
    const { backtest, json } = await backtestOf(path('log'), [contractWith()], options)
    assert.equal([...(backtest.reading.xes?.transitions.all ?? [])].length, 10_000)
    assert.match(json.warnings[0], /"t-4" \(1\) and others;/)
  })
})

test('cases that a window decided after the last event are counted, and shown to people (§10 rule 12)', async (t) => {
  const path = await filesIn(t, {
    'log.csv': csv(
      'case_id,type,occurred_at',
      `a,x,2026-01-01T00:00:00Z`,
      `b,x,2026-01-01T08:30:00Z`,
      `c,done,${NOW}`,
    ),
    'c.json': JSON.stringify(contractWith()),
  })
  const { json } = await backtestOf(path('log.csv'), [contractWith()])
  assert.equal(json.contracts[0].decided_after_last_event, 1)
  assert.deepEqual(json.warnings, [])
  const { stdout } = await runSharedCli(['backtest', '--log', path('log.csv'), '--contract', path('c.json')])
  assert.match(
    stdout,
    /note: 1 case was decided by an activity window that ended after the last event of the log \(2026-01-01T09:00:00\.000Z\), so later events may be missing; --until 2026-01-01T09:00:00\.000Z leaves such cases open/,
  )
})
