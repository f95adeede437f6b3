/*
 * Working time (§2.15): an instant is working time exactly if the local clock then shows a time within a span of that
 * local date. Clocks have one offset within a period of their time zone. So the working time of a period is that of a
 * piece of the local timeline: an hour that clocks show twice is in two pieces, and one that they skip is in none.
 *
 * All times are whole milliseconds since 1970.
 */
import { DAY_MS } from '../../kernel/durations.ts'
import { firstWhere } from './binary-search.ts'
import { dayOf, type Interval, type WorkingHours } from './calendar.ts'
import { LocalTimeline } from './local-timeline.ts'
import { numberOfPeriodAt, type Period, periodOf, zoneOf } from './time-zone-periods.ts'

/** No budget lasts this long: a year of working time takes 168 years at an hour a week, plus the irregular dates. */
const MAX_SEARCH_MS = 400 * 365.25 * DAY_MS

/** How time passes for a budget. */
export interface TimeMeasure {
  /** The earliest instant, not before the start, at which the budget is used up. A budget of 0 ends at the start. */
  endOfBudget(startMs: number, budgetMs: number): number
  /** 0 if `toMs` is not after `fromMs`. */
  workingMsBetween(fromMs: number, toMs: number): number
}

/** Without a calendar every millisecond counts. */
export const ELAPSED_TIME: TimeMeasure = {
  endOfBudget: (startMs, budgetMs) => startMs + budgetMs,
  workingMsBetween: (fromMs, toMs) => Math.max(0, toMs - fromMs),
}

export interface WorkingTime extends TimeMeasure {
  hours: WorkingHours
  /** The spans of a local date, in milliseconds since its midnight, as if clocks were not changed on it. */
  localSpansOf(date: string): readonly Interval[]
  /** The instants of a local date that are working time, in order. */
  spansOf(date: string): Interval[]
}

/** @throws RangeError if the runtime does not know the time zone */
export function workingTime(hours: WorkingHours): WorkingTime {
  // Kept: a zone that has left the cache would be read again at each use, which takes tens of milliseconds.
  const zone = zoneOf(hours.time_zone)
  const timeline = new LocalTimeline(hours)

  const periodAt = (number: number): Period => periodOf(number, zone) as Period
  /** Infinity for the last period. */
  const endOf = (number: number): number => periodOf(number + 1, zone)?.startMs ?? Number.POSITIVE_INFINITY

  /** Cache: working time until the start of each period, for the periods that were needed so far. */
  const totals = [0]
  /**
   * Cache: what to add to the local timeline's working time in each period, so that the total does not change where the
   * period begins.
   */
  const additions = [0]
  function countUntil(number: number): void {
    for (let next = totals.length; next <= number; next++) {
      const { startMs, offsetMs } = periodAt(next)
      const total = totalAt(startMs, next - 1)
      totals.push(total)
      additions.push(total - timeline.workingUntil(startMs + offsetMs))
    }
  }

  /** Working time until an instant in the period, or at its end. Only differences have a meaning. */
  function totalAt(ms: number, number: number): number {
    countUntil(number)
    return (additions[number] as number) + timeline.workingUntil(ms + periodAt(number).offsetMs)
  }

  /** Whether the total is reached before the period ends, or the search ends in the period. */
  function isReachedIn(number: number, total: number, searchEndMs: number): boolean {
    const next = periodOf(number + 1, zone)
    if (!next || next.startMs >= searchEndMs) return true
    countUntil(number + 1)
    return (totals[number + 1] as number) >= total
  }

  /** The first period from `first` on in which the total is reached. */
  function periodThatReaches(total: number, first: number, searchEndMs: number): number {
    let [low, high] = [first, first]
    for (let step = 1; !isReachedIn(high, total, searchEndMs); step *= 2)
      [low, high] = [high + 1, high + step]
    return firstWhere(low, high, (number) => isReachedIn(number, total, searchEndMs))
  }

  return {
    hours,

    endOfBudget(startMs, budgetMs) {
      const searchEndMs = startMs + MAX_SEARCH_MS
      const first = numberOfPeriodAt(startMs, zone)
      const total = totalAt(startMs, first) + budgetMs
      const number = periodThatReaches(total, first, searchEndMs)
      const fromMs = Math.max(startMs, periodAt(number).startMs)
      const untilMs = Math.min(endOf(number), searchEndMs)
      if (untilMs === searchEndMs && totalAt(untilMs, number) < total) {
        throw new RangeError(
          `The calendar has less than ${budgetMs} ms of working time in the next 400 years`,
        )
      }
      const { offsetMs } = periodAt(number)
      const restMs = total - totalAt(fromMs, number)
      return timeline.localTimeAfter(fromMs + offsetMs, restMs, untilMs + offsetMs) - offsetMs
    },

    workingMsBetween(fromMs, toMs) {
      if (toMs <= fromMs) return 0
      const totalUntil = (ms: number) => totalAt(ms, numberOfPeriodAt(ms, zone))
      return totalUntil(toMs) - totalUntil(fromMs)
    },

    localSpansOf: (date) => timeline.spansOf(dayOf(date)),

    spansOf(date) {
      const midnight = dayOf(date) * DAY_MS
      const spans = timeline.spansOf(dayOf(date))
      const found: Interval[] = []
      // Local time is at most 14 hours ahead of UTC and 12 behind it, and a zone may move across the date line.
      const last = numberOfPeriodAt(midnight + 2 * DAY_MS, zone)
      for (let number = numberOfPeriodAt(midnight - DAY_MS, zone); number <= last; number++) {
        const { startMs, offsetMs } = periodAt(number)
        for (const span of spans) {
          const from = Math.max(startMs, midnight + span.startMs - offsetMs)
          const until = Math.min(endOf(number), midnight + span.endMs - offsetMs)
          const previous = found.at(-1)
          if (from >= until) continue
          if (previous?.endMs === from) previous.endMs = until
          else found.push({ startMs: from, endMs: until })
        }
      }
      return found
    },
  }
}
