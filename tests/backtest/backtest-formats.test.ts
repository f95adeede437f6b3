import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { all, contractWith } from '../support/contracts.ts'
import type { BacktestOptions } from '../support/source/backtest.ts'
import { backtestOf, filesIn } from './backtest-files.ts'

const AT = '2026-01-01T00:00:00Z'
const LATER = '2026-01-01T00:10:00Z'
const condition = all({ event: 'resolved' }, { event: 'rating', gte: 4 })
const contract = contractWith({ fulfillment_condition: condition })
const AUTO: Partial<BacktestOptions> = { format: null }

async function countsOf(path: string, options: Partial<BacktestOptions> = AUTO) {
  const { json } = await backtestOf(path, [contract], options)
  const [{ cases, confirmed }] = json.contracts
  return { cases, confirmed, bad: json.bad_rows.count, warnings: json.warnings, format: json.log.format }
}

describe('CSV (§10 rule 2)', () => {
  const rows = [
    ['case_id', 'type', 'occurred_at', 'value'],
    ['a', 'resolved', AT, ''],
    ['a', 'rating', LATER, '5'],
  ]
  const joined = (separator: string) => rows.map((row) => row.join(separator)).join('\n')

  test('the separator is detected from the columns or the line sep=', async (t) => {
    const path = await filesIn(t, {
      'semicolon.csv': joined(';'),
      'tab.tsv': joined('\t'),
      'pipe.txt': joined('|'),
      'sep.csv': `sep=;\r\n${joined(';').replaceAll('\n', '\r\n')}`,
      'comma-in-name.csv': joined(';')
        .replace('value', 'value;"x,y"')
        .replaceAll(/(\n.*)/g, '$1;'),
    })
    for (const name of ['semicolon.csv', 'tab.tsv', 'pipe.txt', 'sep.csv', 'comma-in-name.csv']) {
      const { cases, confirmed, bad, warnings } = await countsOf(path(name))
      assert.deepEqual([cases, confirmed, bad, warnings], [1, 1, 0, []], name)
    }
    await assert.rejects(countsOf(path('semicolon.csv'), { separator: ',' }), {
      message:
        /no column "case_id" \(--case\); with the separator "," it has: .*; with the separator ";" it has the column: --separator ';'$/,
    })
  })

  test('a space after each separator is part of it, also before quotes; names are trimmed', async (t) => {
    const path = await filesIn(t, {
      'blank.csv': joined(', ').replace(
        'case_id, type, occurred_at, value',
        'case_id,type,occurred_at,value',
      ),
      'quotes.csv': joined(', ').replaceAll(/(?<= )(\w\S*?)(?=,|\n|$)/g, '"$1"'),
      'names.csv': joined(',').replace(
        'case_id,type,occurred_at,value',
        ' case_id , type,occurred_at\t, value ',
      ),
    })
    const note = 'a space follows each "," and is read as part of the separator'
    const expected = { cases: 1, confirmed: 1, bad: 0, format: 'any' }
    assert.deepEqual(await countsOf(path('blank.csv')), { ...expected, warnings: [note] })
    assert.deepEqual(await countsOf(path('quotes.csv')), { ...expected, warnings: [note] })
    assert.deepEqual(await countsOf(path('names.csv')), { ...expected, warnings: [] })
  })

  test('a missing column is refused with the existing columns, not with the whole log', async (t) => {
    const path = await filesIn(t, {
      'names.csv': ' Case_ID ,type\nx,y\n',
      'prose.txt': `${'word '.repeat(10_000)}\n`,
      'many.csv': `${Array.from({ length: 1000 }, (_, i) => `c${i}`).join()}\n`,
    })
    await assert.rejects(countsOf(path('names.csv')), {
      message: /no column "case_id" \(--case\); .* it has: Case_ID, type; did you mean "Case_ID"\?$/,
    })
    for (const name of ['prose.txt', 'many.csv']) {
      await assert.rejects(countsOf(path(name)), ({ message }: Error) => message.length < 500)
    }
  })
})

describe('JSON (§10 rule 3)', () => {
  const events = [
    { case_id: 'a', type: 'resolved', occurred_at: AT, note: 'a "]" and a \\ in [text]' },
    { case_id: 'a', type: 'rating', occurred_at: LATER, value: 4.5, list: [1, [2]], object: { x: {} } },
    { case_id: 'b', type: 'rating', occurred_at: AT, value: 3 },
  ]

  test('an array is read, however it is laid out', async (t) => {
    const path = await filesIn(t, {
      'short.json': JSON.stringify(events),
      'long.json': `\uFEFF\n${JSON.stringify(events, null, 2)}\n`,
      'named.ndjson': JSON.stringify(events),
      unnamed: JSON.stringify(events),
      'lines.json': events.map((event) => JSON.stringify(event)).join('\n'),
    })
    for (const name of ['short.json', 'long.json', 'named.ndjson', 'unnamed', 'lines.json']) {
      const { cases, confirmed, bad } = await countsOf(path(name))
      assert.deepEqual([cases, confirmed, bad], [2, 1, 0], name)
    }
  })

  test('bad items of an array are reported with their lines; an array that does not end is refused', async (t) => {
    const path = await filesIn(t, {
      'bad.json': `[\n${JSON.stringify(events[0])},\n\n  {"case_id": NaN},\n7\n]`,
      'cut.json': JSON.stringify(events).slice(0, -20),
      'more.json': `${JSON.stringify(events)}\n{}`,
      'none.json': '[ ]',
      'closed.json': `${JSON.stringify(events).slice(0, -2)}]}`,
    })
    const { json } = await backtestOf(path('bad.json'), [contract], AUTO)
    assert.deepEqual(
      json.bad_rows.first.map(({ line, detail }: { line: number; detail: string }) => [line, detail]),
      [
        [4, 'not JSON: unexpected \'N\' in "{"case_id": NaN}"'],
        [5, 'not a JSON object, but 7'],
      ],
    )
    await assert.rejects(countsOf(path('cut.json')), { message: /array does not end: the log is cut short/ })
    await assert.rejects(countsOf(path('more.json')), { message: /line 2 of the log: something follows/ })
    await assert.rejects(countsOf(path('none.json')), { message: 'the log has no events' })
    await assert.rejects(countsOf(path('closed.json')), {
      message: /^line 1 of the log: a "}" closes a "\["/,
    })
  })

  test('ids keep all of their digits; a number that the service refuses makes a bad row (§10 rule 4)', async (t) => {
    const line = (id: string, fields: string) => `{"case_id":${id},"occurred_at":1767225600,${fields}}`
    const path = await filesIn(t, {
      'log.ndjson': [
        line('1161888007138312192', '"type":"resolved"'),
        line('1161888007138312193', '"type":"rating","value":5'),
        line('7', '"type":"rating","x":{"case_id":9007199254740993}'),
        line('7', '"type":"rating","value":1e999'),
        line('7', '"type":"rating","value":4.50000000000000000000'),
      ].join('\n'),
    })
    const { json } = await backtestOf(path('log.ndjson'), [contract], AUTO)
    assert.deepEqual([json.contracts[0].cases, json.contracts[0].confirmed], [3, 0])
    assert.deepEqual(json.bad_rows.by_reason, { 'number out of range': 2 })
    assert.match(json.bad_rows.first[0].detail, /^the number 9007199254740993 cannot be stored exactly/)
  })

  test('what the service refuses in a value makes a bad row (§8)', async (t) => {
    const line = (fields: string) =>
      `{"case_id":"a","type":"rating","occurred_at":"${AT}","value":5${fields}}`
    const deep = (levels: number) => `,"x":${'['.repeat(levels)}${']'.repeat(levels)}`
    const path = await filesIn(t, {
      'log.ndjson': [
        line(''),
        line(',"__proto__":{"value":1}'),
        line(',"x":[{"\\u005f_proto__":1}]'),
        line(deep(127)),
        line(deep(128)),
        line(',"\\ud800":1'),
      ].join('\n'),
    })
    const { json } = await backtestOf(path('log.ndjson'), [contract], AUTO)
    assert.deepEqual(
      json.bad_rows.first.map(({ line, reason, detail }: Record<string, string>) => [line, reason, detail]),
      [
        [
          2,
          'key that the service refuses',
          '"__proto__" is not allowed as a key, so the service refuses the event',
        ],
        [
          3,
          'key that the service refuses',
          '"x.0.__proto__" is not allowed as a key, so the service refuses the event',
        ],
        [
          5,
          'nested too deep',
          'the row is nested more than 128 levels deep, so the service refuses the event',
        ],
        [
          6,
          'character that no string may have',
          'the row has a key that contains a lone surrogate, so the service refuses the event',
        ],
      ],
    )
  })

  test('a case, a type and a time must be a string or a number, also at a path', async (t) => {
    const line = (fields: object) =>
      JSON.stringify({ case_id: 'a', type: 'resolved', occurred_at: AT, ...fields })
    const at = { occurred_at: { $date: AT } }
    const path = await filesIn(t, {
      'log.ndjson': [line({}), line(at), line({ case_id: null }), line({ type: [1] })].join('\n'),
      'path.ndjson': line(at),
      'opening.ndjson': line({ note: true }),
    })
    const { json } = await backtestOf(path('log.ndjson'), [contract], AUTO)
    assert.deepEqual(
      json.bad_rows.first.map(({ detail }: { detail: string }) => detail),
      [
        '"occurred_at" is an object ({"$date":"2026-01-01T00:00:00Z"}), but a time must be a string or a number; "occurred_at.$date" names a value in it',
        '"case_id" is null, but a case must be a string or a number',
        '"type" is an array ([1]), but a type must be a string or a number',
      ],
    )
    const opened = {
      ...AUTO,
      columns: { case: 'case_id', type: 'type', time: 'occurred_at', openedAt: 'note' },
    }
    await assert.rejects(countsOf(path('opening.ndjson'), opened), {
      message: /line 1: "note" is true, but an opening time must be a string or a number$/,
    })
    const columns = { case: 'case_id', type: 'type', time: 'occurred_at.$date' }
    assert.equal((await countsOf(path('path.ndjson'), { ...AUTO, columns })).bad, 0)
  })
})

describe('XES (§10 rule 3)', () => {
  const event = (name: string, attributes: string) =>
    `<event><string key="concept:name" value="${name}"/>${attributes}</event>`
  const time = (text: string) => `<date key="time:timestamp" value="${text}"/>`
  const trace = (id: string, events: string) =>
    `<trace><string key="concept:name" value="${id}"/><int key="amount" value="7"/>${events}</trace>`
  const log = (traces: string) =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<!-- made here -->\n<log xes.version="1.0" xmlns="http://www.xes-standard.org/">
<extension name="Concept" prefix="concept" uri="http://www.xes-standard.org/concept.xesext"/>
<global scope="event"><string key="concept:name" value="unknown"/></global>\n${traces}\n</log>`
  const traces =
    trace(
      'a &amp; b',
      event(
        'resolved',
        `${time(AT)}<boolean key="ok" value="true"/><list key="l"><string key="x" value="1"/></list>`,
      ) +
        event(
          'rating',
          `${time('2026-01-01T01:10:00.000+01:00')}<float key="value" value="4.5"><string key="unit" value="x"/></float>`,
        ),
    ) + trace('c', event('rating', `${time(AT)}<string key="value" value="5"/><int key="n" value="3"/>`))

  test('traces are cases, and attributes keep their types', async (t) => {
    const path = await filesIn(t, {
      'log.xes': log(traces),
      'log.xes.gz': gzipSync(log(traces)),
      'unnamed.xml': log(traces),
      'latin1.xes': Buffer.from(
        log(traces).replace('UTF-8', 'ISO-8859-1').replaceAll('a &amp; b', 'ä'),
        'latin1',
      ),
    })
    for (const name of ['log.xes', 'log.xes.gz', 'unnamed.xml', 'latin1.xes']) {
      const { cases, confirmed, bad, warnings } = await countsOf(path(name))
      assert.deepEqual([cases, confirmed, bad], [2, 1, 0], name)
      assert.deepEqual(warnings, [
        '2 lists, containers and attributes of attributes were not read',
        '"value" of "rating" is compared with a number, but is a text in 1 of 2 events: "5" (line 6)',
      ])
    }
    const typed = all(
      { event: 'resolved', match: { ok: true, 'case:amount': 7 } },
      { event: 'rating', gt: 4 },
    )
    const { json } = await backtestOf(path('log.xes'), [contractWith({ fulfillment_condition: typed })], AUTO)
    assert.equal(json.contracts[0].confirmed, 1)
  })

  test('steps of an activity and options that have no effect are noted (§10 rule 8)', async (t) => {
    const step = (name: string) => `${time(AT)}<string key="lifecycle:transition" value="${name}"/>`
    const path = await filesIn(t, {
      'steps.xes': log(
        trace(
          'a',
          event('rating', step('start')) +
            event('rating', step('complete')) +
            event('rating', step('complete')),
        ),
      ),
      'one.xes': log(trace('a', event('rating', step('complete')))),
      'start.xes': log(trace('a', event('rating', step('start')))),
    })
    const columns = { case: 'case', type: 'type', time: 'timestamp' }
    const plain = contractWith({ fulfillment_condition: { event: 'rating' } })
    const notes = async (name: string, options = AUTO) =>
      (await backtestOf(path(name), [plain], options)).json.warnings
    assert.deepEqual(await notes('steps.xes'), [
      'each event counts for its type, whatever its lifecycle:transition: "start" (1), "complete" (2); a condition can name one, for example match {"lifecycle:transition": "complete"}',
    ])
    assert.deepEqual(await notes('one.xes'), [])
    assert.match((await notes('start.xes')).join(), /whatever its lifecycle:transition: "start" \(1\);/)
    assert.deepEqual(await notes('one.xes', { ...AUTO, columns }), [
      'XES names the case, the type and the time itself; --case and --time had no effect',
    ])
  })

  test('an attribute that occurs twice, a key that the service refuses and a lossy number with a sign make bad events', async (t) => {
    const value = (text: string) => `<int key="value" value="${text}"/>`
    const path = await filesIn(t, {
      'log.xes': log(
        trace(
          'a',
          [
            `${value('5')}${value('3')}`,
            '<string key="__proto__" value="x"/>',
            value('+9007199254740993'),
            `<constructor key="value" value="5"/>`,
          ]
            .map((attributes) => `\n${event('rating', time(AT) + attributes)}`)
            .join(''),
        ),
      ),
    })
    const { json } = await backtestOf(
      path('log.xes'),
      [contractWith({ fulfillment_condition: { event: 'rating', gt: 4 } })],
      AUTO,
    )
    assert.deepEqual(
      json.bad_rows.first.map(({ line, detail }: { line: number; detail: string }) => [line, detail]),
      [
        [7, 'the attribute "value" occurs twice'],
        [8, '"__proto__" is not allowed as a key, so the service refuses the event'],
        [
          9,
          'the number +9007199254740993 cannot be stored exactly, so the service refuses it: send it as a string',
        ],
      ],
    )
    assert.equal(json.contracts[0].confirmed, 0)
    assert.match(json.warnings.join(), /^1 list, container or attribute of an attribute was not read/)
  })

  test('bad events are reported with their lines; a file that is not XES is refused', async (t) => {
    const path = await filesIn(t, {
      'bad.xes': log(
        `${trace('a', event('resolved', time(AT)))}\n${event('rating', time(AT))}\n${trace('b', event('x', time('never')))}\n${trace('c', event('x', `${time(AT)}<int key="n" value="9007199254740993"/>`))}`,
      ),
      'trace.xes': log(
        trace('a', `<int key="order" value="9007199254740993"/>${event('resolved', time(AT))}`),
      ),
      'late.xes': log(trace('a', `${event('resolved', time(AT))}\n<int key="late" value="7"/>`)),
      'broken.xes': log(traces).slice(0, -30),
      'other.xml': '<html><body/></html>',
    })
    const { json } = await backtestOf(path('bad.xes'), [contract], AUTO)
    assert.deepEqual(
      json.bad_rows.first.map(({ line, reason }: { line: number; reason: string }) => [line, reason]),
      [
        [7, 'no case'],
        [8, 'bad time'],
        [9, 'number out of range'],
      ],
    )
    await assert.rejects(countsOf(path('trace.xes')), {
      message: /line 6: the number 9007199254740993 cannot be stored exactly/,
    })
    await assert.rejects(countsOf(path('late.xes')), {
      message: /^line 7 of the log: an attribute of a trace follows an event of the trace/,
    })
    await assert.rejects(countsOf(path('broken.xes')), { message: /^line 6 of the log is not XML: / })
    await assert.rejects(countsOf(path('other.xml')), {
      message: /is XML, but not XES: it begins with <html>/,
    })
  })
})

/** A tar archive with one file. */
function tarOf(content: string): Buffer {
  const header = Buffer.alloc(512)
  header.write('log.csv')
  header.write('ustar', 257)
  const file = Buffer.alloc(1536)
  file.write(content)
  return Buffer.concat([header, file])
}

test('a log without a usable row is refused with the first reason; other files are refused with their type (§10 rule 7)', async (t) => {
  const path = await filesIn(t, {
    'header.csv': 'case_id,type,occurred_at\n',
    'bad.csv': 'case_id,type,occurred_at\na,done,01.02.2026\na,done,02.02.2026\n',
    'log.tar': tarOf('value,case_id,type,occurred_at\n5,a,rating,2026-01-01T00:00:00Z\n'),
    'nul.csv': 'a\0b,case_id,type,occurred_at\n5,a,rating,2026-01-01T00:00:00Z\n',
    'book.xlsx': Buffer.from('PK\x03\x04rest', 'latin1'),
  })
  await assert.rejects(countsOf(path('header.csv')), {
    name: 'OperatorError',
    message: 'the log has no events',
  })
  await assert.rejects(countsOf(path('bad.csv')), {
    message:
      /^the log has no usable row: all of its 2 rows are bad; line 2: "01\.02\.2026" is not a time .*--time-format/,
  })
  await assert.rejects(countsOf(path('log.tar')), { message: 'the log is a tar archive: unpack it' })
  await assert.rejects(countsOf(path('nul.csv')), {
    message: 'the header of the log: the row holds a NUL character (U+0000)',
  })
  await assert.rejects(countsOf(path('book.xlsx')), { message: /is a zip archive or an Excel workbook: / })
})
