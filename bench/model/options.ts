import { availableParallelism } from 'node:os'
import { type Command, InvalidArgumentError, Option } from 'commander'

/** The clusters and loads that the model predicts. */
export interface ModelOptions {
  /** Cores of each worker. */
  cores: number
  coordinatorCores: number
  /** Server processes per worker. On plain PostgreSQL, all server processes. */
  servers: number
  /** Null for as many as the workers need. */
  shards: number | null
  /** Highest rate, in events per second. */
  rate: number
  /** All events of a claim. */
  eventsPerClaim: number
  /** Events per request. */
  batch: number
}

export interface GivenOptions {
  cores?: number
  coordinatorCores?: number
  servers?: number
  shards?: number
  rate: number
  eventsPerClaim: number
  batch: number
}

export function modelOptions(given: GivenOptions): ModelOptions {
  const cores = given.cores ?? availableParallelism()
  return {
    cores,
    coordinatorCores: given.coordinatorCores ?? cores,
    servers: given.servers ?? cores,
    shards: given.shards ?? null,
    rate: given.rate,
    eventsPerClaim: given.eventsPerClaim,
    batch: given.batch,
  }
}

export function addModelOptions(program: Command): Command {
  const add = (flags: string, description: string, byDefault?: number) =>
    program.addOption(new Option(flags, description).default(byDefault).argParser(positive))
  program.optionsGroup('Predictions of the part model:')
  add('--cores <n>', 'cores of each worker; default: the cores of this machine')
  add('--coordinator-cores <n>', 'cores of the coordinator; default: the cores of a worker')
  add('--servers <n>', 'server processes for each worker; default: the cores of a worker')
  add('--shards <n>', 'shards of the tables; default: as many as the workers need')
  add('--rate <n>', 'highest number of events a second to predict for', 1_000_000)
  add('--events-per-claim <n>', 'events of a claim', 5)
  add('--batch <n>', 'events per request', 100)
  return program
}

function positive(text: string): number {
  const number = Number(text)
  if (!(number > 0 && Number.isFinite(number))) throw new InvalidArgumentError('It must be above 0.')
  return number
}
