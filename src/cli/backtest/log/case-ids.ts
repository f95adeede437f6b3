import { similarityKey } from '../../../domain/backtest/similar-texts.ts'
import { SeenCases } from '../cases/seen-cases.ts'

const MAX_REMEMBERED = 1000
const MAX_EXAMPLES = 3

interface SimilarCase {
  id: string
  /** The first line of the case. */
  line: number
  /** The id that it is similar to, if that was remembered. */
  other: string | null
}

/** Finds cases that may be one for people: their ids differ only in what people do not see. */
export class CaseIds {
  readonly #keys = new SeenCases()
  /** Ids with blanks around them, by their keys: of two similar ids, these are the odd ones. */
  readonly #blank = new Map<string, string>()
  /** Cases whose id is similar to one before it, and the first of them. */
  similar = 0
  readonly first: SimilarCase[] = []

  /** Takes each case once. */
  add(id: string, line: number): void {
    const key = similarityKey(id)
    if (this.#keys.add(key)) {
      if (id !== id.trim() && this.#blank.size < MAX_REMEMBERED) this.#blank.set(key, id)
    } else if (++this.similar <= MAX_EXAMPLES) {
      this.first.push({ id, line, other: this.#blank.get(key) ?? null })
    }
  }
}
