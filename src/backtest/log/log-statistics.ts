import { Readings } from '../../core/contracts/readings.ts'
import { DAY_MS, MINUTE_MS } from '../../kernel/durations.ts'
import type { Case, CaseEvent } from '../backtest.ts'
import { SeenCases } from '../cases/seen-cases.ts'
import { isRoundedNumber, LONG_NUMBER, PLACEHOLDER, SHORTENED_NUMBER } from '../damaged-texts.ts'
import { Examples, similarityKey } from '../field-statistics.ts'
import { MAX_COUNTED_TYPES, MAX_EXAMPLES, MAX_PADDED_IDS } from '../limits.ts'
import { hasTies, hasTiesNewestFirst } from './log-row.ts'

interface SimilarCase {
  id: string
  /** The first line of the case. */
  line: number
  /** The earlier id that it is similar to, if it was remembered. */
  other: string | null
}

/** An id that may stand for many cases, or for none. */
interface SuspectCase {
  id: string
  line: number
  events: number
}

/** The form in which Excel shows ids such as 10-12 or MAR1: it reads them as dates. */
const SPREADSHEET_DATE =
  /^(?:\d{1,2}-(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)-\d\d)$/
/** How a comment begins in many languages. */
const COMMENT = /^(?:#|;|\/\/|--)/

/**
 * Finds ids that probably mean the same case, because they differ only by letter case, invisible characters or the end, and ids
 * that probably stand for several cases or for none.
 */
class CaseIds {
  readonly #keys = new SeenCases()
  /** Ids with white space around them, by their keys: examples to show beside the similar id. */
  readonly #padded = new Map<string, string>()
  /** Cases whose id is similar to an earlier one. */
  similar = 0
  readonly first: SimilarCase[] = []
  readonly shortened = new SuspectCases()
  readonly placeholders = new SuspectCases()
  readonly dates = new SuspectCases()
  readonly #commented = new SuspectCases()
  readonly #rounded = new SuspectCases()
  #count = 0
  /** Cases whose ids are numbers of 16 digits or more. */
  #long = 0

  /** Ids that have lost their last digits. Null unless this holds for most long ids. */
  get rounded(): SuspectCases | null {
    return this.#rounded.count * 2 > this.#long ? this.#rounded : null
  }

  /** Ids that begin like a comment. Null if all ids do. */
  get commented(): SuspectCases | null {
    return this.#commented.count < this.#count ? this.#commented : null
  }

  /** Call once per case. */
  add(id: string, line: number, events: number): void {
    if (SHORTENED_NUMBER.test(id)) this.shortened.add(id, line, events)
    if (SPREADSHEET_DATE.test(id)) this.dates.add(id, line, events)
    if (PLACEHOLDER.test(id)) this.placeholders.add(id, line, events)
    else if (COMMENT.test(id)) this.#commented.add(id, line, events)
    this.#count++
    if (LONG_NUMBER.test(id)) {
      this.#long++
      if (isRoundedNumber(id)) this.#rounded.add(id, line, events)
    }
    const key = similarityKey(id)
    if (this.#keys.add(key)) {
      if (id !== id.trim() && this.#padded.size < MAX_PADDED_IDS) this.#padded.set(key, id)
    } else if (++this.similar <= MAX_EXAMPLES) {
      this.first.push({ id, line, other: this.#padded.get(key) ?? null })
    }
  }
}

/** A count of cases with a suspect id, and the first few. */
export class SuspectCases {
  count = 0
  readonly first: SuspectCase[] = []

  add(id: string, line: number, events: number): void {
    if (++this.count <= MAX_EXAMPLES) this.first.push({ id, line, events })
  }
}

/** A day, a minute and a second. */
const UNITS_MS = [DAY_MS, MINUTE_MS, 1000]

/** Probable mistakes in the cases of a log. */
export class CaseStatistics {
  readonly ids = new CaseIds()
  /** Cases with events of the same time. */
  readonly ties = new Examples()
  /** Cases with ties whose rows are newest first. */
  readonly tiesNewestFirst = new Examples()
  /** Events with the type, time and compared fields of an earlier one of their case. */
  readonly repeatedRows = new Examples()
  /** Events with the id of an earlier one of their case, but another type, time or compared field. */
  readonly conflictingRepeats = new Examples()
  /** Events with the type, time and compared fields of an earlier one of their case, and an id that is almost equal. */
  readonly similarEventIds = new Examples()
  /** Events with the id, type and compared fields of an earlier one of their case, if `--event-id` does not name the ids. */
  readonly repeatedLikelyIds = new Examples()
  /** Ids of events in a notation that has lost digits, so that several events may count as one. */
  readonly shortenedEventIds = new Examples()
  /** Cases whose rows have different opening times. */
  readonly otherOpenings = new Examples()
  withoutOpening = 0
  /** Cases whose events are all before the opening. */
  readonly withoutLaterEvent = new Examples()
  /** Events before the opening, but in the same millisecond. */
  readonly inOpeningMs = new Examples()
  /** By the unit that every time is a multiple of: events before the opening, but in the same second, minute or day. */
  #inOpeningUnit = UNITS_MS.map((unit) => ({ unit, events: new Examples() }))

  readonly #hasAggregates: boolean
  readonly #hasEventIds: boolean

  /**
   * @param hasAggregates whether a contract counts or sums events, so that repeated ones matter
   * @param hasEventIds whether `--event-id` is given
   */
  constructor(hasAggregates: boolean, hasEventIds: boolean) {
    this.#hasAggregates = hasAggregates
    this.#hasEventIds = hasEventIds
  }

  add({ id, openedAt, hasConflictingOpenings, events }: Case): void {
    const line = events[0]?.line ?? 0
    this.ids.add(id, line, events.length)
    if (openedAt === null) this.withoutOpening++
    if (hasConflictingOpenings) this.otherOpenings.add(id, line)
    if (openedAt !== null) this.#addOpening(id, openedAt, events)
    if (!this.#hasEventIds && this.#hasAggregates) this.#addLikelyIds(events)
    if (this.#hasEventIds && events.some((event) => event.id !== undefined)) this.#addEventIds(events)
    if (!hasTies(events)) return
    this.ties.add(id, line)
    if (this.#hasAggregates) {
      this.#addRepeated(id, events)
      if (this.#hasEventIds) this.#addSimilarEventIds(events)
    }
    if (hasTiesNewestFirst(events)) this.tiesNewestFirst.add(id, events.at(-1)?.line ?? line)
  }

  #addRepeated(id: string, events: readonly CaseEvent[]): void {
    const seen = new Set<string>()
    for (const [i, event] of events.entries()) {
      if (events[i - 1]?.at !== event.at) seen.clear()
      const content = `${event.payloadBytes} ${contentOf(event)}`
      if (seen.has(content)) this.repeatedRows.add(id, event.line)
      seen.add(content)
    }
  }

  #addLikelyIds(events: readonly CaseEvent[]): void {
    const seen = new Set<string>()
    for (const event of events) {
      if (event.id === undefined) continue
      const key = `${event.id} ${comparedContentOf(event)}`
      if (seen.has(key)) this.repeatedLikelyIds.add(event.id, event.line)
      seen.add(key)
    }
  }

  #addSimilarEventIds(events: readonly CaseEvent[]): void {
    const seen = new Map<string, Set<string>>()
    for (const [i, event] of events.entries()) {
      if (events[i - 1]?.at !== event.at) seen.clear()
      if (event.id === undefined) continue
      const key = `${similarityKey(event.id)} ${contentOf(event)}`
      const ids = seen.get(key) ?? new Set()
      seen.set(key, ids)
      if (ids.size > 0 && !ids.has(event.id)) this.similarEventIds.add(event.id, event.line)
      ids.add(event.id)
    }
  }

  #addEventIds(events: readonly CaseEvent[]): void {
    const firsts = new Map<string, CaseEvent>()
    for (const event of events) {
      if (event.id === undefined) continue
      if (SHORTENED_NUMBER.test(event.id)) this.shortenedEventIds.add(event.id, event.line)
      const first = firsts.get(event.id)
      if (first === undefined) firsts.set(event.id, event)
      else if (contentOf(first) !== contentOf(event)) this.conflictingRepeats.add(event.id, event.line)
    }
  }

  #addOpening(id: string, openedAt: number, events: readonly CaseEvent[]): void {
    this.#inOpeningUnit = this.#inOpeningUnit.filter(({ unit }) => events.every(({ at }) => at % unit === 0))
    const last = events.at(-1)
    if (last !== undefined && last.at < Math.floor(openedAt)) this.withoutLaterEvent.add(id, last.line)
    for (const { at, line } of events) {
      if (at >= openedAt) return
      if (at >= Math.floor(openedAt)) this.inOpeningMs.add(id, line)
      else for (const { unit, events } of this.#inOpeningUnit) if (openedAt < at + unit) events.add(id, line)
    }
  }

  /** Events whose times are less precise than the opening: they are before it, but may have happened after it. */
  inOpeningUnit(hasDatesAlone: boolean): Examples {
    const found = this.#inOpeningUnit.find(({ unit }) => unit !== DAY_MS || hasDatesAlone)
    return found?.events ?? new Examples()
  }
}

/** The type, the time and the compared fields. */
const contentOf = (event: CaseEvent): string => `${event.at} ${comparedContentOf(event)}`

const comparedContentOf = ({ type, payload }: CaseEvent): string =>
  JSON.stringify([type, payload], (_, value) => (value instanceof Readings ? value.values : value))

export interface TypeCount {
  type: string
  count: number
}

/** Counts each event type. `count` returns the same string for the same type, which saves memory. */
export class EventTypes {
  readonly #counts = new Map<string, TypeCount>()
  /** Events of types beyond MAX_COUNTED_TYPES. */
  uncounted = 0

  /** @param named types that contracts name: they are counted in any case */
  constructor(named: Iterable<string> = []) {
    for (const type of named) this.#counts.set(type, { type, count: 0 })
  }

  count(type: string): string {
    const found = this.#counts.get(type)
    if (found) found.count++
    else if (this.#counts.size < MAX_COUNTED_TYPES) this.#counts.set(type, { type, count: 1 })
    else this.uncounted++
    return found?.type ?? type
  }

  /** Types that the condition does not name, the most frequent first. */
  except(named: ReadonlySet<string>): TypeCount[] {
    return [...this.#counts.values()]
      .filter(({ type, count }) => count > 0 && !named.has(type))
      .sort((a, b) => b.count - a.count)
  }

  has(type: string): boolean {
    return this.countOf(type) > 0
  }

  countOf(type: string): number {
    return this.#counts.get(type)?.count ?? 0
  }

  /** The types with their counts, up to MAX_COUNTED_TYPES. */
  get all(): Iterable<TypeCount> {
    return this.#counts.values()
  }
}
