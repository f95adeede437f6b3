/* Contracts and conditions: what several test files use of the source. When a source file moves, one line changes here. */

export { compile } from '../../../src/domain/contract/compiled-condition.ts'
export {
  type Condition,
  holds,
  type Leaf,
  leavesOf,
  namedEventTypes,
} from '../../../src/domain/contract/condition.ts'
export { type Contract, decisiveEventTypes, windowMs } from '../../../src/domain/contract/contract.ts'
export {
  HINT_CODES,
  type Hint,
  hintsOf,
  lookForHints,
  MAX_HINTS,
} from '../../../src/domain/contract/hints/hints.ts'
export { findLogHints, type LogHint } from '../../../src/domain/contract/hints/log-hints.ts'
export { typeNotes } from '../../../src/domain/contract/hints/lookalike-types.ts'
export {
  differenceInWords,
  differenceOf,
  Lookalikes,
  plainSpelling,
} from '../../../src/domain/contract/hints/spelling.ts'
export { satisfyingPayload, suggestedEvents } from '../../../src/domain/contract/satisfying-event.ts'
export { MAX_CONDITION_NODES, validateCondition } from '../../../src/domain/contract/validate-condition.ts'
export { MAX_CONTRACT_BYTES, validateContract } from '../../../src/domain/contract/validate-contract.ts'
export { dayAt, isTimeZone, lastDays, localTime, startOfDay, timeAt } from '../../../src/domain/time-zone.ts'
