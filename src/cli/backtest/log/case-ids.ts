import { similarityKey } from '../../../domain/backtest/similar-texts.ts'
import { SeenCases } from '../cases/seen-cases.ts'

const MAX_REMEMBERED = 1000
const MAX_EXAMPLES = 3

interface SimilarCase {
  id: string
  /** The first line of the case. */
  line: number
  /** The earlier id that it is similar to, if it was remembered. */
  other: string | null
}

/** Finds cases that are probably one case: their ids differ only by letter case, invisible characters or the end. */
export class CaseIds {
  readonly #keys = new SeenCases()
  /** Ids with white space around them, by their keys: examples to show beside the similar id. */
  readonly #padded = new Map<string, string>()
  /** Cases whose id is similar to an earlier one. */
  similar = 0
  readonly first: SimilarCase[] = []

  /** Call once per case. */
  add(id: string, line: number): void {
    const key = similarityKey(id)
    if (this.#keys.add(key)) {
      if (id !== id.trim() && this.#padded.size < MAX_REMEMBERED) this.#padded.set(key, id)
    } else if (++this.similar <= MAX_EXAMPLES) {
      this.first.push({ id, line, other: this.#padded.get(key) ?? null })
    }
  }
}
