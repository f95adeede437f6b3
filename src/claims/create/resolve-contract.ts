import type { App } from '../../app.ts'
import type { Contract } from '../../core/contracts/contract.ts'
import { schemaNotFound } from '../../core/record-errors.ts'
import { runCooperatively } from '../../platform/concurrency/cooperative.ts'

/** One of many, and large: it is made of its text each time it is asked for, and held by nobody. */
export type LateContract = () => Contract

/** Where a new claim's contract comes from: the request itself, or a schema, whose contract is copied. */
export type ContractSource = { contract: Contract | LateContract } | { schemaId: string }

/** Takes memory for what is to be made of this JSON, besides that for the request. @throws UNAVAILABLE */
export type TakeMemory = (json: string) => Promise<void>

export const contractOf = (contract: Contract | LateContract): Contract =>
  typeof contract === 'function' ? contract() : contract

/** @throws SCHEMA_NOT_FOUND, UNAVAILABLE */
export async function resolveContract(
  app: App,
  userId: string,
  source: ContractSource,
  takeMemory: TakeMemory,
): Promise<Contract> {
  if ('contract' in source) return contractOf(source.contract)
  const { schemaId } = source
  const found = (await readSchemaContracts(app, userId, [schemaId], takeMemory)).get(schemaId)
  if (!found?.contract) throw schemaNotFound(schemaId)
  if (found.contract instanceof Error) throw found.contract
  return found.contract
}

/** A schema's contract, one object for all claims that copy it, and the version that has it. */
export interface SchemaContract {
  version: number
  /** Null for one that is too many, an error for one that there is no memory for. */
  contract: Contract | Error | null
}

/** The contracts of the account's schemas with these ids. */
export async function readSchemaContracts(
  app: App,
  userId: string,
  ids: readonly string[],
  takeMemory: TakeMemory,
): Promise<Map<string, SchemaContract>> {
  const found = await app.creations.findContracts(userId, ids)
  const contracts = new Map<string, SchemaContract>()
  for (const [id, { version, text }] of found) {
    found.delete(id)
    contracts.set(id, { version, contract: text === null ? null : await read(text, takeMemory) })
  }
  return contracts
}

async function read(text: string, takeMemory: TakeMemory): Promise<Contract | Error> {
  try {
    await takeMemory(text)
    return await runCooperatively(parse(text))
  } catch (error) {
    return error as Error
  }
}

function* parse(text: string): Generator<void, Contract> {
  yield
  return JSON.parse(text)
}
