/** A log may have free text in the column of the types. */
const MAX_TYPES = 10_000

export interface TypeCount {
  type: string
  count: number
}

/** Counts each event type. `count` returns the same string for the same type, which saves memory. */
export class EventTypes {
  readonly #counts = new Map<string, TypeCount>()
  /** Events of types beyond MAX_TYPES. */
  uncounted = 0

  count(type: string): string {
    const found = this.#counts.get(type)
    if (found) found.count++
    else if (this.#counts.size < MAX_TYPES) this.#counts.set(type, { type, count: 1 })
    else this.uncounted++
    return found?.type ?? type
  }

  /** Types that the condition does not name, the most frequent first. */
  except(named: ReadonlySet<string>): TypeCount[] {
    return [...this.#counts.values()]
      .filter(({ type }) => !named.has(type))
      .sort((one, other) => other.count - one.count)
  }

  has(type: string): boolean {
    return this.#counts.has(type)
  }

  countOf(type: string): number {
    return this.#counts.get(type)?.count ?? 0
  }

  /** The types with their counts, up to MAX_TYPES. */
  get all(): Iterable<TypeCount> {
    return this.#counts.values()
  }
}
