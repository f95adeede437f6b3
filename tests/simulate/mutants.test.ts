import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FAULTS } from '../../simulate/faults/faults.ts'
import { locateEdit } from '../../simulate/mutants/locate-edit.ts'
import { edit, editWithin } from '../../simulate/mutants/mutant.ts'
import { applyEdits, readSources } from '../../simulate/mutants/source-copy.ts'
import { MUTANTS } from '../../simulate/mutants.ts'

test('the text of each mutant occurs once in the source, and the mutant changes it', () => {
  const sources = readSources()
  for (const mutant of MUTANTS) {
    assert.ok(applyEdits(mutant, sources).size > 0, mutant.name)
    for (const { find, replace } of mutant.edits) assert.notEqual(find, replace, mutant.name)
  }
})

test('each mutant has a unique name, and its faults exist', () => {
  const names = MUTANTS.map(({ name }) => name)
  assert.deepEqual(names, [...new Set(names)])
  const known = new Set(FAULTS.map(({ name }) => name))
  for (const { name, faults } of MUTANTS) {
    for (const fault of faults?.split(',') ?? []) assert.ok(known.has(fault), `${name}: ${fault}`)
  }
})

const SOURCE = `const LIMIT = 1\n\nexport function first() {\n  return isOpen && hasRoom\n}\n\nasync function second() {\n  return isOpen && hasRoom\n}\n`
const locate = (of: Parameters<typeof locateEdit>[0], text = SOURCE) =>
  locateEdit(of, new Map([['somewhere/a.ts', text]]))

test('an edit is located in any file and format', () => {
  const { file, start, end } = locate(edit('const LIMIT = 1', ''))
  assert.deepEqual([file, SOURCE.slice(start, end)], ['somewhere/a.ts', 'const LIMIT = 1'])
  const reformatted = SOURCE.replace('isOpen && hasRoom\n}\n\n', 'isOpen &&\n    hasRoom\n}\n\n')
  const { start: from, end: to } = locate(editWithin('first', 'isOpen && hasRoom', ''), reformatted)
  assert.equal(reformatted.slice(from, to), 'isOpen &&\n    hasRoom')
})

test('a declaration distinguishes occurrences of one text', () => {
  const [first, second] = ['first', 'second'].map((name) => locate(editWithin(name, 'isOpen && hasRoom', '')))
  assert.ok((first?.start ?? 0) < SOURCE.indexOf('second') && (second?.start ?? 0) > SOURCE.indexOf('second'))
})

test('a text that occurs nowhere or twice is an error with the text', () => {
  assert.throws(() => locate(edit('hasNoRoom', '')), /hasNoRoom occurs 0 times in the source/)
  assert.throws(() => locate(edit('isOpen && hasRoom', '')), /isOpen && hasRoom occurs 2 times/)
  assert.throws(() => locate(editWithin('third', 'isOpen', '')), /occurs 0 times in the declaration third/)
})
