import type { App } from '../app.ts'
import { hashOf, newContract } from '../contracts/contract-store.ts'
import type { ClaimAddress } from '../core/claims/claim.ts'
import type { Contract } from '../core/contracts/contract.ts'
import { OperatorError } from '../kernel/operator-error.ts'
import { restoreArchivedClaim } from './archive-store.ts'
import { findArchivedLine, nameOf } from './archived-lines.ts'
import { type ArchivedRecord, readLine } from './archived-record.ts'

/**
 * Brings a claim or candidate of any account back from the archive, as it was, with its log. It is not archived again for as
 * long as one that was resolved just now.
 * @throws OperatorError if it is not in the archive, or its file is gone, or was changed
 */
export async function restoreClaim(app: App, folder: string, address: ClaimAddress): Promise<void> {
  const name = nameOf(address)
  const { archived, file, line } = await findArchivedLine(app, folder, address)
  if (archived.restoredAt !== null)
    throw new OperatorError(`The ${name} was restored already, at ${archived.restoredAt.toISOString()}.`)
  const { claim, events } = read(line, file.path, name)
  const contract = newContract(claim.contract as Contract)
  const isSame =
    claim.user_id === archived.userId &&
    claim.event_count === archived.eventCount &&
    events.length === archived.eventCount &&
    claim.contract_hash === (claim.contract_hash && hashOf(contract.text))
  if (!isSame) throw new OperatorError(`What ${file.path} has of the ${name} is not what left.`)
  const isBack = await restoreArchivedClaim(app.db, {
    archived,
    claim: { ...claim, contract: contract.text },
    contract,
    events,
  })
  if (!isBack) throw new OperatorError(`The ${name} was restored meanwhile, or archived again.`)
}

function read(line: string, path: string, name: string): ArchivedRecord {
  try {
    return readLine(line)
  } catch (error) {
    throw new OperatorError(`The line of the ${name} in ${path} cannot be read: ${(error as Error).message}.`)
  }
}
