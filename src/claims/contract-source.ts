import type { Contract } from '../core/contracts/contract.ts'
import type { ContractSource } from './create/resolve-contract.ts'

/** Validation has ensured that exactly one of the two is there. */
export function readContractSource(body: { contract?: Contract; schema_id?: string }): ContractSource {
  return body.schema_id === undefined
    ? { contract: body.contract as Contract }
    : { schemaId: body.schema_id.toLowerCase() }
}
