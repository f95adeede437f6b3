import type { CaseEvent } from '../../../domain/backtest/backtest.ts'

/** Sorts them in place; events of the same time stay in the order of the log. */
export function inOrderOfTime<Event extends CaseEvent>(events: Event[]): Event[] {
  const isSorted = events.every((event, i) => i === 0 || (events[i - 1] as Event).at <= event.at)
  return isSorted ? events : events.sort((one, other) => one.at - other.at)
}
