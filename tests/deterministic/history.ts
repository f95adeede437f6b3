import fc from 'fast-check'
import type { CheckSizes } from '../support/source/decisions.ts'
import { type Fault, fault } from './faults.ts'

/** An operation in a world. Operations run in sequence. */
export type Operation =
  | { do: 'submit'; at: number; as: string; to: string; id: string; type: string; value: number }
  | { do: 'check'; at: number }
  /** Runs a number of steps before the next operation. */
  | { do: 'run steps'; steps: number }
  /** Waits until each submission and each check has a result. */
  | { do: 'wait' }
  /** Moves the store's clock. */
  | { do: 'move the clock'; seconds: number }
  | { do: 'fault'; statement: string; fault: Fault }
  /** Another session locks a test clock; `release` advances it. */
  | { do: 'hold' | 'release'; clock: string }
  /** Ends a connection. */
  | { do: 'cut'; connection: number }

export interface AnyHistory {
  servers: number
  operations: readonly object[]
  /** See `StepScheduler`. */
  choices: number[]
}

export interface History extends AnyHistory {
  operations: Operation[]
  /** Sizes of the checks' batches. */
  sizes: CheckSizes
}

const STATEMENTS = {
  submissions: [
    'connect',
    'read_claims_to_decide',
    'read_events',
    'find_archived_claims',
    'append_events',
    'append_events_on_test_clocks',
    'BEGIN',
    'COMMIT',
    'read_live_clock',
    'hold_test_clocks',
    'append_extended_events',
    'find_free_test_clocks',
    'read_long_log',
    'read_evidence',
  ],
  checks: [
    'connect',
    'BEGIN',
    'COMMIT',
    'ROLLBACK',
    'take_check_turns',
    'take_back_totals',
    'list_due',
    'read_due_kinds',
    'hold_totals_before',
    'move_kinds',
  ],
}

const of = <T extends object>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(fields, { noNullPrototype: true })
const server = fc.nat({ max: 1 })

const submit = of<Operation & { do: 'submit' }>({
  do: fc.constant('submit'),
  at: server,
  as: fc.constantFrom('A', 'A', 'A', 'B'),
  to: fc.constantFrom(
    'simple',
    'simple',
    'both',
    'long',
    'candidate',
    'clocked',
    'other clocked',
    'of B',
    'reversible',
    'reversible',
    'reversible on a clock',
  ),
  id: fc.constantFrom('1', '2', '3', '4', '5', '6', '7', '8', '9'),
  type: fc.constantFrom('noise', 'noise', 'noise', 'a', 'b', 'done', 'bomb'),
  value: fc.nat({ max: 1 }),
})
const runSteps = of<Operation & { do: 'run steps' }>({
  do: fc.constant('run steps'),
  steps: fc.integer({ min: 1, max: 12 }),
})
const wait = of<Operation & { do: 'wait' }>({ do: fc.constant('wait') })
const moveClock = of<Operation & { do: 'move the clock' }>({
  do: fc.constant('move the clock'),
  seconds: fc.constantFrom(1, 60, 120, 3_600, -1, -60),
})
const faultAt = (statements: readonly string[]) =>
  of<Operation & { do: 'fault' }>({
    do: fc.constant('fault'),
    statement: fc.constantFrom(...statements),
    fault,
  })
const clock = of<Operation & { do: 'hold' | 'release' }>({
  do: fc.constantFrom('hold', 'release'),
  clock: fc.constantFrom('clock 1', 'clock 2'),
})
const cut = of<Operation & { do: 'cut' }>({ do: fc.constant('cut'), connection: fc.nat({ max: 5 }) })
const check = of<Operation & { do: 'check' }>({ do: fc.constant('check'), at: server })

export const choices = fc.array(fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.nat({ max: 6 })), {
  maxLength: 300,
  size: 'max',
})
const historyOf = (operation: fc.Arbitrary<Operation>): fc.Arbitrary<History> =>
  of<History>({
    servers: fc.integer({ min: 1, max: 2 }),
    sizes: of<CheckSizes>({
      list: fc.integer({ min: 1, max: 6 }),
      read: fc.integer({ min: 1, max: 4 }),
      pass: fc.integer({ min: 1, max: 10 }),
      listingMs: fc.constantFrom(0, 10_000),
    }),
    operations: fc.array(operation, { minLength: 1, maxLength: 40, size: 'max' }),
    choices,
  })

/** Submissions, faults, locked clocks, and a few checks. */
export const submissionHistory = historyOf(
  fc.oneof(
    { weight: 12, arbitrary: submit },
    { weight: 4, arbitrary: runSteps },
    { weight: 1, arbitrary: wait },
    { weight: 3, arbitrary: faultAt(STATEMENTS.submissions) },
    { weight: 2, arbitrary: clock },
    { weight: 1, arbitrary: cut },
    { weight: 1, arbitrary: moveClock },
    { weight: 1, arbitrary: check },
  ),
)

/** Concurrent checks of several servers, and submissions. */
export const checkHistory = historyOf(
  fc.oneof(
    { weight: 6, arbitrary: check },
    { weight: 3, arbitrary: submit },
    { weight: 4, arbitrary: runSteps },
    { weight: 1, arbitrary: wait },
    { weight: 4, arbitrary: faultAt(STATEMENTS.checks) },
    { weight: 3, arbitrary: moveClock },
    { weight: 1, arbitrary: cut },
  ),
)

export const describeHistory = ({ operations, ...rest }: AnyHistory): string =>
  [JSON.stringify(rest), ...operations.map((operation) => JSON.stringify(operation))].join('\n')
