import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseFaults } from '../../simulate/choose-faults.ts'

const namesOf = (faults: string, citus?: string) =>
  chooseFaults({ faults, citus }, () => {}).map(({ name }) => name)

test('without a cluster its faults are not among all, so that a seed draws what it drew before', () => {
  const [without, having] = [namesOf('all'), namesOf('all', 'programs')]
  assert.ok(!without.includes('shard-node-killed'))
  assert.ok(having.includes('shard-node-killed'))
  assert.deepEqual(having.slice(0, without.length), without)
})

test('who asks for one of them by its name is told what it takes', () => {
  assert.deepEqual(namesOf('shards-move', 'programs'), ['shards-move'])
  assert.throws(() => namesOf('shards-move'), /shards-move cannot be done here: it takes --citus/)
  assert.throws(() => namesOf('no-such-fault'), /there is no fault no-such-fault/)
})
