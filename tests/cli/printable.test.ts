import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printable, printableAfterParsing, printableJson } from '../../src/platform/terminal/printable.ts'
import { formatTable } from '../../src/platform/terminal/table.ts'

/** Clears a terminal, by ESC and by C1; turns text round; ends a line; hides a tag. */
const HOSTILE = 'a\u001b[2Jb\u009b2Jc\u202ed\ne\u2028f\u{e0041}g\u007fh\\u001b'
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const RAW = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2028\u{e0000}-\u{e007f}]/u

test('a cell of a table shows control characters as escapes, in one line', () => {
  const table = formatTable(['NAME'], [[HOSTILE]])
  assert.doesNotMatch(table, RAW)
  assert.ok(table.includes('a\\u001b[2Jb\\u009b2Jc\\u202ed\\u000ae\\u2028f'))
  assert.equal(printable('Zoë 東京'), 'Zoë 東京')
})

test('JSON has no control character, and the same value', () => {
  const value = { name: HOSTILE, list: [HOSTILE] }
  const json = printableJson(JSON.stringify(value, null, 2))
  assert.doesNotMatch(json, RAW)
  assert.deepEqual(JSON.parse(json), value)
})

test('a line that is parsed and printed shows escapes in its strings, and keeps the ends of a stack’s lines', () => {
  const line = printableAfterParsing(`${JSON.stringify({ msg: HOSTILE, stack: 'Error\n    at x' })}\n`)
  const { msg, stack } = JSON.parse(line)
  assert.doesNotMatch(msg, RAW)
  assert.ok(msg.endsWith('h\\u001b'), 'what is no escape stays')
  assert.equal(stack, 'Error\n    at x')
})
