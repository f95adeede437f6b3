/*
 * Working time (§2.15): an instant is working time exactly if the local clock then shows a time within a span of that
 * local date. Clocks have one offset within a period of their time zone. So the working time of a period is that of a
 * piece of the local timeline: an hour that clocks show twice is in two pieces, and one that they skip is in none.
 *
 * All times are whole milliseconds since 1970.
 */
import { dayOf, type Interval, type WorkingHours } from './calendar.ts'
import { LocalTimeline } from './local-timeline.ts'
import { periodsFrom } from './time-zone-periods.ts'

const DAY_MS = 86_400_000
/** No budget lasts this long: a year of working time takes 168 years at an hour a week, plus the irregular dates. */
const SEARCHED_MS = 400 * 365.25 * DAY_MS

/** How time passes for a budget. */
export interface TimeMeasure {
  /** The earliest instant, not before the start, at which the budget is used up. A budget of 0 ends at the start. */
  endOfBudget(startMs: number, budgetMs: number): number
  /** 0 if `toMs` is not after `fromMs`. */
  workingMsBetween(fromMs: number, toMs: number): number
}

/** Without a calendar every millisecond counts. */
export const PLAIN_TIME: TimeMeasure = {
  endOfBudget: (startMs, budgetMs) => startMs + budgetMs,
  workingMsBetween: (fromMs, toMs) => Math.max(0, toMs - fromMs),
}

export interface WorkingTime extends TimeMeasure {
  timeZone: string
  /** The spans of a local date, in milliseconds since its midnight, as if clocks were not changed on it. */
  localSpansOf(date: string): readonly Interval[]
  /** The instants of a local date that are working time, in order. */
  spansOf(date: string): Interval[]
}

/** @throws RangeError if the runtime does not know the time zone */
export function workingTime(hours: WorkingHours): WorkingTime {
  const timeline = new LocalTimeline(hours)
  // An unknown time zone is refused here, not at the first use.
  periodsFrom(0, hours.time_zone).next()

  /** The pieces between two instants, in order. */
  function* piecesBetween(fromMs: number, toMs: number): Generator<Piece> {
    let last: Piece | null = null
    for (const { startMs, offsetMs } of periodsFrom(fromMs, hours.time_zone)) {
      if (last) yield { ...last, endMs: Math.min(startMs, toMs) }
      if (startMs >= toMs) return
      last = { startMs: Math.max(startMs, fromMs), endMs: toMs, offsetMs }
    }
    if (last) yield last
  }

  const workingMsOf = ({ startMs, endMs, offsetMs }: Piece) =>
    timeline.workingUntil(endMs + offsetMs) - timeline.workingUntil(startMs + offsetMs)

  return {
    timeZone: hours.time_zone,

    endOfBudget(startMs, budgetMs) {
      let restMs = budgetMs
      for (const piece of piecesBetween(startMs, startMs + SEARCHED_MS)) {
        const workingMs = workingMsOf(piece)
        if (restMs <= workingMs) {
          const { offsetMs } = piece
          return timeline.localTimeAfter(piece.startMs + offsetMs, restMs, piece.endMs + offsetMs) - offsetMs
        }
        restMs -= workingMs
      }
      throw new RangeError(`The calendar has less than ${budgetMs} ms of working time in the next 400 years`)
    },

    workingMsBetween(fromMs, toMs) {
      if (toMs <= fromMs) return 0
      let sum = 0
      for (const piece of piecesBetween(fromMs, toMs)) sum += workingMsOf(piece)
      return sum
    },

    localSpansOf: (date) => timeline.spansOf(dayOf(date)),

    spansOf(date) {
      const midnight = dayOf(date) * DAY_MS
      const spans = timeline.spansOf(dayOf(date))
      const found: Interval[] = []
      // The date line is at most 14 hours ahead of UTC and 12 behind it, and may be moved.
      for (const { startMs, endMs, offsetMs } of piecesBetween(midnight - DAY_MS, midnight + 2 * DAY_MS)) {
        for (const span of spans) {
          const from = Math.max(startMs, midnight + span.startMs - offsetMs)
          const until = Math.min(endMs, midnight + span.endMs - offsetMs)
          const last = found.at(-1)
          if (from >= until) continue
          if (last?.endMs === from) last.endMs = until
          else found.push({ startMs: from, endMs: until })
        }
      }
      return found
    },
  }
}

/** Between two instants, with one offset. */
interface Piece extends Interval {
  offsetMs: number
}
