import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseEncoding, TextDecoding } from '../../src/backtest/log/decode-text.ts'
import { contractWith } from '../support/contracts.ts'
import type { BacktestOptions } from '../support/source/backtest.ts'
import { backtestOf, filesIn } from './backtest-files.ts'

const LINES = [
  'case_id,note,occurred_at,type',
  'a,öffnen 😀,2026-01-01T00:00:00Z,gelöst',
  'b,x,2026-01-01T00:00:00Z,offen',
]
const contract = contractWith({ fulfillment_condition: { event: 'gelöst', match: { note: 'öffnen 😀' } } })
const utf16 = (text: string, isBigEndian = false) => {
  const bytes = Buffer.from(text, 'utf16le')
  return isBigEndian ? bytes.swap16() : bytes
}

describe('encodings (§10 rule 6)', () => {
  test('are detected: UTF-8 and UTF-16, with and without a byte order mark, with each line end', async (t) => {
    const files: Record<string, Uint8Array> = {}
    for (const [name, end] of Object.entries({ lf: '\n', crlf: '\r\n', cr: '\r' })) {
      const text = LINES.join(end) + end
      files[`utf8-${name}.csv`] = Buffer.from(text)
      files[`utf8-mark-${name}.csv`] = Buffer.from(`\uFEFF${text}`)
      files[`utf16le-${name}.csv`] = utf16(`\uFEFF${text}`)
      files[`utf16be-${name}.csv`] = utf16(`\uFEFF${text}`, true)
      files[`utf16le-no-mark-${name}.csv`] = utf16(text)
      files[`utf16be-no-mark-${name}.csv`] = utf16(text, true)
    }
    const path = await filesIn(t, files)
    for (const name of Object.keys(files)) {
      const { json } = await backtestOf(path(name), [contract])
      const [{ cases, confirmed }] = json.contracts
      assert.deepEqual([cases, confirmed, json.bad_rows.count, json.warnings], [2, 1, 0, []], name)
    }
  })

  test('that an XML declaration names are used, but not UTF-16 where the declaration is ASCII', async (t) => {
    const xes = (encoding: string) =>
      `<?xml version="1.0" encoding="${encoding}"?><log><trace><string key="concept:name" value="a"/><event><string key="concept:name" value="gelöst"/><string key="note" value="öffnen 😀"/><date key="time:timestamp" value="2026-01-01T00:00:00Z"/></event></trace></log>`
    const path = await filesIn(t, { 'dotnet.xes': xes('utf-16'), 'unknown.xes': xes('klingon') })
    const confirmed = async (name: string) =>
      (await backtestOf(path(name), [contract], { format: null })).json.contracts[0].confirmed
    assert.equal(await confirmed('dotnet.xes'), 1)
    await assert.rejects(confirmed('unknown.xes'), {
      name: 'OperatorError',
      message: 'the log declares the encoding "klingon", which is not known: give --encoding',
    })
  })

  test('are set by --encoding', async (t) => {
    const text = LINES.join('\n').replace(' 😀', ' €')
    const path = await filesIn(t, {
      'latin1.csv': Buffer.from(text.replace(' €', ''), 'latin1'),
      'windows.csv': Buffer.from(text.replace('€', '\x80'), 'latin1'),
      'utf16.csv': utf16(text),
    })
    const confirmed = async (name: string, encoding: string, note: string) => {
      const wanted = contractWith({ fulfillment_condition: { event: 'gelöst', match: { note } } })
      const options: Partial<BacktestOptions> = { encoding: parseEncoding(encoding) }
      return (await backtestOf(path(name), [wanted], options)).json.contracts[0].confirmed
    }
    assert.equal(await confirmed('latin1.csv', 'latin1', 'öffnen'), 1)
    assert.equal(await confirmed('windows.csv', 'windows-1252', 'öffnen €'), 1)
    assert.equal(await confirmed('utf16.csv', 'UTF-16LE', 'öffnen €'), 1)
  })

  test('make a bad row of invalid bytes, with its line and the option (§10 rules 6, 7)', async (t) => {
    const good = '\nc,\uFFFD \uFDD0,2026-01-01T00:00:00Z,gut'
    const path = await filesIn(t, {
      'latin1.csv': Buffer.concat([
        Buffer.from(LINES.join('\n').replace(' 😀', ''), 'latin1'),
        Buffer.from(good),
      ]),
      'half.csv': utf16(`\uFEFF${LINES.join('\n').replace('😀', '\ud83d')}`),
      'odd.csv': utf16(`\uFEFF${LINES.join('\n')}`).subarray(0, -1),
      'header.csv': Buffer.from('fäll,type\n', 'latin1'),
      'log.ndjson': Buffer.from(
        '{"case_id":"a","type":"gelöst","occurred_at":1767225600}\n{"case_id":"a","type":"x","occurred_at":1767225600}',
        'latin1',
      ),
    })
    const badRows = async (name: string) => {
      const { json } = await backtestOf(path(name), [contract], { format: null })
      assert.deepEqual(Object.keys(json.bad_rows.by_reason), ['not valid in the encoding'], name)
      return json.bad_rows.first.map(
        ({ line, detail }: { line: number; detail: string }) => `${line}: ${detail}`,
      )
    }
    const [first, ...others] = await badRows('latin1.csv')
    assert.match(
      first,
      /^2: the row is not valid UTF-8 .*0xF6.*for another encoding give --encoding, for example --encoding windows-1252/,
    )
    assert.equal(others.length, 1, 'and a text that has the code point of the mark')
    assert.match((await badRows('half.csv'))[0], /^2: the row is not valid UTF-16le .*half of a character/)
    assert.match((await badRows('odd.csv'))[0], /^3: /)
    assert.match((await badRows('log.ndjson'))[0], /^1: the row is not valid UTF-8/)
    await assert.rejects(backtestOf(path('header.csv'), [contract]), {
      message: /^the header of the log: the row is not valid UTF-8 .*--encoding windows-1252/,
    })
  })

  test('are decoded independently of chunk boundaries', async () => {
    const text = `${'x'.repeat(250)}ö€😀 \uFFFD ${'y'.repeat(250)}😀`
    const encodings: [string | null, Buffer][] = [
      [null, Buffer.from(text)],
      [null, utf16(`\uFEFF${text}`)],
      [null, utf16(`\uFEFF${text}`, true)],
    ]
    for (const [encoding, bytes] of encodings) {
      for (let size = 1; size <= 7; size++) {
        const chunks = async function* () {
          for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
        }
        const decoding = new TextDecoding(encoding)
        const decoded: Buffer[] = []
        for await (const chunk of decoding.decode(chunks())) decoded.push(chunk)
        assert.equal(Buffer.concat(decoded).toString(), text, `${decoding.encoding} in pieces of ${size}`)
        assert.ok(!decoding.isDamaged)
      }
    }
  })

  test('line ends may change anywhere in the log', async (t) => {
    const row = (n: number) => `c${n},"x\ry",2026-01-01T00:00:00Z,${'z'.repeat(100)},1`
    const rows = Array.from({ length: 4000 }, (_, i) => row(i).replace('\r', ''))
    const csv = ['case_id,type,occurred_at,pad,value', ...rows].join('\n')
    const path = await filesIn(t, { 'log.csv': `${csv}\n${row(-1)}\r\n${row(-2)}\r${row(-3)}\n` })
    const wanted = contractWith({ fulfillment_condition: { event: 'x\ry', eq: 1 } })
    const { json } = await backtestOf(path('log.csv'), [wanted])
    const [{ cases, confirmed }] = json.contracts
    assert.deepEqual([cases, confirmed, json.bad_rows.count], [4003, 3, 0])
  })
})
