import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FAULTS } from '../../simulate/faults/faults.ts'
import { findPlace } from '../../simulate/mutants/find-place.ts'
import { edit, editWithin } from '../../simulate/mutants/mutant.ts'
import { mutated, readSources } from '../../simulate/mutants/plant.ts'
import { MUTANTS } from '../../simulate/mutants.ts'

test('each planted defect has one place in the source, and changes it', () => {
  const sources = readSources()
  for (const mutant of MUTANTS) {
    assert.ok(mutated(mutant, sources).size > 0, mutant.name)
    for (const { find, replace } of mutant.edits) assert.notEqual(find, replace, mutant.name)
  }
})

test('each planted defect has a name of its own, and names faults that there are', () => {
  const names = MUTANTS.map(({ name }) => name)
  assert.deepEqual(names, [...new Set(names)])
  const known = new Set(FAULTS.map(({ name }) => name))
  for (const { name, faults } of MUTANTS) {
    for (const fault of faults?.split(',') ?? []) assert.ok(known.has(fault), `${name}: ${fault}`)
  }
})

const SOURCE = `const LIMIT = 1\n\nexport function first() {\n  return isOpen && hasRoom\n}\n\nasync function second() {\n  return isOpen && hasRoom\n}\n`
const place = (of: Parameters<typeof findPlace>[0], text = SOURCE) =>
  findPlace(of, new Map([['somewhere/a.ts', text]]))

test('the place of a defect is found in any file, however it is formatted', () => {
  const { file, start, end } = place(edit('const LIMIT = 1', ''))
  assert.deepEqual([file, SOURCE.slice(start, end)], ['somewhere/a.ts', 'const LIMIT = 1'])
  const reformatted = SOURCE.replace('isOpen && hasRoom\n}\n\n', 'isOpen &&\n    hasRoom\n}\n\n')
  const { start: from, end: to } = place(editWithin('first', 'isOpen && hasRoom', ''), reformatted)
  assert.equal(reformatted.slice(from, to), 'isOpen &&\n    hasRoom')
})

test('a declaration tells places of one text apart', () => {
  const [first, second] = ['first', 'second'].map((name) => place(editWithin(name, 'isOpen && hasRoom', '')))
  assert.ok((first?.start ?? 0) < SOURCE.indexOf('second') && (second?.start ?? 0) > SOURCE.indexOf('second'))
})

test('a place that is gone, or that there are several of, is an error that names it', () => {
  assert.throws(() => place(edit('hasNoRoom', '')), /0 places like hasNoRoom/)
  assert.throws(() => place(edit('isOpen && hasRoom', '')), /2 places like isOpen && hasRoom/)
  assert.throws(() => place(editWithin('third', 'isOpen', '')), /a declaration third has 0 places/)
})
