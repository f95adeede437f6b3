/** Shorter names are like too many others. */
const MIN_COMPARED_LENGTH = 4
/** Of a difference in one place: a letter more or less, another one, or two that are swapped. */
const MOST_DIFFERENT = 2

/** Finds names of which a given one may be a slip. */
export class SimilarNames {
  readonly #byLetters: ReadonlyMap<string, readonly string[]>

  /** @param names the most likely first */
  constructor(names: Iterable<string>) {
    this.#byLetters = Map.groupBy(names, lettersOf)
  }

  /** The first that is like it; null if none is. */
  find(name: string): string | null {
    const letters = lettersOf(name)
    const [, names] = this.#byLetters.entries().find(([other]) => isLike(other, letters)) ?? []
    return names?.[0] ?? null
  }
}

/** Whether they differ in one place at most. */
function isLike(a: string, b: string): boolean {
  const [shortest, longest] = a.length < b.length ? [a.length, b.length] : [b.length, a.length]
  if (shortest < MIN_COMPARED_LENGTH || longest - shortest > MOST_DIFFERENT) return false
  let start = 0
  while (start < shortest && a[start] === b[start]) start++
  let end = 0
  while (end < shortest - start && a.at(-1 - end) === b.at(-1 - end)) end++
  return longest - start - end <= MOST_DIFFERENT
}

/** Without letter case, and what stands between words. */
const lettersOf = (name: string) => name.toLowerCase().replaceAll(/[\s._:/-]/g, '')
