import { type Json, type JsonType, jsonTypeOf } from '../json.ts'
import type { ComparedField } from './compared-fields.ts'
import { similarityKey } from './similar-texts.ts'

/** Different texts that are remembered with their verdict, and examples that are shown. */
const MAX_REMEMBERED = 1000
const MAX_EXAMPLES = 3

export interface Example {
  text: string
  count: number
  /** Of the first event that has it. */
  line: number
}

/** Values with a count, and the first few different ones. */
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

/** What a log holds where leaves compare a field: whether the comparison can be what is meant. */
export class FieldStatistics {
  readonly field: ComparedField
  /** Events with a value there. */
  present = 0
  readonly otherTypes = new Map<JsonType, Examples>()
  /** By a text that leaves compare with: the similar texts of the log. */
  readonly similar = new Map<string, Examples>()
  readonly #wantedByKey: Map<string, string>
  /** Of texts of the log: the compared text that they are similar to. */
  readonly #verdicts = new Map<string, string | null>()

  constructor(field: ComparedField) {
    this.field = field
    this.#wantedByKey = new Map([...field.texts].map((text) => [similarityKey(text), text]))
  }

  /** Takes what an event has there. Null is no value, unless a leaf compares with null. */
  add(value: Json | undefined, line: number): void {
    const { type, texts } = this.field
    if (value === undefined || (value === null && type !== 'null')) return
    const found = jsonTypeOf(value)
    if (found !== type) this.addOther(found, value, line)
    else {
      this.present++
      if (typeof value === 'string' && !texts.has(value)) this.#addText(value, line)
    }
  }

  /** Takes a value of another type than the field is compared with. */
  addOther(type: JsonType, value: Json, line: number): void {
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
    const known = this.#verdicts.get(text)
    if (known !== undefined) return known
    const wanted = this.#wantedByKey.get(similarityKey(text)) ?? null
    if (this.#verdicts.size < MAX_REMEMBERED) this.#verdicts.set(text, wanted)
    return wanted
  }
}
