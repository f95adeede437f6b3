/*
 * Working time (§2.15), computed for each minute from the local time that Intl gives. Slow, but another algorithm than the
 * service's. It assumes that clocks are changed by whole minutes. Spans begin and end at whole minutes.
 */

export type Spans = readonly (readonly [start: string, end: string])[]

/** The fields of a calendar that define its working time, with the names of the API. */
export interface WorkingHours {
  time_zone: string
  weekly: { readonly [weekday: string]: Spans }
  holidays: readonly string[]
  exceptions: { readonly [date: string]: Spans }
}

/** How time passes for a window. */
export interface TimeMeasure {
  /** The first time at which this many milliseconds have passed. */
  end(from: number, ms: number): number
  between(from: number, until: number): number
}

export const ELAPSED_TIME: TimeMeasure = {
  end: (from, ms) => from + ms,
  between: (from, until) => until - from,
}

/** An interval of working time on one local date. */
export interface Piece {
  date: string
  /** Start of the whole interval. `from` is later if only the end of the interval is used. */
  begins: number
  from: number
  until: number
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

export class WorkingTime implements TimeMeasure {
  readonly #hours: WorkingHours
  readonly #local: Intl.DateTimeFormat
  /** Cache, by day in UTC since 1970. */
  readonly #pieces = new Map<number, Piece[]>()

  constructor(hours: WorkingHours) {
    this.#hours = hours
    const twoDigits = { month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const
    const { time_zone: timeZone } = hours
    this.#local = new Intl.DateTimeFormat('sv-SE', {
      timeZone,
      year: 'numeric',
      ...twoDigits,
      hourCycle: 'h23',
    })
  }

  end(from: number, ms: number): number {
    let left = ms
    if (left <= 0) return from
    for (const piece of this.#piecesFrom(from)) {
      if (piece.until - piece.from >= left) return piece.from + left
      left -= piece.until - piece.from
    }
    return Infinity
  }

  between(from: number, until: number): number {
    let ms = 0
    for (const piece of this.pieces(from, until)) ms += piece.until - piece.from
    return ms
  }

  *pieces(from: number, until: number): Generator<Piece> {
    for (const piece of this.#piecesFrom(from)) {
      if (piece.from >= until) return
      yield { ...piece, until: Math.min(piece.until, until) }
    }
  }

  dateAt(at: number): string {
    return this.#local.format(at).slice(0, 10)
  }

  #spansOf(date: string): Spans {
    const { weekly, holidays, exceptions } = this.#hours
    return exceptions[date] ?? (holidays.includes(date) ? [] : (weekly[weekdayOf(date)] ?? []))
  }

  /** Joins the pieces that midnight in UTC separates. */
  *#piecesFrom(from: number): Generator<Piece> {
    let last: Piece | null = null
    // A local date, and so a piece, may begin two days earlier in UTC.
    for (let day = Math.floor(from / DAY_MS) - 2; ; day++) {
      // Each calendar of the simulator has some working time in each week.
      for (const piece of this.#piecesOf(day)) {
        if (last && last.until === piece.from && last.date === piece.date) last.until = piece.until
        else {
          if (last && last.until > from) yield { ...last, from: Math.max(last.from, from) }
          last = { ...piece }
        }
      }
    }
  }

  #piecesOf(day: number): Piece[] {
    const known = this.#pieces.get(day)
    if (known) return known
    const pieces: Piece[] = []
    for (let at = day * DAY_MS; at < (day + 1) * DAY_MS; at += MINUTE_MS) {
      const [date = '', time = ''] = this.#local.format(at).split(' ')
      if (!this.#spansOf(date).some(([start, end]) => start <= time && time < end)) continue
      const last = pieces.at(-1)
      if (last && last.until === at && last.date === date) last.until = at + MINUTE_MS
      else pieces.push({ date, begins: at, from: at, until: at + MINUTE_MS })
    }
    this.#pieces.set(day, pieces)
    return pieces
  }
}

export const weekdayOf = (date: string): string => WEEKDAYS[(new Date(date).getUTCDay() + 6) % 7] as string

/** The same spans on each of these days. */
export const weekOf = (spans: Spans, days: readonly string[] = WEEKDAYS): WorkingHours['weekly'] =>
  Object.fromEntries(days.map((day) => [day, spans]))

const known = new Map<string, WorkingTime>()

/** Cached by content: each instance computes its minutes again, and the simulator has few calendars. */
export function workingTime(hours: WorkingHours): WorkingTime {
  const key = JSON.stringify(hours)
  const found = known.get(key) ?? new WorkingTime(hours)
  known.set(key, found)
  return found
}
