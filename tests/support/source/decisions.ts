/* Submissions and checks: what several test files use of the source. When a source file moves, one line changes here. */

export { sumUpResolutions } from '../../../src/checks/check-jobs.ts'
export {
  DUE_START,
  DueIdMerge,
  dueBy,
  findDueClaimsOnTestClock,
  listDue,
  lockShards,
  nextCursor,
  readDueGroups,
} from '../../../src/checks/due-claim-store.ts'
export { moveGroups } from '../../../src/checks/move-claims-store.ts'
export { type CheckSizes, decideGroups, runScheduledCheck } from '../../../src/checks/run-scheduled-check.ts'
export {
  type ClaimToDecide,
  readClaimsToDecide,
  toClaimToDecide,
} from '../../../src/claims/claims-to-decide.ts'
export { type Append, appendEvents } from '../../../src/claims/write/append-events-store.ts'
export { appendExtendedEvents, type ExtendedAppend } from '../../../src/claims/write/append-extended-store.ts'
export { readClocks, type TimeSource } from '../../../src/claims/write/recording-time-store.ts'
export { addIds, ClaimCache, newSnapshot } from '../../../src/events/submission/claim-cache.ts'
export { recordBatch } from '../../../src/events/submission/decide-batch.ts'
export { GroupCommit } from '../../../src/events/submission/group-commit.ts'
export { PendingDecision } from '../../../src/events/submission/pending-decision.ts'
export {
  type EventRequest,
  type OnAnswer,
  PendingSubmission,
  type SubmissionResult,
  type SubmissionRetry,
  type SubmittedEvent,
} from '../../../src/events/submission/pending-submission.ts'
export { Scheduler } from '../../../src/platform/jobs/scheduler.ts'
