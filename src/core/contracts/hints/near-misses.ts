import { isJsonObject, type Json, type JsonObject, jsonTypeOf, valueAt } from '../../../kernel/json.ts'
import { MAX_COMPARED_KEYS, MAX_SEARCHED_KEYS, MAX_SHOWN_CHARACTERS } from '../../limits.ts'
import { boundsInWords, predicateOf } from '../comparators.ts'
import { fieldPathOf, type MatchedValue, matchedValues } from '../compared-values.ts'
import type { Leaf } from '../condition.ts'
import { differenceInWords, differenceOf, quoted } from './spelling.ts'

/** Whether a value satisfies a part of a leaf; `near` if only its type or spelling differs. */
type Verdict = { kind: 'met' } | { kind: 'missed' } | { kind: 'near'; has: string; wanted: string }

interface Part {
  path: readonly string[]
  judge: (value: Json | undefined) => Verdict
}

const MET: Verdict = { kind: 'met' }
const MISSED: Verdict = { kind: 'missed' }

/**
 * Finds events that do not satisfy a leaf only because of the type or the spelling of a value or key: the text "5" where the
 * leaf compares a number, or invisible characters.
 */
export class NearMisses {
  readonly #parts: readonly Part[]
  /** Values and keys compared so far. */
  compared = 0

  constructor(leaf: Leaf) {
    this.#parts = [...matchedValues(leaf).map(partOf), ...partsOfRange(leaf)]
  }

  /** What the payload has instead of what the leaf requires; null if it satisfies the leaf, or misses it for another reason. */
  whyMissed(payload: JsonObject): string | null {
    let why: string | null = null
    let keysLeft = MAX_SEARCHED_KEYS
    for (const { path, judge } of this.#parts) {
      this.compared++
      const value = valueAt(payload, path)
      const similar = value === undefined && keysLeft-- > 0 ? this.#atSimilarKey(payload, path) : null
      const verdict = judge(similar ? similar.value : value)
      if (verdict.kind === 'missed') return null
      if (similar) why ??= similar.why
      else if (verdict.kind === 'near')
        why ??= `${verdict.has} at ${quoted(path.join('.'))}, where ${verdict.wanted}`
    }
    return why
  }

  /** For a path with a missing key: the value at a key with a similar spelling. */
  #atSimilarKey(
    payload: JsonObject,
    path: readonly string[],
  ): { value: Json | undefined; why: string } | null {
    const dotted = path.join('.')
    if (path.length > 1 && Object.hasOwn(payload, dotted))
      return {
        value: payload[dotted],
        why: `the key ${quoted(dotted)}, but a dot in a path separates keys of nested objects`,
      }
    const depth = path.findIndex((_, i) => valueAt(payload, path.slice(0, i + 1)) === undefined)
    const [key = '', ...rest] = path.slice(depth)
    const object = valueAt(payload, path.slice(0, depth))
    if (!isJsonObject(object)) return null
    const keys = Object.keys(object).slice(0, MAX_COMPARED_KEYS)
    this.compared += keys.length
    for (const other of keys) {
      const by = differenceOf(other, key)
      if (by === null) continue
      const why = `the key ${quoted(other)} in place of ${quoted(key)}, and they differ only by ${differenceInWords(other, key, by)}`
      return { value: valueAt(object, [other, ...rest]), why }
    }
    return null
  }
}

const partOf = ({ path, value: wanted }: MatchedValue): Part => ({
  path,
  judge: (value) => judgeEqual(value, wanted),
})

/** Null and missing fields are intentional: `match` distinguishes events by them. */
function judgeEqual(value: Json | undefined, wanted: Json): Verdict {
  if (value === undefined) return MISSED
  if (value === wanted) return MET
  if (value === null || wanted === null) return MISSED
  const [type, wantedType] = [jsonTypeOf(value), jsonTypeOf(wanted)]
  if (type !== wantedType) return near(value, `${inWords(wanted)} is expected`)
  if (typeof value === 'string') return judgeTexts(value, wanted as string)
  if (Array.isArray(value)) return judgeLists(value, wanted as Json[])
  return type === 'object' ? MET : MISSED
}

function judgeTexts(value: string, wanted: string): Verdict {
  const by = differenceOf(value, wanted)
  if (by === null) return MISSED
  return near(
    value,
    `${inWords(wanted)} is expected, and they differ only by ${differenceInWords(value, wanted, by)}`,
  )
}

function judgeLists(value: readonly Json[], wanted: readonly Json[]): Verdict {
  if (value.length !== wanted.length) return MISSED
  const verdicts = value.map((item, i) => judgeItem(item, wanted[i] as Json))
  return verdicts.find(({ kind }) => kind === 'missed') ?? verdicts.find(({ kind }) => kind === 'near') ?? MET
}

/** Objects and arrays within arrays are not searched for near misses. */
const judgeItem = (item: Json, wanted: Json): Verdict =>
  isJsonObject(item) || Array.isArray(item) ? MISSED : judgeEqual(item, wanted)

function partsOfRange(leaf: Leaf): Part[] {
  const holds = predicateOf(leaf)
  if (!holds || leaf.aggregate === 'count') return []
  const path = fieldPathOf(leaf)
  if (leaf.aggregate !== undefined) return [{ path, judge: judgeContribution(leaf.aggregate) }]
  const judge = (value: Json | undefined): Verdict => {
    if (typeof value === 'number') return holds(value) ? MET : MISSED
    return near(value, `a number of ${boundsInWords(leaf)} is expected`)
  }
  return [{ path, judge }]
}

/** Whether an event has a value that a `sum` adds or a `distinct` counts. */
const judgeContribution =
  (aggregate: 'sum' | 'distinct') =>
  (value: Json | undefined): Verdict => {
    if (typeof value === 'number') return MET
    if (aggregate === 'sum') return near(value, 'a number is expected')
    return typeof value === 'string' || typeof value === 'boolean'
      ? MET
      : near(value, 'a text, a number or a boolean is expected')
  }

const near = (value: Json | undefined, wanted: string): Verdict => ({
  kind: 'near',
  has: value === undefined ? 'nothing' : inWords(value),
  wanted,
})

function inWords(value: Json): string {
  if (typeof value === 'string') {
    const shown = [...value.slice(0, 2 * MAX_SHOWN_CHARACTERS)].slice(0, MAX_SHOWN_CHARACTERS).join('')
    return `the text ${quoted(shown)}${shown === value ? '' : '…'}`
  }
  if (typeof value === 'object')
    return value === null ? 'null' : Array.isArray(value) ? 'an array' : 'an object'
  return `the ${typeof value} ${value}`
}
