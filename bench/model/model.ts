import { type Capacity, capacityOf, checkCapacity, type Machines, neededFor } from './capacity.ts'
import { type Costs, coresOf, countsOfOne, fitCosts, type Sample, type Spent, spentOn } from './costs.ts'
import { eventsPerGroup, fitGrowth } from './group-size.ts'
import { type Need, needOf, ratesUpTo, type UnitCosts } from './need.ts'
import type { ModelOptions } from './options.ts'

/** Predicted numbers of Citus workers. */
const WORKERS = [1, 2, 4, 8, 16, 32, 64, 100]

/** A measured load, for fitting and for validation. */
export interface LoadSample extends Sample {
  perSecond: number
  /** Events in flight per machine. Creations in flight on all machines. */
  inFlight: number
}

/** The measurements that the model uses. */
export interface ModelInput {
  fitted: readonly LoadSample[]
  creations: readonly LoadSample[]
  checks: readonly Sample[]
  /** Waiting time of a batch of a check, without CPU time, in seconds. */
  checkWaits: number
  checkConcurrency: number
  checkBatch: number
  /** Connections that sent batches. */
  batchConnections: number
  /** Shards of the tables. */
  shards: number
  /** Machines with shards. */
  machines: number
  isCitus: boolean
  /** Cores of this machine. */
  cores: number
  diskOfClaim: number
  diskOfEvent: number
}

export interface Model {
  submission: Costs
  creation: Costs
  check: Costs
  growth: number
  /** Highest share of all cores that was in use, by everything on this machine. */
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

/** The cost of one event, by the events per request and the events in flight per machine. */
function oneEvent({ submission, growth }: Model, batch: number, inFlight: number): Spent {
  const groups = 1 / eventsPerGroup(growth, inFlight)
  return spentOn(submission, { requests: 1 / batch, groups, events: 1 })
}

/** The rate per second of this machine, which also runs the database and the load client. A server has one thread. */
function perSecondHere({ busy }: Model, eventCost: Spent, cores: number): number {
  return Math.min((busy * cores) / (coresOf(eventCost) + eventCost.client), 1 / eventCost.server)
}

export interface Prediction {
  workers: number
  servers: number
  inBatches: Capacity
  alone: Capacity
  creations: Capacity
  /** Transitions per second. */
  checked: Capacity
  /** Events per second in batches if only the workers were the limit, and the machines that this rate needs. */
  workersPerSecond: number
  needed: { servers: number; coordinatorCores: number }
}

export function predict(known: ModelInput, model: Model, options: ModelOptions): Prediction[] {
  const unitCosts = unitCostsOf(known, model, options)
  return (known.isCitus ? WORKERS : [0]).map((workers) => {
    const machines: Machines = {
      workers,
      coresOfWorker: options.cores,
      coordinatorCores: options.coordinatorCores,
      servers: options.servers * Math.max(workers, 1),
      shards: options.shards,
    }
    const ample = { ...machines, servers: Infinity, ...(workers > 0 && { coordinatorCores: Infinity }) }
    const { perSecond: workersPerSecond } = capacityOf(unitCosts.event, ample)
    return {
      workers,
      servers: machines.servers,
      inBatches: capacityOf(unitCosts.event, machines),
      alone: capacityOf(unitCosts.alone, machines),
      creations: capacityOf(unitCosts.creation, machines),
      checked: checkCapacity(unitCosts.transition, machines, {
        concurrentBatches: known.checkConcurrency,
        claimsPerBatch: known.checkBatch,
        waits: known.checkWaits,
      }),
      workersPerSecond,
      needed: neededFor(unitCosts.event, workersPerSecond),
    }
  })
}

/** The cost of one event, one creation and one transition. Groups are as large as under the highest measured load. */
function unitCostsOf(
  known: ModelInput,
  model: Model,
  { batch }: Pick<ModelOptions, 'batch'>,
): UnitCosts & { alone: Spent } {
  const single = known.fitted.filter(({ counts }) => counts.requests === counts.events)
  const fastest = (loads: readonly LoadSample[]) => loads.toSorted((a, b) => b.perSecond - a.perSecond)[0]
  const alone = fastest(single)
  return {
    event: oneEvent(model, batch, (known.batchConnections * batch) / known.machines),
    alone: oneEvent(model, 1, alone?.inFlight ?? 1),
    creation: spentOn(model.creation, countsOfOne((fastest(known.creations) as LoadSample).counts)),
    transition: spentOn(model.check, countsOfOne((known.checks.at(-1) as Sample).counts)),
    diskOfClaim: known.diskOfClaim,
    diskOfEvent: known.diskOfEvent,
  }
}

export const needs = (known: ModelInput, model: Model, options: ModelOptions): Need[] =>
  ratesUpTo(options.rate).map((rate) =>
    needOf(unitCostsOf(known, model, options), rate, {
      eventsPerClaim: options.eventsPerClaim,
      coresOfWorker: options.cores,
    }),
  )

/** A prediction and its relative errors: above zero if the prediction is above the measurement. */
export interface Validation {
  predicted: Spent
  measured: Spent
  predictedPerSecond: number
  errors: { server: number; coordinator: number; workers: number | null; all: number; perSecond: number }
}

export function validateModel(
  model: Model,
  { counts, spent, inFlight, perSecond }: LoadSample,
  cores: number,
): Validation {
  const predicted = oneEvent(model, counts.events / counts.requests, inFlight)
  const measured = Object.fromEntries(
    Object.entries(spent).map(([resource, value]) => [resource, value / perSecond]),
  ) as Spent
  const relativeError = (guess: number, truth: number) => guess / truth - 1
  const predictedPerSecond = perSecondHere(model, predicted, cores)
  return {
    predicted,
    measured,
    predictedPerSecond,
    errors: {
      server: relativeError(predicted.server, measured.server),
      coordinator: relativeError(predicted.coordinator, measured.coordinator),
      workers: measured.workers === 0 ? null : relativeError(predicted.workers, measured.workers),
      all: relativeError(coresOf(predicted), coresOf(measured)),
      perSecond: relativeError(predictedPerSecond, perSecond),
    },
  }
}
