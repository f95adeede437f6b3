import { differenceInWords, differenceOf, spellingKey } from '../core/contracts/hints/spelling.ts'
import { type Json, type JsonType, jsonTypeOf } from '../kernel/json.ts'
import type { ComparedField } from './compared-fields.ts'
import { MAX_CACHED_TEXTS, MAX_EXAMPLES } from './limits.ts'

export interface Example {
  text: string
  count: number
  /** The line of its first event. */
  line: number
}

/** A count of values, and the first few distinct ones. */
export class Examples {
  count = 0
  readonly first: Example[] = []

  add(text: string, line: number): void {
    this.count++
    const known = this.first.find((example) => example.text === text)
    if (known) known.count++
    else if (this.first.length < MAX_EXAMPLES) this.first.push({ text, count: 1, line })
  }
}

/** Statistics of a compared field in a log, for notes on comparisons that may not be meant. */
export class FieldStatistics {
  readonly field: ComparedField
  /** Events with a value in the field. */
  present = 0
  readonly otherTypes = new Map<JsonType, Examples>()
  /** Similar texts of the log, by the compared text. */
  readonly similar = new Map<string, Examples>()
  readonly #comparedByKey: Map<string, string>
  /** Cache: the similar compared text of a text of the log; null for none. */
  readonly #similarTexts = new Map<string, string | null>()

  constructor(field: ComparedField) {
    this.field = field
    this.#comparedByKey = new Map([...field.texts].map((text) => [similarityKey(text), text]))
  }

  /** Adds an event's value. Null counts as no value, unless a leaf compares with null. */
  add(value: Json | undefined, line: number): void {
    const { type, texts } = this.field
    if (value === undefined || (value === null && type !== 'null')) return
    const found = jsonTypeOf(value)
    if (found !== type && !(type === 'scalar' && isScalar(found))) this.addOther(found, value, line)
    else {
      this.present++
      if (typeof value === 'string' && !texts.has(value)) this.#addText(value, line)
    }
  }

  /** Adds a value of another type than the compared one. */
  addOther(type: JsonType, value: Json, line: number): void {
    this.present++
    const examples = this.otherTypes.get(type) ?? new Examples()
    this.otherTypes.set(type, examples)
    examples.add(typeof value === 'string' ? value : JSON.stringify(value), line)
  }

  #addText(text: string, line: number): void {
    const compared = this.#similarTo(text)
    if (compared === null) return
    const examples = this.similar.get(compared) ?? new Examples()
    this.similar.set(compared, examples)
    examples.add(text, line)
  }

  #similarTo(text: string): string | null {
    const known = this.#similarTexts.get(text)
    if (known !== undefined) return known
    const compared = this.#comparedByKey.get(similarityKey(text)) ?? null
    if (this.#similarTexts.size < MAX_CACHED_TEXTS) this.#similarTexts.set(text, compared)
    return compared
  }
}

/** What a `distinct` counts. */
const isScalar = (type: JsonType) => type === 'text' || type === 'number' || type === 'boolean'

/*
 * Texts that look alike to people but that a leaf does not treat as equal: they differ only in spelling (`spelling.ts`), in
 * quotes around them, or in other characters after the last letter or digit. Spreadsheets and pandas
 * write 123 as 123.0 if the column has an empty cell.
 */

/** Fast path for nearly all case ids: ASCII whose key is the text in lower case. */
const PLAIN = /^[A-Za-z0-9]+(?:[-_ .:/][A-Za-z0-9]+)*$/
const WHOLE_NUMBER = /^\d+\.0$/
/** Quotes escaped by a backslash or doubled, which CSV keeps in a cell of another form. */
const ESCAPED_QUOTE = /\\"|""/g
const AROUND = /^[="'“„«]+|[^\p{L}\p{M}\p{N}]+$/gu

/** Equal for similar texts. */
export function similarityKey(text: string): string {
  if (PLAIN.test(text)) return WHOLE_NUMBER.test(text) ? text.slice(0, -2) : text.toLowerCase()
  const key = spellingKey(text).replace(ESCAPED_QUOTE, '"')
  return key.replace(AROUND, '') || key
}

/** How two similar texts differ. */
export function differenceFrom(text: string, other: string): string {
  const by = differenceOf(text, other)
  return by === null ? 'quotes or characters at the end' : differenceInWords(text, other, by)
}
