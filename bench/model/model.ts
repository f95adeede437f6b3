import { type Capacity, capacityOf, checkCapacity, type Machines, neededFor } from './capacity.ts'
import { type Costs, coresOf, countsOfOne, fitCosts, type Sample, type Spent, spentOn } from './costs.ts'
import { eventsPerGroup, fitGrowth } from './group-size.ts'
import { type Need, needOf, ratesUpTo, type UnitCosts } from './need.ts'
import type { ModelOptions } from './options.ts'

/** Citus workers that are predicted for. */
const WORKERS = [1, 2, 4, 8, 16, 32, 64, 100]

/** What a load was, for fitting and for trying. */
export interface LoadSample extends Sample {
  perSecond: number
  /** Events that wait or are on their way, of each machine; of creations, all of them. */
  inFlight: number
}

/** What was measured, as the model takes it. */
export interface ModelInput {
  fitted: readonly LoadSample[]
  creations: readonly LoadSample[]
  checks: readonly Sample[]
  /** In seconds: what a batch of a check waits for besides processors. */
  checkWaits: number
  checkLanes: number
  checkBatch: number
  /** Connections that send batches; of those that were measured. */
  batchConnections: number
  /** That the tables have, and that have those. */
  shards: number
  machines: number
  isCitus: boolean
  /** Of this machine. */
  cores: number
  diskOfClaim: number
  diskOfEvent: number
}

export interface Model {
  submission: Costs
  creation: Costs
  check: Costs
  growth: number
  /** How busy this machine was, with everything on it, when the load was highest: of all cores. */
  busy: number
}

export function fitModel({ fitted, creations, checks, cores }: ModelInput): Model {
  const groups = fitted.map(({ counts, inFlight }) => ({
    inFlight,
    eventsPerGroup: counts.events / counts.groups,
  }))
  const shares = fitted.map(({ spent }) => (coresOf(spent) + spent.client) / cores)
  return {
    submission: fitCosts(fitted),
    creation: fitCosts(creations, false),
    check: fitCosts(checks, false),
    growth: fitGrowth(groups),
    busy: Math.min(1, Math.max(...shares)),
  }
}

/** What one event takes, by the events per request and the requests in flight per machine. */
function oneEvent({ submission, growth }: Model, batch: number, inFlight: number): Spent {
  const groups = 1 / eventsPerGroup(growth, inFlight)
  return spentOn(submission, { requests: 1 / batch, groups, events: 1 })
}

/** How many a second this machine does with everything on it: a server has one thread. */
function perSecondHere({ busy }: Model, one: Spent, cores: number): number {
  return Math.min((busy * cores) / (coresOf(one) + one.client), 1 / one.server)
}

export interface Prediction {
  workers: number
  servers: number
  inBatches: Capacity
  alone: Capacity
  creations: Capacity
  /** A second. */
  checked: Capacity
  /** What the workers could do in batches, and what it would take. */
  workersCould: number
  needed: { servers: number; coordinatorCores: number }
}

export function predict(known: ModelInput, model: Model, options: ModelOptions): Prediction[] {
  const ones = oneOfEach(known, model, options)
  return (known.isCitus ? WORKERS : [0]).map((workers) => {
    const machines: Machines = {
      workers,
      coresOfWorker: options.cores,
      coordinatorCores: options.coordinatorCores,
      servers: options.servers * Math.max(workers, 1),
      shards: options.shards,
    }
    const ample = { ...machines, servers: Infinity, ...(workers > 0 && { coordinatorCores: Infinity }) }
    const { perSecond: workersCould } = capacityOf(ones.event, ample)
    return {
      workers,
      servers: machines.servers,
      inBatches: capacityOf(ones.event, machines),
      alone: capacityOf(ones.alone, machines),
      creations: capacityOf(ones.creation, machines),
      checked: checkCapacity(ones.transition, machines, {
        lanes: known.checkLanes,
        claimsPerBatch: known.checkBatch,
        waits: known.checkWaits,
      }),
      workersCould,
      needed: neededFor(ones.event, workersCould),
    }
  })
}

/** What one of each takes; groups are as large as they were here under the highest load. */
function oneOfEach(
  known: ModelInput,
  model: Model,
  { batch }: Pick<ModelOptions, 'batch'>,
): UnitCosts & { alone: Spent } {
  const single = known.fitted.filter(({ counts }) => counts.requests === counts.events)
  const most = (loads: readonly LoadSample[]) => loads.toSorted((a, b) => b.perSecond - a.perSecond)[0]
  const alone = most(single)
  return {
    event: oneEvent(model, batch, (known.batchConnections * batch) / known.machines),
    alone: oneEvent(model, 1, alone?.inFlight ?? 1),
    creation: spentOn(model.creation, countsOfOne((most(known.creations) as LoadSample).counts)),
    transition: spentOn(model.check, countsOfOne((known.checks.at(-1) as Sample).counts)),
    diskOfClaim: known.diskOfClaim,
    diskOfEvent: known.diskOfEvent,
  }
}

export const needs = (known: ModelInput, model: Model, options: ModelOptions): Need[] =>
  ratesUpTo(options.rate).map((rate) =>
    needOf(oneOfEach(known, model, options), rate, {
      eventsPerClaim: options.eventsPerClaim,
      coresOfWorker: options.cores,
    }),
  )

/** By how much of what was measured the prediction is above it; below zero if it is below. */
export interface Trial {
  predicted: Spent
  measured: Spent
  predictedPerSecond: number
  off: { server: number; coordinator: number; workers: number | null; all: number; perSecond: number }
}

export function tryModel(
  model: Model,
  { counts, spent, inFlight, perSecond }: LoadSample,
  cores: number,
): Trial {
  const predicted = oneEvent(model, counts.events / counts.requests, inFlight)
  const measured = Object.fromEntries(
    Object.entries(spent).map(([resource, value]) => [resource, value / perSecond]),
  ) as Spent
  const off = (guess: number, truth: number) => guess / truth - 1
  const predictedPerSecond = perSecondHere(model, predicted, cores)
  return {
    predicted,
    measured,
    predictedPerSecond,
    off: {
      server: off(predicted.server, measured.server),
      coordinator: off(predicted.coordinator, measured.coordinator),
      workers: measured.workers === 0 ? null : off(predicted.workers, measured.workers),
      all: off(coresOf(predicted), coresOf(measured)),
      perSecond: off(predictedPerSecond, perSecond),
    },
  }
}
