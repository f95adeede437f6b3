import { availableParallelism } from 'node:os'
import { type Command, InvalidArgumentError, Option } from 'commander'

/** What the model predicts for. */
export interface ModelOptions {
  /** Of each worker. */
  cores: number
  coordinatorCores: number
  /** Server processes for each worker; on plain PostgreSQL, all. */
  servers: number
  /** Null for as many as the workers need. */
  shards: number | null
  /** Events a second, at most. */
  rate: number
  /** Events of a claim, in all. */
  eventsAClaim: number
  /** Events a request. */
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
    eventsAClaim: given.eventsPerClaim,
    batch: given.batch,
  }
}

export function addModelOptions(program: Command): Command {
  const add = (flags: string, description: string, byDefault?: number) =>
    program.addOption(new Option(flags, description).default(byDefault).argParser(positive))
  program.optionsGroup('What the part model predicts for:')
  add('--cores <n>', 'cores of each worker; by default as many as here')
  add('--coordinator-cores <n>', 'cores of the coordinator; by default as a worker has')
  add('--servers <n>', 'server processes for each worker; by default as many as a worker has cores')
  add('--shards <n>', 'shards of the tables; by default as many as the workers need')
  add('--rate <n>', 'events a second up to which it is told what they need', 1_000_000)
  add('--events-per-claim <n>', 'events that a claim has in all', 5)
  add('--batch <n>', 'events a request', 100)
  return program
}

function positive(text: string): number {
  const number = Number(text)
  if (!(number > 0 && Number.isFinite(number))) throw new InvalidArgumentError('It must be above 0.')
  return number
}
