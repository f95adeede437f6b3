import { DAY_MS } from '../../kernel/durations.ts'
import { firstWhere } from './binary-search.ts'
import {
  dayOf,
  type Interval,
  lengthOf,
  mergeSpans,
  WEEKDAYS,
  type WorkingHours,
  weekdayOf,
} from './calendar.ts'

const DAYS_OF_WEEK = 7
/** 1970-01-05, the first Monday. Days and local times are counted from 1970-01-01T00:00 on the local clock. */
const FIRST_MONDAY = 4

/** A date whose spans are not those of its weekday. */
interface IrregularDate {
  day: number
  spans: Interval[]
  /** Milliseconds by which this date and those before it differ from their weekdays. */
  differenceMs: number
}

/**
 * The working time of a calendar on a clock that is never changed: each date has 24 hours. It counts whole weeks by
 * multiplication and irregular dates by binary search, so its cost does not depend on the length of a period.
 */
export class LocalTimeline {
  readonly #week: Interval[][]
  /** Working milliseconds of the week before each of its days; the last entry is the whole week. */
  readonly #beforeDay: number[]
  readonly #irregular: IrregularDate[]

  constructor({ weekly, holidays, exceptions }: WorkingHours) {
    this.#week = WEEKDAYS.map((day) => mergeSpans(weekly[day] ?? []))
    this.#beforeDay = [0]
    for (const spans of this.#week) this.#beforeDay.push((this.#beforeDay.at(-1) as number) + lengthOf(spans))

    const byDay = new Map<number, Interval[]>(holidays.map((date) => [dayOf(date), []]))
    for (const [date, spans] of Object.entries(exceptions)) byDay.set(dayOf(date), mergeSpans(spans))
    let differenceMs = 0
    this.#irregular = [...byDay]
      .sort(([a], [b]) => a - b)
      .map(([day, spans]) => {
        differenceMs += lengthOf(spans) - lengthOf(this.#regularSpans(day))
        return { day, spans, differenceMs }
      })
  }

  /** The working time of a date, in milliseconds since its midnight. */
  spansOf(day: number): readonly Interval[] {
    const index = this.#irregularUntil(day)
    const found = this.#irregular[index - 1]
    return found?.day === day ? found.spans : this.#regularSpans(day)
  }

  /** Working time from the first Monday until a local time. It never decreases. Negative before that Monday. */
  workingUntil(localMs: number): number {
    const day = Math.floor(localMs / DAY_MS)
    const timeMs = localMs - day * DAY_MS
    let sum = this.#workingBefore(day)
    for (const { startMs, endMs } of this.spansOf(day)) sum += Math.max(0, Math.min(timeMs, endMs) - startMs)
    return sum
  }

  /**
   * The first local time at which `workingMs` of working time have passed since `fromMs`. The caller ensures that this
   * is at or before `untilMs`.
   */
  localTimeAfter(fromMs: number, workingMs: number, untilMs: number): number {
    if (workingMs <= 0) return fromMs
    const wanted = this.workingUntil(fromMs) + workingMs
    const day = firstWhere(
      Math.floor(fromMs / DAY_MS),
      Math.floor(untilMs / DAY_MS),
      (day) => this.#workingBefore(day + 1) >= wanted,
    )
    let restMs = wanted - this.#workingBefore(day)
    for (const { startMs, endMs } of this.spansOf(day)) {
      if (restMs <= endMs - startMs) return day * DAY_MS + startMs + restMs
      restMs -= endMs - startMs
    }
    throw new Error('There is less working time than the caller said')
  }

  #regularSpans(day: number): Interval[] {
    return this.#week[WEEKDAYS.indexOf(weekdayOf(day))] as Interval[]
  }

  #workingBefore(day: number): number {
    const days = day - FIRST_MONDAY
    const weeks = Math.floor(days / DAYS_OF_WEEK)
    const weekMs = this.#beforeDay[DAYS_OF_WEEK] as number
    const regular = weeks * weekMs + (this.#beforeDay[days - weeks * DAYS_OF_WEEK] as number)
    return regular + (this.#irregular[this.#irregularUntil(day - 1) - 1]?.differenceMs ?? 0)
  }

  /** The number of irregular dates up to and including the day. */
  #irregularUntil(day: number): number {
    return firstWhere(0, this.#irregular.length, (i) => (this.#irregular[i] as IrregularDate).day > day)
  }
}
