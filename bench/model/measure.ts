import type { Bench } from '../bench.ts'
import { bytesOfRow, diskSizes } from '../sides/disk.ts'
import { type Latencies, latenciesOf } from '../sides/latencies.ts'
import type { Side } from '../sides/side.ts'
import { type CheckMeasured, checkAt } from '../sides/side-check.ts'
import { createAt, type SideMeasured, submitTo, warmUp } from '../sides/side-load.ts'
import type { Usage } from '../sides/usage.ts'
import type { Counts, Sample } from './costs.ts'
import { inFlightOf } from './group-size.ts'
import type { LoadSample } from './model.ts'

/** Submissions in a closed loop. */
interface LoadShape {
  connections: number
  batch: number
}

export const BATCH_CONNECTIONS = 8
const FITTED_LOADS: readonly LoadShape[] = [
  { connections: 4, batch: 1 },
  { connections: 16, batch: 1 },
  { connections: 64, batch: 1 },
  { connections: BATCH_CONNECTIONS, batch: 10 },
  { connections: BATCH_CONNECTIONS, batch: 100 },
]
/** Loads that are not fitted. They validate the model. */
const VALIDATION_LOADS: readonly LoadShape[] = [
  { connections: 32, batch: 1 },
  { connections: BATCH_CONNECTIONS, batch: 30 },
]
/** Each group reads its claims and then writes them: the server has no claim in memory. */
const TRANSACTIONS_PER_GROUP = 2
const CREATING_CONNECTIONS = [4, 32]
/** The size of the smaller check, as a share of the overdue claims. */
const SMALL_CHECK = 0.25

/** A measured load. Counts and resources are per second. */
interface MeasuredLoad extends LoadSample {
  name: string
}

export interface MeasuredSide {
  side: Side
  fitted: MeasuredLoad[]
  validation: MeasuredLoad[]
  creations: MeasuredLoad[]
  checks: Sample[]
  latencies: Latencies
  diskOfClaim: number
  diskOfEvent: number
}

/** Measures all loads that the model needs, one after the other. */
export async function measureAll(bench: Bench, side: Side): Promise<MeasuredSide> {
  const empty = await diskSizes(side)
  await warmUp(bench, side)
  const fitted = await mapSequentially(FITTED_LOADS, (shape) => submissions(bench, side, shape))
  const diskOfEvent = await bytesOfRow(side, empty, 'claim_events')
  const latencies = await latenciesOf(side)
  const validation = await mapSequentially(VALIDATION_LOADS, (shape) => submissions(bench, side, shape))
  const creations = await mapSequentially(CREATING_CONNECTIONS, (connections) =>
    createClaims(bench, side, connections),
  )
  const diskOfClaim = await bytesOfRow(side, empty, 'claims')
  const { distributedOverdue } = bench.sizes
  const sizes = [distributedOverdue * SMALL_CHECK, distributedOverdue]
  const checks = await mapSequentially(sizes, async (claims) =>
    sampleOfCheck(await checkAt(bench, side, claims)),
  )
  return { side, fitted, validation, creations, checks, latencies, diskOfClaim, diskOfEvent }
}

async function submissions(bench: Bench, side: Side, shape: LoadShape): Promise<MeasuredLoad> {
  const { connections, batch } = shape
  const name = batch === 1 ? 'one event a request' : `batches of ${batch}`
  const load = { ...shape, label: name, measureMs: bench.sizes.sweepMs, spread: 'once' as const }
  const inFlight = inFlightOf(connections, batch, side.distribution.nodes)
  return toLoad(`${name}, ${connections} connections`, await submitTo(bench, side, load), {
    inFlight,
    transactionsPerGroup: TRANSACTIONS_PER_GROUP,
  })
}

async function createClaims(bench: Bench, side: Side, connections: number): Promise<MeasuredLoad> {
  const load = { label: 'creations', connections, measureMs: bench.sizes.sweepMs }
  return toLoad(`creations, ${connections} connections`, await createAt(bench, side, load), {
    inFlight: connections,
    transactionsPerGroup: 1,
  })
}

function toLoad(
  name: string,
  measured: SideMeasured,
  { inFlight, transactionsPerGroup }: { inFlight: number; transactionsPerGroup: number },
): MeasuredLoad {
  const { perSecond, requests, usage, clientCpu } = measured
  const counts: Counts = { requests, groups: usage.transactions / transactionsPerGroup, events: perSecond }
  return { name, perSecond, inFlight, counts, spent: spentOf(usage, clientCpu ?? 0) }
}

/** A check is one group without a request. */
function sampleOfCheck({ claims, seconds, usage }: CheckMeasured): Sample {
  const spent = spentOf(usage, 0)
  return {
    counts: { requests: 0, groups: 1, events: claims },
    spent: {
      client: 0,
      server: spent.server * seconds,
      coordinator: spent.coordinator * seconds,
      workers: spent.workers * seconds,
      walBytes: spent.walBytes * seconds,
    },
  }
}

function spentOf({ server, coordinator, workers, walBytes }: Usage, client: number): Sample['spent'] {
  if (server === null || coordinator === null || workers === null) {
    throw new Error(
      'the model needs processor times: Linux, and every server of the cluster on this machine, outside of containers',
    )
  }
  return { client, server, coordinator, workers, walBytes }
}

async function mapSequentially<Given, Result>(
  all: readonly Given[],
  work: (item: Given) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (const item of all) results.push(await work(item))
  return results
}
