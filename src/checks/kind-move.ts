import type { Transition } from '../core/claims/lifecycle.ts'
import { plainArray } from '../platform/database/sql-array.ts'
import type { DueKind } from './due-claim-store.ts'

/** Due claims of one kind with the transition that they make. */
export interface KindMove {
  kind: DueKind
  transition: Transition
}

/** What the claims become: status, outcome, since when, until when. */
export const statesOf = (transitions: readonly Transition[]): string[] => [
  plainArray(transitions.map(({ state }) => state.status)),
  plainArray(transitions.map(({ state }) => state.scheduledOutcome)),
  plainArray(transitions.map(({ state }) => state.statusSince)),
  plainArray(transitions.map(({ state }) => state.dueAt)),
]

/** One array of several, as PostgreSQL writes them, of what needs no quotes. */
export const joined = (arrays: readonly string[]): string =>
  `{${arrays.map((array) => array.slice(1, -1)).join(',')}}`
