import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FAULTS } from '../../simulate/faults/faults.ts'
import { mutated } from '../../simulate/mutants/plant.ts'
import { MUTANTS } from '../../simulate/mutants.ts'

test('each planted defect has its place in the source, and changes it', async () => {
  for (const mutant of MUTANTS) {
    const texts = await mutated(mutant)
    assert.ok(texts.size > 0, mutant.name)
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
