/** Shorter names are similar to too many others. */
const MIN_COMPARED_LENGTH = 4
/** Characters that may differ in one place: covers an added, missing or wrong letter, and two swapped letters. */
const MAX_DIFFERENT_CHARACTERS = 2

/** Finds the known name that a given name may be a typo of. */
export class SimilarNames {
  readonly #byLetters: ReadonlyMap<string, readonly string[]>

  /** @param names the most likely first */
  constructor(names: Iterable<string>) {
    this.#byLetters = Map.groupBy(names, lettersOf)
  }

  /** The first similar name; null if there is none. */
  find(name: string): string | null {
    const letters = lettersOf(name)
    const [, names] = this.#byLetters.entries().find(([other]) => isLike(other, letters)) ?? []
    return names?.[0] ?? null
  }
}

/** Whether two names differ in at most one place. */
function isLike(a: string, b: string): boolean {
  const [shortest, longest] = a.length < b.length ? [a.length, b.length] : [b.length, a.length]
  if (shortest < MIN_COMPARED_LENGTH || longest - shortest > MAX_DIFFERENT_CHARACTERS) return false
  let start = 0
  while (start < shortest && a[start] === b[start]) start++
  let end = 0
  while (end < shortest - start && a.at(-1 - end) === b.at(-1 - end)) end++
  return longest - start - end <= MAX_DIFFERENT_CHARACTERS
}

/** Without letter case, and what stands between words. */
const lettersOf = (name: string) => name.toLowerCase().replaceAll(/[\s._:/-]/g, '')
