import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Costs, spentOn } from '../../bench/model/costs.ts'
import { eventsPerGroup, fitGrowth } from '../../bench/model/group-size.ts'
import {
  fitModel,
  type LoadSample,
  type ModelInput,
  needs,
  predict,
  validateModel,
} from '../../bench/model/model.ts'

/** Known costs, from which the measurements are computed. */
const TRUE_GROWTH = 0.3
const SHARDS = 8
const of = (requests: number, groups: number, events: number) => ({ requests, groups, events })
const TRUE: Costs = {
  client: of(20e-6, 0, 1e-6),
  server: of(60e-6, 100e-6, 15e-6),
  coordinator: of(0, 200e-6, 5e-6),
  workers: of(0, 150e-6, 20e-6),
  walBytes: of(0, 200, 400),
}

function load(connections: number, batch: number, perSecond: number): LoadSample {
  const inFlight = (connections * batch) / SHARDS
  const groups = perSecond / eventsPerGroup(TRUE_GROWTH, inFlight)
  const counts = of(perSecond / batch, groups, perSecond)
  return { perSecond, inFlight, counts, spent: spentOn(TRUE, counts) }
}

const known: ModelInput = {
  fitted: [load(4, 1, 800), load(16, 1, 1_500), load(64, 1, 3_000), load(8, 10, 5_000), load(8, 100, 9_000)],
  creations: [load(4, 1, 900), load(32, 1, 2_000)],
  checks: [
    { counts: of(0, 1, 1_000), spent: spentOn(TRUE, of(0, 1, 1_000)) },
    { counts: of(0, 1, 10_000), spent: spentOn(TRUE, of(0, 1, 10_000)) },
  ],
  ...{
    checkWaits: 0.01,
    checkConcurrency: 8,
    checkBatch: 1_000,
    batchConnections: 8,
    shards: SHARDS,
    machines: SHARDS,
  },
  ...{ isCitus: true, cores: 2, diskOfClaim: 900, diskOfEvent: 250 },
}

const options = {
  ...{
    cores: 4,
    coordinatorCores: 8,
    servers: 4,
    shards: null,
    rate: 100_000,
    eventsPerClaim: 5,
    batch: 100,
  },
}

test('the growth of groups with the events in flight is recovered', () => {
  const samples = [1, 2, 8, 100].map((inFlight) => ({
    inFlight,
    eventsPerGroup: eventsPerGroup(0.3, inFlight),
  }))
  assert.ok(Math.abs(fitGrowth(samples) - 0.3) < 1e-9)
  assert.equal(fitGrowth([]), 0)
  assert.equal(eventsPerGroup(0.3, 0.5), 1)
})

test('the costs of a request, a group and an event are recovered and predict a load that was not fitted', () => {
  const model = fitModel(known)
  assert.ok(Math.abs(model.submission.server.groups - 100e-6) < 1e-9)
  assert.ok(Math.abs(model.submission.coordinator.events - 5e-6) < 1e-9)
  const { errors } = validateModel(model, load(8, 30, 7_000), known.cores)
  for (const error of [errors.server, errors.coordinator, errors.workers, errors.all]) {
    assert.ok(Math.abs(Number(error)) < 1e-6)
  }
})

test('the rate of a cluster grows with each worker until the coordinator is the limit', () => {
  const predictions = predict(known, fitModel(known), options)
  assert.deepEqual(
    predictions.map(({ workers }) => workers),
    [1, 2, 4, 8, 16, 32, 64, 100],
  )
  const rates = predictions.map(({ inBatches }) => inBatches.perSecond)
  assert.deepEqual(
    rates,
    rates.toSorted((a, b) => a - b),
  )
  const [first, last] = [predictions[0], predictions.at(-1)]
  assert.notEqual(first?.inBatches.limit, 'coordinator')
  assert.equal(last?.inBatches.limit, 'coordinator')
  assert.ok(Number(last?.needed.coordinatorCores) > options.coordinatorCores)
})

test('plain PostgreSQL has one prediction, of one machine', () => {
  const plain = { ...known, isCitus: false, shards: 1, machines: 1 }
  assert.deepEqual(
    predict(plain, fitModel(plain), options).map(({ workers }) => workers),
    [0],
  )
})

test('the need grows with the rate', () => {
  const [small, large] = needs(known, fitModel(known), { ...options, rate: 10_000 })
  assert.ok(Math.abs(Number(large?.diskPerDay) / Number(small?.diskPerDay) - 10) < 1e-9)
  assert.ok(Number(large?.workers) >= Number(small?.workers))
})
