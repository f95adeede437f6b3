import type { App } from '../app.ts'
import type { Status } from '../core/claims/lifecycle.ts'

/** How many transitions led to each status. */
export type TransitionCounts = Map<Status, number>

export function addTransitions(counts: TransitionCounts, to: Status, count: number): void {
  counts.set(to, (counts.get(to) ?? 0) + count)
}

/** To be called once they are committed. */
export function measureTransitions(app: App, by: 'check' | 'test_clock', counts: TransitionCounts): void {
  for (const [to, count] of counts) app.db.metrics.instruments.transitions.inc({ by, to }, count)
}
