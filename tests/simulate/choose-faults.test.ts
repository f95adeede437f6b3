import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseFaults } from '../../simulate/choose-faults.ts'

const namesOf = (faults: string, citus?: string) =>
  chooseFaults({ faults, citus }, () => {}).map(({ name }) => name)

test('without a cluster, "all" excludes the faults of clusters, so a seed draws the same faults', () => {
  const [without, having] = [namesOf('all'), namesOf('all', 'programs')]
  assert.ok(!without.includes('shard-node-killed'))
  assert.ok(having.includes('shard-node-killed'))
  assert.deepEqual(having.slice(0, without.length), without)
})

test('a fault that needs a cluster is refused by name without one', () => {
  assert.deepEqual(namesOf('shards-move', 'programs'), ['shards-move'])
  assert.throws(() => namesOf('shards-move'), /shards-move needs --citus/)
  assert.throws(() => namesOf('no-such-fault'), /unknown fault no-such-fault/)
})
