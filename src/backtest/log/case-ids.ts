import { SeenCases } from '../cases/seen-cases.ts'
import { similarityKey } from '../similar-texts.ts'

const MAX_REMEMBERED = 1000
const MAX_EXAMPLES = 3

interface SimilarCase {
  id: string
  /** The first line of the case. */
  line: number
  /** The earlier id that it is similar to, if it was remembered. */
  other: string | null
}

/** An id that may be that of many cases, or of none. */
interface DoubtfulCase {
  id: string
  line: number
  events: number
}

/** As spreadsheets write numbers of more than 11 digits: the digits behind are lost. */
const SHORTENED = /^\d(?:[.,]\d+)?E\+\d\d+$/i
/** What exports write where there is no value. */
const PLACEHOLDER = /^(?:\s*|[-?]+|\\N|null|\(null\)|<null>|nil|none|undefined|nan|nat|<?na>?|#?n\/a)$/i

/**
 * Finds ids that are probably of one case, because they differ only by letter case, invisible characters or the end, and ids
 * that are probably not of one case.
 */
export class CaseIds {
  readonly #keys = new SeenCases()
  /** Ids with white space around them, by their keys: examples to show beside the similar id. */
  readonly #padded = new Map<string, string>()
  /** Cases whose id is similar to an earlier one. */
  similar = 0
  readonly first: SimilarCase[] = []
  readonly shortened = new DoubtfulCases(SHORTENED)
  readonly placeholders = new DoubtfulCases(PLACEHOLDER)

  /** Call once per case. */
  add(id: string, line: number, events: number): void {
    this.shortened.add(id, line, events)
    this.placeholders.add(id, line, events)
    const key = similarityKey(id)
    if (this.#keys.add(key)) {
      if (id !== id.trim() && this.#padded.size < MAX_REMEMBERED) this.#padded.set(key, id)
    } else if (++this.similar <= MAX_EXAMPLES) {
      this.first.push({ id, line, other: this.#padded.get(key) ?? null })
    }
  }
}

/** Cases whose ids have a form. */
export class DoubtfulCases {
  readonly #form: RegExp
  count = 0
  readonly first: DoubtfulCase[] = []

  constructor(form: RegExp) {
    this.#form = form
  }

  add(id: string, line: number, events: number): void {
    if (this.#form.test(id) && ++this.count <= MAX_EXAMPLES) this.first.push({ id, line, events })
  }
}
