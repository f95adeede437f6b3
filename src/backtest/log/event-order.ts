import type { CaseEvent } from '../backtest.ts'

/** Sorts them in place; events of the same time stay in the order of the log. */
export function inOrderOfTime<Event extends CaseEvent>(events: Event[]): Event[] {
  const isSorted = events.every((event, i) => i === 0 || (events[i - 1] as Event).at <= event.at)
  return isSorted ? events : events.sort((one, other) => one.at - other.at)
}

/**
 * Whether the events, in the order of their times, are written newest first, and some have the same time: of these the log
 * has the newer before the older.
 */
export function hasTiesNewestFirst(events: readonly CaseEvent[]): boolean {
  const [first, last] = [events[0], events.at(-1)]
  if (first === undefined || last === undefined || first.line < last.line || first.at === last.at)
    return false
  let hasTies = false
  return (
    events.every((event, i) => {
      const before = events[i - 1]
      if (before === undefined) return true
      if (before.at === event.at) hasTies = true
      return before.at === event.at || before.line > event.line
    }) && hasTies
  )
}
