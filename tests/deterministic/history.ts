import fc from 'fast-check'
import type { CheckSizes } from '../support/source/decisions.ts'
import { type Fault, fault } from './faults.ts'

/** What is done in a world, one after the other. */
export type Deed =
  | { do: 'submit'; at: number; as: string; to: string; id: string; type: string; value: number }
  | { do: 'check'; at: number }
  /** Takes a number of steps before the next deed. */
  | { do: 'go on'; steps: number }
  /** Until each submission and each check is answered. */
  | { do: 'wait' }
  /** The store's clock is moved. */
  | { do: 'move the clock'; seconds: number }
  | { do: 'fault'; site: string; fault: Fault }
  /** Someone holds a test clock, advances it, lets it go. */
  | { do: 'hold' | 'let go'; clock: string }
  /** Ends a connection. */
  | { do: 'cut'; connection: number }

export interface AnyHistory {
  servers: number
  deeds: readonly object[]
  /** See `Course`. */
  choices: number[]
}

export interface History extends AnyHistory {
  deeds: Deed[]
  /** Of checks. */
  sizes: CheckSizes
}

const SITES = {
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

const submit = of<Deed & { do: 'submit' }>({
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
    'losable',
    'losable',
    'losable on a clock',
  ),
  id: fc.constantFrom('1', '2', '3', '4', '5', '6', '7', '8', '9'),
  type: fc.constantFrom('noise', 'noise', 'noise', 'a', 'b', 'done', 'bomb'),
  value: fc.nat({ max: 1 }),
})
const goOn = of<Deed & { do: 'go on' }>({ do: fc.constant('go on'), steps: fc.integer({ min: 1, max: 12 }) })
const wait = of<Deed & { do: 'wait' }>({ do: fc.constant('wait') })
const moveClock = of<Deed & { do: 'move the clock' }>({
  do: fc.constant('move the clock'),
  seconds: fc.constantFrom(1, 60, 120, 3_600, -1, -60),
})
const faultAt = (sites: readonly string[]) =>
  of<Deed & { do: 'fault' }>({ do: fc.constant('fault'), site: fc.constantFrom(...sites), fault })
const clock = of<Deed & { do: 'hold' | 'let go' }>({
  do: fc.constantFrom('hold', 'let go'),
  clock: fc.constantFrom('clock 1', 'clock 2'),
})
const cut = of<Deed & { do: 'cut' }>({ do: fc.constant('cut'), connection: fc.nat({ max: 5 }) })
const check = of<Deed & { do: 'check' }>({ do: fc.constant('check'), at: server })

export const choices = fc.array(fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.nat({ max: 6 })), {
  maxLength: 300,
  size: 'max',
})
const historyOf = (deed: fc.Arbitrary<Deed>): fc.Arbitrary<History> =>
  of<History>({
    servers: fc.integer({ min: 1, max: 2 }),
    sizes: of<CheckSizes>({
      list: fc.integer({ min: 1, max: 6 }),
      read: fc.integer({ min: 1, max: 4 }),
      pass: fc.integer({ min: 1, max: 10 }),
      listingMs: fc.constantFrom(0, 10_000),
    }),
    deeds: fc.array(deed, { minLength: 1, maxLength: 40, size: 'max' }),
    choices,
  })

/** Submissions and what gets in their way, checks included. */
export const submissionHistory = historyOf(
  fc.oneof(
    { weight: 12, arbitrary: submit },
    { weight: 4, arbitrary: goOn },
    { weight: 1, arbitrary: wait },
    { weight: 3, arbitrary: faultAt(SITES.submissions) },
    { weight: 2, arbitrary: clock },
    { weight: 1, arbitrary: cut },
    { weight: 1, arbitrary: moveClock },
    { weight: 1, arbitrary: check },
  ),
)

/** Checks of several servers at once, submissions among them. */
export const checkHistory = historyOf(
  fc.oneof(
    { weight: 6, arbitrary: check },
    { weight: 3, arbitrary: submit },
    { weight: 4, arbitrary: goOn },
    { weight: 1, arbitrary: wait },
    { weight: 4, arbitrary: faultAt(SITES.checks) },
    { weight: 3, arbitrary: moveClock },
    { weight: 1, arbitrary: cut },
  ),
)

export const inWords = ({ deeds, ...rest }: AnyHistory): string =>
  [JSON.stringify(rest), ...deeds.map((deed) => JSON.stringify(deed))].join('\n')
