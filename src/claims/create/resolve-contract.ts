import type { App } from '../../app.ts'
import type { Contract } from '../../core/contracts/contract.ts'
import { schemaNotFound } from '../../core/record-errors.ts'
import { RawJson } from '../../kernel/json.ts'
import { runCooperatively } from '../../platform/concurrency/cooperative.ts'

/** A large item of a batch. Its contract is parsed on demand. */
export type RawContract = RawJson<{ contract: Contract }>

/** The contract of a new claim: from the request, or copied from a schema. */
export type ContractSource = { contract: Contract | RawContract } | { schemaId: string }

/** Reserves memory for the parsed form of this JSON, besides the memory of the request. @throws UNAVAILABLE */
export type ReserveMemory = (json: string) => Promise<void>

export const contractOf = (contract: Contract | RawContract): Contract =>
  contract instanceof RawJson ? contract.parse().contract : contract

/** @throws SCHEMA_NOT_FOUND, UNAVAILABLE */
export async function resolveContract(
  app: App,
  userId: string,
  source: ContractSource,
  reserveMemory: ReserveMemory,
): Promise<Contract> {
  if ('contract' in source) return contractOf(source.contract)
  const { schemaId } = source
  const found = (await readSchemaContracts(app, userId, [schemaId], reserveMemory)).get(schemaId)
  // A single contract is never too large, so only a missing schema has none.
  if (!found?.contract) throw schemaNotFound(schemaId)
  if (found.contract instanceof Error) throw found.contract
  return found.contract
}

/** The contract of a schema, one object for all claims that copy it, and its version. */
export interface SchemaContract {
  version: number
  /** Null if the contracts of a batch are too large together; an error if the memory could not be reserved. */
  contract: Contract | Error | null
  /** Null if there are none. */
  reminders: readonly number[] | null
}

/** The contracts of the account's schemas with these ids. */
export async function readSchemaContracts(
  app: App,
  userId: string,
  ids: readonly string[],
  reserveMemory: ReserveMemory,
): Promise<Map<string, SchemaContract>> {
  const found = await app.creations.findContracts(userId, ids)
  const contracts = new Map<string, SchemaContract>()
  for (const [id, { version, text, reminders }] of found) {
    // Frees the text before the next contract is parsed.
    found.delete(id)
    contracts.set(id, {
      version,
      contract: text === null ? null : await parseReserved(text, reserveMemory),
      reminders,
    })
  }
  return contracts
}

async function parseReserved(text: string, reserveMemory: ReserveMemory): Promise<Contract | Error> {
  try {
    await reserveMemory(text)
    return await runCooperatively(parse(text))
  } catch (error) {
    return error as Error
  }
}

function* parse(text: string): Generator<void, Contract> {
  yield
  return JSON.parse(text)
}
