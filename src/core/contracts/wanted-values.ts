import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts'
import { predicateOf } from './comparators.ts'
import { fieldPathOf } from './compared-values.ts'
import type { Leaf } from './condition.ts'
import { Readings } from './readings.ts'

/** The index of a leaf among the leaves of its type. */
export type LeafIndex = number

/** The scalars of an object with more keys are compared as a whole, and only with objects of as many keys. */
const MANY_KEYS = 32

/** A trie over the paths of payloads. A node has the requirements of leaves for the value at its path. */
export class WantedValues {
  // Created on demand: a condition may have thousands of nodes, and most of them require one scalar for one leaf.
  #children: Map<string, WantedValues> | undefined
  #scalar: Json | undefined
  #leaf: LeafIndex | undefined
  #rest: OtherWantedValues | undefined

  /** Adds the requirements of a leaf. Returns their number. */
  add(leaf: Leaf, index: LeafIndex): number {
    return this.#addMatch(leaf.match, index) + this.#addRange(leaf, index)
  }

  /** Counts for each leaf the requirements that the value satisfies. */
  count(value: Json, found: Uint16Array): void {
    if (isJsonObject(value)) this.#countObject(value, found)
    else if (Array.isArray(value)) this.#rest?.countArray(value, found)
    else {
      if (this.#leaf !== undefined && this.#scalar === value) increment(found, this.#leaf)
      this.#rest?.countScalar(value, found)
    }
  }

  /** Iterates over the keys of the payload or of this node, whichever has fewer. */
  #countObject(object: JsonObject, found: Uint16Array): void {
    if (!this.#children && !this.#rest && this.#leaf === undefined) return
    if (object instanceof Readings) {
      for (const value of object.values) this.count(value, found)
      return
    }
    const keys = Object.keys(object)
    this.#rest?.countObject(object, keys.length, found)
    if (!this.#children) return
    if (keys.length < this.#children.size) {
      for (const key of keys) this.#children.get(key)?.count(object[key] as Json, found)
      return
    }
    for (const [key, child] of this.#children) {
      if (Object.hasOwn(object, key)) child.count(object[key] as Json, found)
    }
  }

  #addMatch(match: Leaf['match'], leaf: LeafIndex): number {
    if (match === undefined) return 0
    if (typeof match === 'object') return this.#addKeys(match, leaf)
    return this.#under('value').#addValue(match, leaf)
  }

  /** An object is a requirement for each key. Other values are one requirement. */
  #addKeys(object: JsonObject, leaf: LeafIndex): number {
    const keys = Object.keys(object)
    const isSplitByKey = keys.length <= MANY_KEYS
    let [parts, scalars] = [0, 0]
    for (const key of keys) {
      const value = object[key] as Json
      if (isSplitByKey || !isScalar(value)) parts += this.#under(key).#addValue(value, leaf)
      else scalars++
    }
    if (scalars === 0) return parts
    this.#others.addScalars(object, scalars, leaf)
    return parts + 1
  }

  #addValue(value: Json, leaf: LeafIndex): number {
    if (isJsonObject(value)) {
      this.#others.objects.push(leaf)
      return 1 + this.#addKeys(value, leaf)
    }
    if (isScalar(value) && this.#leaf === undefined) {
      this.#scalar = value
      this.#leaf = leaf
    } else if (Array.isArray(value)) this.#others.addArray(value, leaf)
    else this.#others.addScalar(value, leaf)
    return 1
  }

  /** A leaf with an aggregate has no range: its comparators do not compare a number of one event. */
  #addRange(wanted: Leaf, leaf: LeafIndex): number {
    const holds = wanted.aggregate === undefined ? predicateOf(wanted) : null
    if (!holds) return 0
    let place: WantedValues = this
    for (const key of fieldPathOf(wanted)) place = place.#under(key)
    place.#others.ranges.push({ leaf, holds })
    return 1
  }

  get #others(): OtherWantedValues {
    this.#rest ??= new OtherWantedValues()
    return this.#rest
  }

  #under(key: string): WantedValues {
    this.#children ??= new Map()
    let child = this.#children.get(key)
    if (!child) {
      child = new WantedValues()
      this.#children.set(key, child)
    }
    return child
  }
}

/** Rare requirements of leaves for the value of a node. */
class OtherWantedValues {
  /** Leaves that require any object. */
  readonly objects: LeafIndex[] = []
  /** Leaves that require a number, with their test. */
  readonly ranges: { leaf: LeafIndex; holds: (number: number) => boolean }[] = []
  /** Further scalars. */
  #scalars: Map<Json, LeafIndex[]> | undefined
  /** Leaves that require an array, by its canonical text. */
  #arrays: Map<string, LeafIndex[]> | undefined
  #longestArray = 0
  /** Leaves that require all scalars of an object with many keys, with the number of scalars. */
  #large: { leaf: LeafIndex; object: JsonObject; count: number }[] | undefined

  addScalar(value: Json, leaf: LeafIndex): void {
    this.#scalars ??= new Map()
    addTo(this.#scalars, value, leaf)
  }

  addArray(value: Json[], leaf: LeafIndex): void {
    const text = textOf(value, Infinity) as string
    this.#longestArray = Math.max(this.#longestArray, text.length)
    this.#arrays ??= new Map()
    addTo(this.#arrays, text, leaf)
  }

  /** @param count how many scalars the object has */
  addScalars(object: JsonObject, count: number, leaf: LeafIndex): void {
    this.#large ??= []
    this.#large.push({ leaf, object, count })
  }

  countScalar(value: Json, found: Uint16Array): void {
    incrementAll(found, this.#scalars?.get(value))
    if (typeof value !== 'number') return
    for (const { leaf, holds } of this.ranges) if (holds(value)) increment(found, leaf)
  }

  countArray(value: Json[], found: Uint16Array): void {
    const text = this.#arrays ? textOf(value, this.#longestArray) : null
    if (text !== null) incrementAll(found, this.#arrays?.get(text))
  }

  /** @param keys number of keys of the value; a value with fewer keys than scalars cannot satisfy the leaf */
  countObject(value: JsonObject, keys: number, found: Uint16Array): void {
    incrementAll(found, this.objects)
    for (const { leaf, object, count } of this.#large ?? [])
      if (keys >= count && hasScalarsOf(object, value)) increment(found, leaf)
  }
}

const isScalar = (value: Json): boolean => typeof value !== 'object' || value === null

const isReadAs = (value: Json, scalar: Json): boolean =>
  value === scalar || (value instanceof Readings && value.values.includes(scalar))

function hasScalarsOf(wanted: JsonObject, value: JsonObject): boolean {
  for (const key of Object.keys(wanted)) {
    const scalar = wanted[key] as Json
    if (isScalar(scalar) && !(Object.hasOwn(value, key) && isReadAs(value[key] as Json, scalar))) return false
  }
  return true
}

function addTo<Key>(leaves: Map<Key, LeafIndex[]>, key: Key, leaf: LeafIndex): void {
  const same = leaves.get(key)
  if (same) same.push(leaf)
  else leaves.set(key, [leaf])
}

function increment(found: Uint16Array, leaf: LeafIndex): void {
  found[leaf] = (found[leaf] as number) + 1
}

function incrementAll(found: Uint16Array, leaves: readonly LeafIndex[] = []): void {
  for (const leaf of leaves) increment(found, leaf)
}

/** The canonical text of a value: equal values have equal texts. Null if it has more than `most` characters. */
function textOf(value: Json, most: number): string | null {
  if (Array.isArray(value)) {
    let text = '['
    for (const item of value) {
      const part = textOf(item, most - text.length)
      if (part === null) return null
      text += `${part},`
    }
    return `${text}]`
  }
  if (typeof value === 'string') return value.length > most ? null : JSON.stringify(value)
  if (!isJsonObject(value)) return most < 0 ? null : `${value}`
  const keys = Object.keys(value)
  if (keys.length > most) return null
  let text = '{'
  for (const key of keys.sort()) {
    const part = textOf(value[key] as Json, most - text.length - key.length)
    if (part === null) return null
    text += `${JSON.stringify(key)}:${part},`
  }
  return `${text}}`
}
