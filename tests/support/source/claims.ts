/* Claims, their logs, metadata and archive: what several test files use of the source. When a source file moves, one line changes here. */

export { ClaimArchive } from '../../../src/app/archive/claim-archive.ts'
export { restoreClaim } from '../../../src/app/archive/restore-claim.ts'
export { moveContracts } from '../../../src/app/claims/move-contracts.ts'
export { GroupedWork } from '../../../src/app/groups/grouped-work.ts'
export type { Evidence, LogEvent, Submission } from '../../../src/domain/claims/event.ts'
export { EventLog } from '../../../src/domain/claims/event-log.ts'
export {
  atScheduledCheck,
  type ClaimState,
  type Outcome,
  openState,
  type Status,
  satisfied,
  stateAt,
  type Transition,
} from '../../../src/domain/claims/lifecycle.ts'
export { hashOfId, logOf, readDigest, writeDigest } from '../../../src/domain/claims/log-digest.ts'
export {
  canonicalMetadata,
  changeMetadata,
  MAX_METADATA_KEYS,
  type Metadata,
} from '../../../src/domain/metadata.ts'
export { findArchivedClaims, findArchivedPosition } from '../../../src/storage/archive/archived-claims.ts'
export {
  findAwaitedClaims,
  findClaimsToArchive,
  type ReadClaim,
  readWholeClaims,
  readWholeLogs,
} from '../../../src/storage/archive/claims-to-archive.ts'
export { removeArchivedClaims } from '../../../src/storage/archive/removal.ts'
export { candidateId, claimIdOf } from '../../../src/storage/claims/candidate-id.ts'
export {
  readClaimAndLog,
  readEvents,
  readLogPage,
  readPayloads,
  readShortClaims,
} from '../../../src/storage/claims/claim-log.ts'
export { findClaim, insertClaims, type NewClaim } from '../../../src/storage/claims/claims.ts'
export { contractIsMissing, hashOf, newContract } from '../../../src/storage/claims/contracts.ts'
export { readLongLog } from '../../../src/storage/claims/long-log.ts'
export { findCustomers, findCustomersByExternalId, insertCustomers } from '../../../src/storage/customers.ts'
export { PAIRS, pairOf, pairsOf } from '../../../src/storage/metadata.ts'
export { holdTotalsBefore, takeBackTotals } from '../../../src/storage/overview/resolution-totals.ts'
export { deleteTestClock, findFreeTestClocks, listTestClocks } from '../../../src/storage/test-clocks.ts'
