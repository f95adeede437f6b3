import Table from 'cli-table3'
import { type Capacity, MAX_UTILIZATION } from './capacity.ts'
import { type Costs, RESOURCES, type Resource } from './costs.ts'
import type { Model, ModelInput, Prediction, Validation } from './model.ts'
import { type Need, TRANSITIONS_PER_CLAIM } from './need.ts'
import type { ModelOptions } from './options.ts'

type Rows = (string | number)[][]

function table(head: string[], rows: Rows): string {
  const colAligns = head.map((_, i) => (i === 0 ? ('left' as const) : ('right' as const)))
  const drawn = new Table({ head, style: { head: [], border: [], compact: true }, colAligns })
  drawn.push(...rows)
  return drawn.toString()
}

const whole = (value: number) => (Number.isFinite(value) ? Math.round(value).toLocaleString('en') : 'any')
const us = (seconds: number) => (seconds * 1e6).toFixed(seconds < 1e-5 ? 1 : 0)
const withLimit = ({ perSecond, limit }: Capacity) => `${whole(perSecond)} (${limit})`
const percent = (share: number | null) =>
  share === null ? '' : `${share < 0 ? '' : '+'}${(share * 100).toFixed(0)} %`

function bytes(value: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB']
  const power = Math.min(Math.floor(Math.log10(Math.max(value, 1)) / 3), units.length - 1)
  return `${(value / 1000 ** power).toPrecision(3)} ${units[power]}`
}

/** The cost of a request, a group, and an event or claim. */
export function costsTable({ submission, creation, check }: Model, { isCitus }: ModelInput): string {
  const resources = RESOURCES.filter((resource) => isCitus || resource !== 'workers')
  const name = (resource: Resource) =>
    ({
      client: 'client µs',
      server: 'server µs',
      coordinator: isCitus ? 'coordinator µs' : 'PostgreSQL µs',
      workers: 'workers µs',
      walBytes: 'log bytes',
    })[resource]
  const row = (what: string, costs: Costs, term: 'requests' | 'groups' | 'events') => [
    what,
    ...resources.map((resource) => {
      const cost = costs[resource][term]
      return resource === 'walBytes' ? whole(cost) : us(cost)
    }),
  ]
  return table(
    ['what it costs', ...resources.map(name)],
    [
      row('a request with submissions', submission, 'requests'),
      row('a group of submissions', submission, 'groups'),
      row('an event in it', submission, 'events'),
      row('a statement of creations', creation, 'groups'),
      row('a claim created', creation, 'events'),
      row('a check', check, 'groups'),
      row('a transition in it', check, 'events'),
    ],
  )
}

export function validationsTable(
  validations: readonly { name: string; perSecond: number; validation: Validation }[],
): string {
  return table(
    ['predicted, not fitted', 'a second', 'measured', 'error', 'server', 'coordinator', 'workers', 'all'],
    validations.map(({ name, perSecond, validation: { predictedPerSecond, errors } }) => [
      name,
      whole(predictedPerSecond),
      whole(perSecond),
      percent(errors.perSecond),
      percent(errors.server),
      percent(errors.coordinator),
      percent(errors.workers),
      percent(errors.all),
    ]),
  )
}

export function predictionsTable(
  predictions: readonly Prediction[],
  { batch }: ModelOptions,
  isCitus: boolean,
): string {
  const head = [
    'workers',
    'servers',
    `events/s, batches of ${batch}`,
    'events/s, one a request',
    'claims created/s',
    'claims checked/min',
    `max. of ${isCitus ? 'workers' : 'database'}, events/s`,
    'with servers',
    'with coordinator cores',
  ]
  return table(
    head,
    predictions.map((prediction) => [
      prediction.workers === 0 ? 'none: plain' : prediction.workers,
      prediction.servers,
      withLimit(prediction.inBatches),
      withLimit(prediction.alone),
      withLimit(prediction.creations),
      withLimit({ ...prediction.checked, perSecond: prediction.checked.perSecond * 60 }),
      whole(prediction.workersPerSecond),
      prediction.needed.servers,
      prediction.needed.coordinatorCores,
    ]),
  )
}

export function needsTable(needs: readonly Need[], { cores, batch }: ModelOptions, isCitus: boolean): string {
  const head = [
    `events/s, batches of ${batch}`,
    ...(isCitus ? [`workers of ${cores} cores`] : []),
    'server processes',
    isCitus ? 'coordinator cores' : 'database cores',
    'disk a day',
    'disk a year',
    'log a day',
  ]
  return table(
    head,
    needs.map((need) => [
      whole(need.eventsPerSecond),
      ...(isCitus ? [whole(need.workers)] : []),
      whole(need.servers),
      whole(need.coordinatorCores),
      bytes(need.diskPerDay),
      bytes(need.diskPerYear),
      bytes(need.walPerDay),
    ]),
  )
}

/** Explanations below the tables. */
export function footnotes(known: ModelInput, options: ModelOptions): string {
  const { cores, coordinatorCores, shards, eventsPerClaim } = options
  const general = [
    `The utilization of each core is at most ${MAX_UTILIZATION * 100} %. The limit is in brackets.`,
    'Groups are as large as under the highest measured load. More workers need proportionally more events in flight to each server, or batches of claims of one worker each.',
    'The server has no claim in memory: each event reads its claim.',
    `The need of a number of events includes their claims: ${eventsPerClaim} events per claim, its creation and ${TRANSITIONS_PER_CLAIM} transitions.`,
    'The log includes full pages that are written after a checkpoint. A short run has more of them than a long run.',
  ]
  const ofCitus = [
    `Workers have ${cores} cores, the coordinator ${coordinatorCores}. Every statement goes through the coordinator. Its cost per statement limits a large cluster.`,
    'With Citus MX, servers connect to workers that have the metadata, which would spread this cost. This service does NOT work with DATABASE_URLs of several nodes yet: the insert barrier of lists, test clocks and accounts are local to the coordinator.',
    shards === null
      ? `There are as many shards as workers need. This cluster has ${known.shards}. A worker without a shard is idle. citus.shard_count applies when the tables are distributed.`
      : `With ${shards} shards, at most ${shards} workers are used.`,
  ]
  const ofPlain = [
    `This is plain PostgreSQL with ${coordinatorCores} dedicated cores, on one machine. --citus measures a cluster.`,
  ]
  return [...(known.isCitus ? ofCitus : ofPlain), ...general].map((line) => `- ${line}`).join('\n')
}
