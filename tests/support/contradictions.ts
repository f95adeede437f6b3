import { findContradictions, readAuditRecords } from './source/claims.ts'
import type { Contract } from './source/contracts.ts'
import type { TestService } from './test-service.ts'

/** Stored state of the claim that contradicts its contract and log, as `claimkeeper doctor` finds it. */
export async function contradictionsOf({ app }: TestService, claimId: string): Promise<string[]> {
  const [record] = await readAuditRecords(app.db.checks, [claimId])
  return record
    ? findContradictions(record.contract as Contract, record.stored, record.items)
    : ['it is gone']
}
