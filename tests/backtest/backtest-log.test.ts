import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { contractWith } from '../support/contracts.ts'
import { backtestOf, delivery, filesIn, SAMPLE_LOG } from './backtest-files.ts'

const cellValue = (cell: string) => (/^-?\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell)

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
  test('in several gzip members is read whole; zeros may pad it, but nothing may follow them', async (t) => {
    const first = gzipSync('case_id,type,occurred_at\na,done,2026-01-01T00:00:00Z\n')
    const second = gzipSync('b,done,2026-01-01T00:00:00Z\n')
    const path = await filesIn(t, {
      'members.csv.gz': Buffer.concat([first, second]),
      'padded.csv.gz': Buffer.concat([first, second, Buffer.alloc(1_000_000)]),
      'between.csv.gz': Buffer.concat([first, Buffer.alloc(100), second]),
      'far.csv.gz': Buffer.concat([first, Buffer.alloc(1_000_000), second]),
    })
    for (const name of ['members.csv.gz', 'padded.csv.gz'])
      assert.equal((await backtestOf(path(name), [contractWith()])).json.log.events, 2, name)
    for (const name of ['between.csv.gz', 'far.csv.gz'])
      await assert.rejects(
        backtestOf(path(name), [contractWith()]),
        /more data follows the zeros after its gzip data/,
        name,
      )
  })

  test('in gzip members is read whole, wherever they end in the chunks of the file', async (t) => {
    const CHUNK_BYTES = 256 * 1024
    const header = 'case_id,type,occurred_at,note\na,done,2026-01-01T00:00:00Z,'
    const memberOf = (noise: number) => gzipSync(`${header}${'x'.repeat(noise)}\n`, { level: 0 })
    const noise = CHUNK_BYTES - memberOf(CHUNK_BYTES - 1024).length + CHUNK_BYTES - 1024
    const first = memberOf(noise)
    assert.equal(first.length, CHUNK_BYTES)
    const second = gzipSync('b,done,2026-01-01T00:00:00Z,\n')
    const path = await filesIn(t, {
      'aligned.csv.gz': Buffer.concat([first, second]),
      'split.csv.gz': Buffer.concat([memberOf(noise - 1), second]),
    })
    // The payload of the first event may be too large; what counts is that the second is read.
    for (const name of ['aligned.csv.gz', 'split.csv.gz']) {
      const { log, bad_rows } = (await backtestOf(path(name), [contractWith()])).json
      assert.equal(log.events + bad_rows.count, 2, name)
    }
  })

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
      const { json } = await backtestOf(path(name), [delivery], { format: null })
      assert.deepEqual(withoutLines(json), withoutLines(expected.json), name)
    }
    const sorted = await backtestOf(path('by-case.csv'), [delivery], { isSorted: true })
    assert.deepEqual(withoutLines(sorted.json), withoutLines(expected.json))
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
      assert.match(
        json.warnings.join(),
        /"id" is not part of the payloads: the service reserves that name; ids of events are ignored, so a repeated event counts again,"__proto__" is left out: the service refuses the key __proto__/,
      )
      return json.contracts[0].confirmed === 1
    }
    for (const payload of [
      '{"value":1.5}',
      '{"value":"1.50"}',
      '{"flag":"true"}',
      '{"flag":true}',
      '{"code":"007"}',
      '{"empty":""}',
    ])
      assert.ok(await confirmed(payload), payload)
    for (const payload of ['{"value":"1.5"}', '{"id":9}', '{"case_id":"a"}', '{"__proto__":"p"}'])
      assert.ok(!(await confirmed(payload)), payload)
  })

  test('--opened-at gives the opening time, by whichever row of the case has it; else it is the first event', async (t) => {
    const path = await filesIn(t, {
      'log.csv':
        'case_id,type,occurred_at,begun\na,x,2026-01-01T00:00:00Z,\na,done,2026-01-01T01:30:00Z,2026-01-01T01:00:00Z\nb,x,2026-01-01T00:00:00Z,\nb,done,2026-01-01T01:30:00Z,\n',
    })
    const columns = { case: 'case_id', type: 'type', time: 'occurred_at', openedAt: 'begun' }
    const { json } = await backtestOf(path('log.csv'), [contractWith()], { columns })
    const [contract] = json.contracts
    assert.deepEqual([contract.confirmed, contract.failed], [1, 1])
    assert.equal(contract.events.refused.before_opening, 1)
    assert.deepEqual(json.warnings, [
      '1 case has no time in "begun" (--opened-at), so the first event opens the case',
    ])
  })

  test('cases without an opening time and with several are noted, in every format (§10 rule 8)', async (t) => {
    const [first, second] = ['2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z']
    const event = `<event><string key="concept:name" value="x"/><date key="time:timestamp" value="${first}"/></event>`
    const path = await filesIn(t, {
      'sorted.csv': `case_id,type,occurred_at,begun\na,x,${first},${first}\na,x,${first},${second}\nb,x,${first},${second}\n`,
      'mixed.csv': `case_id,type,occurred_at,begun\na,x,${first},${first}\nb,x,${first},${second}\na,x,${first},${second}\n`,
      'log.ndjson': ['a', 'b']
        .map((id) => `{"case_id":"${id}","type":"x","occurred_at":"${first}"}`)
        .join('\n'),
      'log.xes': `<log><trace><string key="concept:name" value="a"/>${event}</trace></log>`,
    })
    const notes = async (name: string) => {
      const columns = { case: 'case_id', type: 'type', time: 'occurred_at', openedAt: 'begun' }
      return (await backtestOf(path(name), [contractWith()], { format: null, columns })).json.warnings
    }
    for (const name of ['sorted.csv', 'mixed.csv'])
      assert.deepEqual(
        await notes(name),
        [
          '1 case has several times in "begun" (--opened-at), of which the first of the log counts: "a" (line 2)',
          `all events of 1 case are before the opening and were refused: "b" (line ${name === 'sorted.csv' ? 4 : 3}); check the column "begun" (--opened-at)`,
        ],
        name,
      )
    assert.deepEqual(await notes('log.ndjson'), [
      '2 cases have no times in "begun" (--opened-at), so the first event opens each of them',
    ])
    assert.deepEqual(await notes('log.xes'), [
      '1 case has no time in "begun" (--opened-at), so the first event opens the case',
    ])
  })
})

test('opening times before 2000 and in the future are noted (§10 rule 8)', async (t) => {
  const path = await filesIn(t, {
    'log.csv': `case_id,type,occurred_at,begun\na,x,2026-01-01T00:00:00Z,1970-01-01T00:00:00Z\nb,x,2026-01-01T00:00:00Z,2626-01-01T00:00:00Z\n`,
  })
  const columns = { case: 'case_id', type: 'type', time: 'occurred_at', openedAt: 'begun' }
  const { json } = await backtestOf(path('log.csv'), [contractWith()], { columns })
  assert.deepEqual(json.warnings, [
    'all events of 1 case are before the opening and were refused: "b" (line 3); check the column "begun" (--opened-at)',
    'the earliest opening time is of 1970-01-01 (line 2): check the column of --opened-at',
    'the latest opening time is of 2626-01-01, in the future (line 3): check the column of --opened-at',
  ])
})

test('ids and times of JSON keep their digits as they are written (§10 rule 4)', async (t) => {
  const at = '"occurred_at":"2026-01-01T00:00:00Z"'
  const path = await filesIn(t, {
    'decimals.ndjson': `{"case_id":1234567890123456781.0,"type":"x",${at}}\n{"case_id":1234567890123456789.0,"type":"x",${at}}\n`,
    'powers.ndjson': `{"case_id":1.23457e+12,"type":"x",${at}}\n{"case_id":"b","type":"x","occurred_at":1.7672e+12}\n`,
  })
  const { json: decimals } = await backtestOf(path('decimals.ndjson'), [contractWith()], { format: null })
  assert.equal(decimals.log.cases, 2)
  const { json: powers } = await backtestOf(path('powers.ndjson'), [contractWith()], { format: null })
  assert.match(
    powers.warnings.join(),
    /1 case has an id that a spreadsheet or a program has shortened.*"1\.23457e\+12"/,
  )
  assert.deepEqual(powers.bad_rows.by_reason, { 'bad time': 1 })
})
