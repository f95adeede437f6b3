import type { Json } from '../json.ts'
import { type ComparedField, typeOf, type ValueType } from './compared-fields.ts'
import { similarityKey } from './similar-texts.ts'

/** Limits of the remembered texts and of the examples in a note. */
const MAX_REMEMBERED = 1000
const MAX_EXAMPLES = 3

export interface Example {
  text: string
  count: number
  /** The line of the first event with this text. */
  line: number
}

/** Counts values, and keeps the first distinct ones. */
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

/** Counts the values of a compared field that the comparison probably should match but cannot. */
export class FieldStatistics {
  readonly field: ComparedField
  /** Events with a value there. */
  present = 0
  readonly otherTypes = new Map<ValueType, Examples>()
  /** By compared text: the similar texts of the log. */
  readonly similar = new Map<string, Examples>()
  readonly #wantedByKey: Map<string, string>
  /** By text of the log: the compared text that is similar to it. */
  readonly #similarByText = new Map<string, string | null>()

  constructor(field: ComparedField) {
    this.field = field
    this.#wantedByKey = new Map([...field.texts].map((text) => [similarityKey(text), text]))
  }

  /** Adds the value of an event. Null counts as missing, unless a leaf compares with null. */
  add(value: Json | undefined, line: number): void {
    const { type, texts } = this.field
    if (value === undefined || (value === null && type !== 'null')) return
    const found = typeOf(value)
    if (found !== type) this.addOther(found, value, line)
    else {
      this.present++
      if (typeof value === 'string' && !texts.has(value)) this.#addText(value, line)
    }
  }

  /** Adds a value of another type than the compared one. */
  addOther(type: ValueType, value: Json, line: number): void {
    this.present++
    const examples = this.otherTypes.get(type) ?? new Examples()
    this.otherTypes.set(type, examples)
    examples.add(typeof value === 'string' ? value : JSON.stringify(value), line)
  }

  #addText(text: string, line: number): void {
    const wanted = this.#similarTo(text)
    if (wanted === null) return
    const examples = this.similar.get(wanted) ?? new Examples()
    this.similar.set(wanted, examples)
    examples.add(text, line)
  }

  #similarTo(text: string): string | null {
    const known = this.#similarByText.get(text)
    if (known !== undefined) return known
    const wanted = this.#wantedByKey.get(similarityKey(text)) ?? null
    if (this.#similarByText.size < MAX_REMEMBERED) this.#similarByText.set(text, wanted)
    return wanted
  }
}
