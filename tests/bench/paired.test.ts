import assert from 'node:assert/strict'
import { test } from 'node:test'
import { costsOf, ratiosOf } from '../../bench/sides/paired.ts'

const usage = { server: 0.5, coordinator: 0.3, workers: 0.2, transactions: 0, walBytes: 0 }

test('the cost of an event follows from the used cores', () => {
  const costs = costsOf(10_000, usage)
  assert.deepEqual(costs, { perSecond: 10_000, serverUs: 50, databaseUs: 50, perCore: 10_000 })
})

test('figures that depend on an unknown CPU time are null', () => {
  const { serverUs, databaseUs, perCore } = costsOf(10_000, { ...usage, workers: null })
  assert.deepEqual({ serverUs, databaseUs, perCore }, { serverUs: 50, databaseUs: null, perCore: null })
})

test('ratios compare the first turns of both sides, then the second turns', () => {
  const turn = (name: 'plain' | 'citus', perSecond: number) => ({ name, result: costsOf(perSecond, usage) })
  const turns = [turn('plain', 100), turn('citus', 50), turn('citus', 60), turn('plain', 200)]
  assert.deepEqual(ratiosOf(turns), { ratio: 0.4, ofACore: 0.4 })
})
