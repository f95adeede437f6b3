/** Different types that are counted apart; a log may hold a free text where its types should be. */
const MAX_TYPES = 10_000

export interface TypeCount {
  type: string
  count: number
}

/** How often each event type occurs in the log. Gives out one string a type, however often it is read. */
export class EventTypes {
  readonly #counts = new Map<string, TypeCount>()
  /** Events of types past the first 10,000. */
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

  /** All that are counted apart. */
  get all(): Iterable<TypeCount> {
    return this.#counts.values()
  }
}
