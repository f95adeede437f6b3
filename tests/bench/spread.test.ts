import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimId, claimOf } from '../../bench/load/submissions.ts'
import { numbersOf, pickOf, type Spread, touchOf } from '../../bench/sides/spread.ts'
import { distributionOver } from '../support/distribution-over.ts'

const shards = distributionOver([-(2 ** 31), -(2 ** 30), 0, 2 ** 30])
const BATCH = 10

function shardsOf(spread: Spread, submissions: number): number[] {
  const pick = pickOf(spread, 7, numbersOf(spread, 7, 400), BATCH)
  return Array.from({ length: submissions }, (_, i) => shards.shardOf(claimId(7, claimOf(pick, i))))
}

test('all submissions go to one shard', () => {
  const spread = { shard: 2, of: shards }
  assert.equal(numbersOf(spread, 7, 400).length, 400)
  assert.deepEqual(new Set(shardsOf(spread, 500)), new Set([2]))
})

test('each batch goes to one shard, the next batch to another shard', () => {
  const batches = Array.from({ length: 40 }, (_, i) => i)
  const found = shardsOf({ eachOf: shards }, batches.length * BATCH)
  const ofBatch = batches.map((batch) => new Set(found.slice(batch * BATCH, (batch + 1) * BATCH)))
  assert.ok(ofBatch.every(({ size }) => size === 1))
  assert.equal(new Set(ofBatch.slice(0, 4).flatMap((one) => [...one])).size, 4)
})

test('submissions go to claims of all shards', () => {
  assert.equal(new Set(shardsOf('all', 500)).size, 4)
})

test('batches of one shard each touch every claim', () => {
  const numbers = numbersOf('all', 7, 395)
  const { pick, requests } = touchOf(shards, 7, numbers, BATCH)
  const touched = Array.from({ length: requests * BATCH }, (_, i) => claimOf(pick, i))
  assert.deepEqual(new Set(touched), new Set(numbers))
  const batches = Array.from({ length: requests }, (_, i) => touched.slice(i * BATCH, (i + 1) * BATCH))
  assert.ok(batches.every((batch) => new Set(batch.map((n) => shards.shardOf(claimId(7, n)))).size === 1))
})

test('each claim gets one submission', () => {
  const numbers = numbersOf('once', 7, 400)
  const pick = pickOf('once', 7, numbers, BATCH)
  const visited = Array.from({ length: 400 }, (_, i) => claimOf(pick, i))
  assert.deepEqual(
    visited.toSorted((a, b) => a - b),
    numbers,
  )
})
