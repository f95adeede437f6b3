import { HOUR_MS } from '../../kernel/durations.ts'
import { dateOf, dayOf } from './calendar.ts'

/* Public holidays of a country as dates. The library `date-holidays` computes them; callers load it lazily. */

/** A holiday as the library returns it. */
export interface ComputedHoliday {
  /** On the local clock: it begins with YYYY-MM-DD. */
  date: string
  start: Date
  end: Date
  name: string
  /** `public`, `bank`, `school`, `optional` or `observance`. */
  type: string
}

export interface PublicHoliday {
  date: string
  name: string
}

/** The shortest day: clocks may be set forward by up to 2 hours. Shorter holidays leave time for work. */
const MIN_HOURS = 22

/** The dates of public holidays that last whole days, each date once, in order. */
export function publicHolidays(computed: readonly ComputedHoliday[]): PublicHoliday[] {
  const names = new Map<string, string>()
  for (const { date, start, end, name, type } of computed) {
    const hours = (end.getTime() - start.getTime()) / HOUR_MS
    if (type !== 'public' || hours < MIN_HOURS) continue
    const first = dayOf(date.slice(0, 10))
    for (let day = first; day < first + Math.round(hours / 24); day++) {
      const known = names.get(dateOf(day))
      names.set(dateOf(day), known === undefined || known === name ? name : `${known}, ${name}`)
    }
  }
  return [...names].map(([date, name]) => ({ date, name })).sort((a, b) => (a.date < b.date ? -1 : 1))
}
