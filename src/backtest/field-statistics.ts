import { differenceInWords, differenceOf, spellingKey } from '../core/contracts/hints/spelling.ts'
import { type Json, type JsonType, jsonTypeOf } from '../kernel/json.ts'
import type { ComparedField } from './compared-fields.ts'
import {
  damagedForms,
  isNumber,
  isRoundedNumber,
  LONG_NUMBER,
  PLACEHOLDER,
  SHORTENED_NUMBER,
} from './damaged-texts.ts'
import { MAX_CACHED_TEXTS, MAX_EXAMPLES } from './limits.ts'
import type { DecimalMark } from './read-cell.ts'
import { isRounded, isRoundedTo32Bits } from './rounded-numbers.ts'

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

interface Resemblance {
  compared: string
  /** Whether the text is a damaged form; otherwise it is similar. */
  isDamaged: boolean
}

/** Statistics of a compared field in a log, for notes on comparisons that are probably mistakes. */
export class FieldStatistics {
  readonly field: ComparedField
  /** Events with a value in the field. */
  present = 0
  readonly otherTypes = new Map<JsonType, Examples>()
  /** Similar texts of the log, by the compared text. */
  readonly similar = new Map<string, Examples>()
  readonly #comparedByKey: ReadonlyMap<string, string>
  /** Texts that are not similar to a compared one. */
  readonly otherTexts = new Examples()
  /** Values in place of an object that would contain the compared field, by their types. */
  readonly nonObjects = new Map<JsonType, Examples>()
  /** Field names that are similar to the compared field's name, in events without the compared field. */
  readonly similarNames = new Examples()
  /** Cache: whether the name of a field is similar. */
  readonly #similarNames = new Map<string, boolean>()
  readonly similarDistinct = new Examples()
  /** Values of a `distinct` that stand for a missing one. */
  readonly placeholders = new Examples()
  /** Values of a `distinct` in a notation that has lost digits, so that several values may be one. */
  readonly shortened = new Examples()
  readonly #rounded = new Examples()
  /** Values of a `distinct` that are numbers of 16 digits or more. */
  readonly #long = new Examples()
  /** Cache: the lists of examples to which each value of a `distinct` belongs. */
  readonly #distinct = new Map<Json, readonly Examples[]>()
  /** The similarity keys of these values, and their damaged forms. */
  readonly #distinctKeys = new Set<string>()
  readonly #damagedDistinct = new Set<string>()
  /** Compared texts that events have. */
  readonly #found = new Set<string>()
  /** Damaged forms of compared texts, with the texts. */
  readonly #damaged: ReadonlyMap<string, string>
  readonly #damagedExamples = new Map<string, Examples>()
  /** Numbers that differ from a compared number only by a rounding, by the compared number. */
  readonly roundedNumbers = new Map<number, Examples>()
  /** Numbers that a sum adds and that a program has rounded to 32 bits. */
  readonly roundedSummands = new Examples()
  /** Numbers of CSV that may be grouped thousands, such as 1.500; null if another number shows that they are not. */
  #grouped: Examples | null = new Examples()
  /** Cache: the compared text that a text of the log resembles; null for none. */
  readonly #resemblances = new Map<string, Resemblance | null>()

  constructor(field: ComparedField) {
    this.field = field
    const texts = [...field.texts]
    this.#comparedByKey = new Map(texts.map((text) => [similarityKey(text), text]))
    this.#damaged = new Map(
      texts.flatMap((text) => [...damagedForms(text).keys()].map((form) => [form, text])),
    )
  }

  /** Adds an event's value. Null counts as no value, unless a leaf compares with null. */
  add(value: Json | undefined, line: number): void {
    const { type } = this.field
    if (value === undefined || (value === null && type !== 'null')) return
    const found = jsonTypeOf(value)
    if (found !== type && !(type === 'scalar' && isScalar(found))) this.addOther(found, value, line)
    else {
      this.present++
      if (type === 'scalar') this.#addDistinct(value, line)
      if (typeof value === 'string') this.#addText(value, line)
      else if (typeof value === 'number') this.#addNumber(value, line)
    }
  }

  /** Adds a value of another type than the compared one. */
  addOther(type: JsonType, value: Json, line: number): void {
    this.present++
    addExample(this.otherTypes, type, textOf(value), line)
  }

  /** Adds a value on the path to the field that is not an object. */
  addNonObject(value: Json, line: number): void {
    addExample(this.nonObjects, jsonTypeOf(value), textOf(value), line)
  }

  #addText(text: string, line: number): void {
    const { texts } = this.field
    if (texts.has(text)) this.#found.add(text)
    if (texts.size === 0 || texts.has(text)) return
    const found = this.#resemblanceOf(text)
    if (found === null) this.otherTexts.add(text, line)
    else addExample(found.isDamaged ? this.#damagedExamples : this.similar, found.compared, text, line)
  }

  #addNumber(number: number, line: number): void {
    const { numbers, isSummed } = this.field
    for (const wanted of numbers)
      if (isRounded(number, wanted)) addExample(this.roundedNumbers, wanted, String(number), line)
    if (isSummed && isRoundedTo32Bits(number)) this.roundedSummands.add(String(number), line)
  }

  /** Compared texts that no event has, not even in a similar or damaged form. */
  get missing(): string[] {
    return [...this.field.texts].filter(
      (text) => !this.#found.has(text) && !this.similar.has(text) && !this.#damagedExamples.has(text),
    )
  }

  /** Counts field names that are similar to the compared field's name, in an event without the compared field. */
  addNames(names: readonly string[], line: number): void {
    const name = this.field.path.join('.')
    for (const other of names)
      if (other !== this.field.path[0] && this.#isSimilarName(other, name)) this.similarNames.add(other, line)
  }

  #isSimilarName(other: string, name: string): boolean {
    const known = this.#similarNames.get(other)
    if (known !== undefined) return known
    const isSimilar = similarityKey(other) === similarityKey(name)
    if (this.#similarNames.size < MAX_CACHED_TEXTS) this.#similarNames.set(other, isSimilar)
    return isSimilar
  }

  /** Values of a `distinct` that have lost their last digits. Null unless this holds for most long numbers. */
  get rounded(): Examples | null {
    return this.#rounded.count * 2 > this.#long.count ? this.#rounded : null
  }

  /**
   * Counts values of a `distinct` that are similar to another value, that stand for a missing value, or that may stand for
   * several values.
   */
  #addDistinct(value: Json, line: number): void {
    for (const examples of this.#distinct.get(value) ?? this.#listsOf(value))
      examples.add(String(value), line)
  }

  #listsOf(value: Json): readonly Examples[] {
    const text = String(value)
    const lists: Examples[] = []
    if (this.#isSimilarDistinct(text)) lists.push(this.similarDistinct)
    if (PLACEHOLDER.test(text)) lists.push(this.placeholders)
    if (SHORTENED_NUMBER.test(text)) lists.push(this.shortened)
    if (LONG_NUMBER.test(text)) lists.push(this.#long, ...(isRoundedNumber(text) ? [this.#rounded] : []))
    if (this.#distinct.size < MAX_CACHED_TEXTS) this.#distinct.set(value, lists)
    return lists
  }

  /** Whether another value of the `distinct` is similar or a damaged form. Stores this one and its damaged forms. */
  #isSimilarDistinct(text: string): boolean {
    const key = similarityKey(text)
    const isKnown = this.#distinctKeys.has(key) || this.#damagedDistinct.has(text)
    if (this.#distinct.size >= MAX_CACHED_TEXTS) return isKnown
    const forms = isNumber(text) ? [] : [...damagedForms(text).keys()]
    const isFormKnown = forms.some((form) => this.#distinctKeys.has(similarityKey(form)))
    this.#distinctKeys.add(key)
    for (const form of forms) this.#damagedDistinct.add(form)
    return isKnown || isFormKnown
  }

  /** The damaged forms of compared texts that occur in the log. */
  get damaged(): [compared: string, examples: Examples][] {
    return [...this.#damagedExamples].filter(
      ([compared]) => !(this.#found.has(compared) && isNumber(compared)),
    )
  }

  /** Adds the text of a number in CSV. */
  addNumberCell(cell: string, mark: DecimalMark, line: number): void {
    if (this.#grouped === null) return
    const text = cell.trim()
    if (!MAY_BE_GROUPED[mark].test(text)) this.#grouped = null
    else if (text.includes(mark)) this.#grouped.add(text, line)
  }

  /** Numbers with three digits after the decimal mark, if no number shows that the mark does not group thousands. */
  get grouped(): Examples | null {
    return this.#grouped === null || this.#grouped.count === 0 ? null : this.#grouped
  }

  #resemblanceOf(text: string): Resemblance | null {
    const known = this.#resemblances.get(text)
    if (known !== undefined) return known
    const key = similarityKey(text)
    const similar = this.#comparedByKey.get(key)
    const compared = similar ?? this.#damaged.get(text)
    const found = compared === undefined ? null : { compared, isDamaged: similar === undefined }
    if (this.#resemblances.size < MAX_CACHED_TEXTS) this.#resemblances.set(text, found)
    return found
  }
}

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))

function addExample<Key>(map: Map<Key, Examples>, key: Key, text: string, line: number): void {
  const examples = map.get(key) ?? new Examples()
  map.set(key, examples)
  examples.add(text, line)
}

/** Whole numbers below 1000, and numbers of which the decimal mark may group thousands. A grouped number does not start with 0. */
const MAY_BE_GROUPED: Record<DecimalMark, RegExp> = {
  '.': /^[+-]?(?:0|[1-9]\d{0,2}(?:\.\d{3})?)$/,
  ',': /^[+-]?(?:0|[1-9]\d{0,2}(?:,\d{3})?)$/,
}

/** The types of values that a `distinct` counts. */
const isScalar = (type: JsonType) => type === 'text' || type === 'number' || type === 'boolean'

/*
 * Texts that look alike to people but that a leaf does not treat as equal: they differ only in spelling (`spelling.ts`), in
 * quotes around them, in other characters before the first or after the last letter or digit, in separators of words or digits,
 * or, as numbers, in zeros at the start. Spreadsheets drop these zeros. Spreadsheets and pandas write 123 as 123.0 if the column has an empty cell.
 */

/** Fast path for nearly all case ids: ASCII whose key is the text in lower case. */
const PLAIN = /^[A-Za-z0-9]+(?:[-_ .:/][A-Za-z0-9]+)*$/
const WHOLE_NUMBER = /^0*(\d+)(?:\.0+)?$/
/** 1,234: a program has grouped the digits of a number. */
const GROUPED_DIGITS = /^\d{1,3}(?:,\d{3})+$/
/** An id of Salesforce. Its last three characters encode which of the other letters are capitals. Reports leave them out. */
const SALESFORCE_ID = /^([A-Za-z0-9]{15})([A-Z0-5]{3})$/
const SALESFORCE_CHECKS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345'
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/
/** Quotes escaped by a backslash or doubled, which CSV keeps in a cell of another form. */
const ESCAPED_QUOTE = /\\"|""/g
/** A sign at the start is part of a number. */
const AT_START_OR_END = /^[="'“„«#({[</]+\s*|[^\p{L}\p{M}\p{N}]+$/gu
/** in_progress, in-progress and "in progress" are one text, and so are INC-1001, INC1001 and INC001001, R&D and R & D. A-1 may be another id than A1. */
const WORD_SEPARATORS =
  /(?<=\p{L})[\s_./:-]+(?=\p{L})|(?<=\p{L}{2})[\s_./:#-]*0*(?=\d)|\s(?=[&+])|(?<=[&+])\s/gu
const DIGIT_SEPARATORS = /(?<=\d)[\s_/:-](?=\d)/g
const HAS_SEPARATORS = /[\s_./:#-]|\p{L}0/u

function plainKey(key: string): string {
  if (key.length === UUID_LENGTH && UUID.test(key)) return key.replaceAll('-', '')
  const number = WHOLE_NUMBER.exec(GROUPED_DIGITS.test(key) ? key.replaceAll(',', '') : key)?.[1]
  if (number !== undefined || !HAS_SEPARATORS.test(key)) return number ?? key
  return key.replace(WORD_SEPARATORS, '').replace(DIGIT_SEPARATORS, '-')
}
const UUID_LENGTH = 36

function withoutChecksum(text: string): string {
  const [, id, given] = SALESFORCE_ID.exec(text) ?? []
  const checksum = id?.replace(/.{5}/g, (part) => {
    const bits = [...part].reduce((sum, letter, i) => sum + (/[A-Z]/.test(letter) ? 2 ** i : 0), 0)
    return SALESFORCE_CHECKS[bits] as string
  })
  return id !== undefined && checksum === given ? id : text
}

/** Equal for similar texts. */
export function similarityKey(text: string): string {
  if (PLAIN.test(text)) return plainKey((text.length === 18 ? withoutChecksum(text) : text).toLowerCase())
  const key = spellingKey(text).replace(ESCAPED_QUOTE, '"')
  return plainKey(key.replace(AT_START_OR_END, '') || key)
}

/** How two similar texts differ. */
export function differenceFrom(text: string, other: string): string {
  const by = differenceOf(text, other)
  if (by !== null) return differenceInWords(text, other, by)
  const hasZeros = PLAIN.test(text) && text.replace(/^0+/, '') === other.replace(/^0+/, '')
  return hasZeros ? 'zeros at the start' : 'quotes, separators or characters at the start or end'
}
