import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  beginHistory,
  type EditHistory,
  leaveField,
  MAX_EDITS,
  record,
  redo,
  undo,
} from '../../dashboard/src/claim-schemas/edit-history.ts'

/** As often as it goes. */
function all(history: EditHistory<string>, step: typeof undo<string>): string[] {
  const next = step(history)
  return next ? [next.present, ...all(next, step)] : []
}

test('edits are undone and redone one by one, and typing in one field is one edit', () => {
  let history = beginHistory('')
  for (const text of ['a', 'ab', 'abc']) history = record(history, text, 'field')
  history = record(history, 'abc+', null)
  history = record(history, 'abc++', null)
  history = record(history, 'abc++d', 'field')
  history = record(leaveField(history, Object.is), 'abc++de', 'field')
  assert.deepEqual(all(history, undo), ['abc++d', 'abc++', 'abc+', 'abc', ''])
  const undone = undo(undo(history) as typeof history) as typeof history
  assert.deepEqual(all(undone, redo), ['abc++d', 'abc++de'])
  assert.deepEqual(all(record(undone, 'x', null), redo), [], 'an edit ends what could be redone')
  assert.equal(undo(beginHistory('')), null)
  assert.equal(redo(history), null)
})

test('typing after an undo is a new edit', () => {
  const history = record(record(beginHistory('0'), '1', 'field'), '2', null)
  const undone = undo(history) as typeof history
  assert.deepEqual(all(record(undone, '3', 'field'), undo), ['1', '0'])
})

test('text that is typed and removed is no edit', () => {
  let history = record(beginHistory('a'), 'b', null)
  for (const text of ['bc', 'b']) history = record(history, text, 'field')
  assert.deepEqual(all(leaveField(history, Object.is), undo), ['a'])
  const other = record(beginHistory('a'), 'a', null)
  assert.equal(leaveField(other, Object.is), other)
})

test('a limited number of edits is kept', () => {
  let history = beginHistory('start')
  for (let i = 0; i < MAX_EDITS + 50; i++) history = record(history, `${i}`, null)
  assert.equal(history.past.length, MAX_EDITS)
  assert.equal(all(history, undo).at(-1), '49')
})
