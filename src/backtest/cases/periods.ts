import { STATUSES, type Status } from '../../core/claims/lifecycle.ts'
import { DAY_MS } from '../../kernel/durations.ts'
import { MAX_BARS } from '../limits.ts'

/** The cases that opened in one period. */
interface Period {
  label: string
  counts: Record<Status, number>
}

export interface Periods {
  unit: 'day' | 'week' | 'month' | 'quarter' | 'year' | 'decade'
  /** Without gaps: periods without cases are included. */
  periods: Period[]
}

interface PeriodRule {
  /** The first day of the period of this day. */
  startOf: (day: number) => number
  /** The first day of the next period. */
  next: (day: number) => number
  label: (day: number) => string
}

const date = (day: number) => new Date(day * DAY_MS)
const iso = (day: number) => date(day).toISOString().slice(0, 10)
const dayOf = (year: number, month: number) => Math.floor(new Date(0).setUTCFullYear(year, month, 1) / DAY_MS)

/** Periods of `count` months, counted from the year 0. */
function months(count: number, label: PeriodRule['label']): PeriodRule {
  const index = (day: number) =>
    Math.floor((date(day).getUTCFullYear() * 12 + date(day).getUTCMonth()) / count)
  const start = (periodIndex: number) => dayOf(0, periodIndex * count)
  return { startOf: (day) => start(index(day)), next: (day) => start(index(day) + 1), label }
}

/** From the finest to the coarsest; weeks begin on Monday, and 1970-01-01 was a Thursday. */
const UNITS: Record<Periods['unit'], PeriodRule> = {
  day: { startOf: (day) => day, next: (day) => day + 1, label: iso },
  week: { startOf: (day) => Math.floor((day + 3) / 7) * 7 - 3, next: (day) => day + 7, label: iso },
  month: months(1, (day) => iso(day).slice(0, -3)),
  quarter: months(
    3,
    (day) => `${date(day).getUTCFullYear()} Q${Math.floor(date(day).getUTCMonth() / 3) + 1}`,
  ),
  year: months(12, (day) => `${date(day).getUTCFullYear()}`),
  decade: months(120, (day) => `${date(day).getUTCFullYear()}s`),
}

/** Groups days by the finest unit with at most `MAX_BARS` periods. Null without cases. */
export function toPeriods(byDay: ReadonlyMap<number, Record<Status, number>>): Periods | null {
  const days = [...byDay.keys()].sort((a, b) => a - b)
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined) return null
  for (const [unit, rule] of Object.entries(UNITS) as [Periods['unit'], PeriodRule][]) {
    const starts = startsOf(first, last, rule, unit === 'decade' ? Infinity : MAX_BARS)
    if (starts !== null) return { unit, periods: countByPeriod(byDay, starts, rule) }
  }
  return null
}

/** The first days of the periods. Null if there are more than `max`. */
function startsOf(first: number, last: number, rule: PeriodRule, max: number): number[] | null {
  const starts: number[] = []
  for (let day = rule.startOf(first); day <= last; day = rule.next(day)) {
    if (starts.push(day) > max) return null
  }
  return starts
}

function countByPeriod(
  byDay: ReadonlyMap<number, Record<Status, number>>,
  starts: number[],
  rule: PeriodRule,
): Period[] {
  const periods = new Map(
    starts.map((start) => [
      start,
      { label: rule.label(start), counts: { OPEN: 0, PENDING: 0, CONFIRMED: 0, FAILED: 0 } },
    ]),
  )
  for (const [day, counts] of byDay) {
    const period = periods.get(rule.startOf(day))
    if (period) for (const status of STATUSES) period.counts[status] += counts[status]
  }
  return [...periods.values()]
}
