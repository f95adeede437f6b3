import type { App } from '../app.ts'
import { hashOf, newContract } from '../contracts/contract-store.ts'
import type { ClaimAddress } from '../core/claims/claim.ts'
import type { Contract } from '../core/contracts/contract.ts'
import { OperatorError } from '../kernel/operator-error.ts'
import { restoreArchivedClaim } from './archive-store.ts'
import { describeAddress, findArchivedLine } from './archived-lines.ts'
import { type ArchivedRecord, readLine } from './archived-record.ts'

/**
 * Restores a claim or candidate of any account, with its log, from the archive. It is archived again as late as a claim that was
 * resolved now.
 * @throws OperatorError if it is not in the archive, or if its file is missing or was changed
 */
export async function restoreClaim(app: App, folder: string, address: ClaimAddress): Promise<void> {
  const name = describeAddress(address)
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
  if (!isSame) throw new OperatorError(`The ${name} in ${file.path} is not what was archived.`)
  const isRestored = await restoreArchivedClaim(app.db, {
    archived,
    claim: { ...claim, contract: contract.text },
    contract,
    events,
  })
  if (!isRestored) throw new OperatorError(`The ${name} was restored or archived again by another process.`)
}

function read(line: string, path: string, name: string): ArchivedRecord {
  try {
    return readLine(line)
  } catch (error) {
    throw new OperatorError(`The line of the ${name} in ${path} cannot be read: ${(error as Error).message}.`)
  }
}
