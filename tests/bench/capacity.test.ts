import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  capacityOf,
  checkCapacity,
  MAX_UTILIZATION,
  type Machines,
  neededFor,
} from '../../bench/model/capacity.ts'
import type { Spent } from '../../bench/model/costs.ts'
import { needOf, ratesUpTo } from '../../bench/model/need.ts'

const us = (server: number, coordinator: number, workers: number): Spent => ({
  client: 0,
  server: server / 1e6,
  coordinator: coordinator / 1e6,
  workers: workers / 1e6,
  walBytes: 100,
})

const machines = (workers: number, more: Partial<Machines> = {}): Machines => ({
  ...{ workers, coresOfWorker: 4, coordinatorCores: 8, servers: 4 * workers, shards: null },
  ...more,
})

const rounded = ({ perSecond, limit }: ReturnType<typeof capacityOf>) => [Math.round(perSecond), limit]

test('the lowest capacity of servers, coordinator and workers is the limit', () => {
  const one = us(50, 20, 100)
  assert.deepEqual(rounded(capacityOf(one, machines(1))), [4e4 * MAX_UTILIZATION, 'workers'])
  assert.deepEqual(rounded(capacityOf(one, machines(100))), [4e5 * MAX_UTILIZATION, 'coordinator'])
  assert.deepEqual(rounded(capacityOf(one, machines(4, { servers: 1 }))), [2e4 * MAX_UTILIZATION, 'servers'])
})

test('more workers than shards do nothing', () => {
  const one = us(10, 1, 100)
  assert.deepEqual(
    capacityOf(one, machines(64, { shards: 8 })),
    capacityOf(one, machines(8, { servers: 256 })),
  )
})

test('plain PostgreSQL is bounded by the database and the servers', () => {
  assert.deepEqual(rounded(capacityOf(us(10, 80, 0), machines(0, { servers: 4 }))), [
    1e5 * MAX_UTILIZATION,
    'database',
  ])
  assert.deepEqual(rounded(capacityOf(us(80, 10, 0), machines(0, { servers: 4 }))), [
    5e4 * MAX_UTILIZATION,
    'servers',
  ])
})

test('the servers and cores of a rate follow from its CPU time', () => {
  assert.deepEqual(neededFor(us(50, 20, 100), 1e6 * MAX_UTILIZATION), { servers: 50, coordinatorCores: 20 })
})

test('a check runs on as many servers as its shards need, with several concurrent batches on each', () => {
  const times = { concurrentBatches: 8, claimsPerBatch: 1000, waits: 0.99 }
  for (const [shards, servers] of [
    [8, 1],
    [9, 2],
    [32, 4],
  ] as const) {
    const busy = checkCapacity(us(10, 1, 1), machines(100, { shards }), { ...times, waits: 0 })
    assert.deepEqual(rounded(busy), [servers * 1e5 * MAX_UTILIZATION, 'servers'])
    const waiting = checkCapacity(us(1, 1, 8), machines(100, { shards }), times)
    assert.deepEqual(rounded(waiting), [servers * 8000, 'concurrency'])
  }
  assert.deepEqual(rounded(checkCapacity(us(1, 9, 0), machines(0, { servers: 4 }), times)), [
    8000,
    'concurrency',
  ])
})

test('the need of a rate includes events and the creations and transitions of their claims', () => {
  const ones = {
    ...{ event: us(40, 20, 80), creation: us(100, 50, 100), transition: us(0, 0, 50) },
    ...{ diskOfClaim: 1000, diskOfEvent: 100 },
  }
  const need = needOf(ones, 10_000, { eventsPerClaim: 10, coresOfWorker: 1 })
  // The sums of events, creations and transitions, in this order.
  assert.equal(need.servers, Math.ceil((0.4 + 0.1) / MAX_UTILIZATION))
  assert.equal(need.coordinatorCores, Math.ceil((0.2 + 0.05) / MAX_UTILIZATION))
  assert.equal(need.workers, Math.ceil((0.8 + 0.1 + 0.1) / MAX_UTILIZATION))
  assert.equal(need.diskPerDay, (12_000 * 100 + 1000 * 1000) * 86_400)
  assert.equal(need.diskPerYear, need.diskPerDay * 365)
  assert.equal(need.walPerDay, 13_000 * 100 * 86_400)
})

test('rates are powers of ten up to the highest rate', () => {
  assert.deepEqual(ratesUpTo(1_000_000), [1_000, 10_000, 100_000, 1_000_000])
  assert.deepEqual(ratesUpTo(2_500), [1_000, 2_500])
  assert.deepEqual(ratesUpTo(50), [50])
})
