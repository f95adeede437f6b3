/* Submissions and checks: what several test files use of the source. When a source file moves, one line changes here. */

export { IdsInOrder } from '../../../src/app/check/ids-in-order.ts'
export { moveOf } from '../../../src/app/check/move-batch.ts'
export { type CheckSizes, runScheduledCheck } from '../../../src/app/check/run-scheduled-check.ts'
export { sumUpResolutions } from '../../../src/app/check/sum-up-resolutions.ts'
export { addIds, ClaimCopies, copyOf } from '../../../src/app/submission/claim-copies.ts'
export type { Kind } from '../../../src/app/submission/line.ts'
export {
  type EventRequest,
  type OnAnswer,
  PendingSubmission,
  type SubmissionResult,
  type SubmittedEvent,
} from '../../../src/app/submission/pending-submission.ts'
export { SubmissionLines } from '../../../src/app/submission/submission-lines.ts'
export { SubmissionQueue } from '../../../src/app/submission/submission-queue.ts'
export { Scheduler } from '../../../src/scheduler/scheduler.ts'
export {
  type Append,
  appendEvents,
  type TimeSource,
} from '../../../src/storage/claim-writes/append-events.ts'
export { takeCheckTurns } from '../../../src/storage/claim-writes/check-turns.ts'
export {
  DUE_START,
  dueBy,
  findDueClaimsOnTestClock,
  listDue,
  nextCursor,
  readDueKinds,
} from '../../../src/storage/claim-writes/due-claims.ts'
export { moveKinds } from '../../../src/storage/claim-writes/move-claims.ts'
export {
  type ClaimToDecide,
  readClaimsToDecide,
  toClaimToDecide,
} from '../../../src/storage/claims/claims-to-decide.ts'
