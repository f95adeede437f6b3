/* Claims, their logs, metadata and archive: what several test files use of the source. When a source file moves, one line changes here. */

export { removeArchivedClaims } from '../../../src/archive/archive-store.ts'
export { ClaimArchive } from '../../../src/archive/claim-archive.ts'
export {
  type ExpectedClaim,
  findClaimsToArchive,
  findClaimsWithDeliveries,
  readWholeClaims,
  readWholeLogs,
} from '../../../src/archive/claims-to-archive-store.ts'
export { restoreClaim } from '../../../src/archive/restore-claim.ts'
export {
  findArchivedClaims,
  findArchivedPosition,
} from '../../../src/claims/archived/archived-claim-store.ts'
export { candidateId } from '../../../src/claims/claim-ids.ts'
export {
  readClaimAndLog,
  readEvents,
  readLogPage,
  readPayloads,
  readShortClaims,
} from '../../../src/claims/claim-log-store.ts'
export { findClaim } from '../../../src/claims/claim-store.ts'
export { insertClaims, type NewClaim } from '../../../src/claims/insert-claims-store.ts'
export { readLongLog } from '../../../src/claims/long-log-store.ts'
export { contractIsMissing, hashOf, newContract } from '../../../src/contracts/contract-store.ts'
export { moveContracts } from '../../../src/contracts/move-contracts-job.ts'
export { ClaimRun } from '../../../src/core/claims/claim-run.ts'
export type { Evidence, LogEvent, Submission } from '../../../src/core/claims/event.ts'
export { EventLog } from '../../../src/core/claims/event-log.ts'
export {
  atScheduledCheck,
  type ClaimState,
  type Outcome,
  openState,
  type Status,
  satisfied,
  stateAt,
  type Transition,
} from '../../../src/core/claims/lifecycle.ts'
export { hashOfId, logOf, readDigest, writeDigest } from '../../../src/core/claims/log-digest.ts'
export { findContradictions } from '../../../src/core/claims/recompute.ts'
export {
  findCustomers,
  findCustomersByExternalId,
  insertCustomers,
} from '../../../src/customers/customer-store.ts'
export { readAuditRecords } from '../../../src/doctor/doctor-store.ts'
export { MAX_METADATA_KEYS } from '../../../src/kernel/limits.ts'
export { canonicalMetadata, changeMetadata, type Metadata } from '../../../src/kernel/metadata.ts'
export { holdTotalsBefore, takeBackTotals } from '../../../src/overview/resolution-total-store.ts'
export { PAIRS, pairOf, pairsOf } from '../../../src/platform/database/metadata.ts'
export {
  deleteTestClock,
  findFreeTestClocks,
  listTestClocks,
} from '../../../src/test-clocks/test-clock-store.ts'
