/* Contracts and conditions: what several test files use of the source. When a source file moves, one line changes here. */

export { holdsOnEmptyLog } from '../../../src/core/contracts/aggregate.ts'
export { compile } from '../../../src/core/contracts/compiled-condition.ts'
export {
  type Condition,
  type Leaf,
  leavesOf,
  namedEventTypes,
} from '../../../src/core/contracts/condition.ts'
export {
  type Contract,
  decisiveEventTypes,
  type EventTrigger,
  type ReviewTerms,
  windowMs,
} from '../../../src/core/contracts/contract.ts'
export { findHints, HINT_CODES, type Hint, hintsOf } from '../../../src/core/contracts/hints/hints.ts'
export { suggestedEvents } from '../../../src/core/contracts/hints/known-leaves.ts'
export { findLogHints, type LogHint } from '../../../src/core/contracts/hints/log-hints.ts'
export { typeNotes } from '../../../src/core/contracts/hints/lookalike-types.ts'
export { satisfyingPayload } from '../../../src/core/contracts/hints/satisfying-payload.ts'
export {
  differenceInWords,
  differenceOf,
  Lookalikes,
  plainSpelling,
} from '../../../src/core/contracts/hints/spelling.ts'
export { validateCondition } from '../../../src/core/contracts/validate-condition.ts'
export { validateContract } from '../../../src/core/contracts/validate-contract.ts'
export { MAX_CONDITION_NODES, MAX_CONTRACT_BYTES, MAX_HINTS } from '../../../src/core/limits.ts'
export { dayAt, isTimeZone, lastDays, localTime, startOfDay, timeAt } from '../../../src/kernel/time-zone.ts'
