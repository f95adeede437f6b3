import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { testOf } from './comparators.ts'
import type { Leaf } from './condition.ts'

/** A leaf by its place among the leaves of its type. */
export type LeafIndex = number

/** What leaves want of a value in the payload: that at some path of keys, from the payload itself on. */
export class WantedValues {
  // Made where they are needed: a condition may have hundreds of these, and most of them want one thing.
  #children: Map<string, WantedValues> | undefined
  /** The null, boolean, number or string that is wanted, and by whom: mostly there is one, and a Map takes long to make. */
  #scalar: { value: Json; leaves: LeafIndex[] } | undefined
  /** By any other. */
  #scalars: Map<Json, LeafIndex[]> | undefined
  /** By the text of the array that they want. */
  #arrays: Map<string, LeafIndex[]> | undefined
  #longestArray = 0
  /** Those that want any object. */
  #objects: LeafIndex[] | undefined
  #ranges: { leaf: LeafIndex; holds: (number: number) => boolean }[] | undefined

  /** Adds what the leaf wants of the payload. Returns in how many parts. */
  add(leaf: Leaf, index: LeafIndex): number {
    return this.#addMatch(leaf.match, index) + this.#addRange(leaf, index)
  }

  /** Counts for each leaf how many of its parts the value has. */
  count(value: Json, found: Uint16Array): void {
    if (isJsonObject(value)) {
      increment(found, this.#objects)
      this.#countUnder(value, found)
    } else if (Array.isArray(value)) {
      const text = this.#arrays ? textOf(value, this.#longestArray) : null
      if (text !== null) increment(found, this.#arrays?.get(text))
    } else if (this.#scalar?.value === value) increment(found, this.#scalar.leaves)
    else increment(found, this.#scalars?.get(value))
    if (typeof value !== 'number' || !this.#ranges) return
    for (const { leaf, holds } of this.#ranges) if (holds(value)) increment(found, [leaf])
  }

  /** By the keys of whichever has fewer. */
  #countUnder(object: JsonObject, found: Uint16Array): void {
    if (!this.#children) return
    const keys = Object.keys(object)
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

  /** An object is wanted key by key, all else whole. */
  #addKeys(object: JsonObject, leaf: LeafIndex): number {
    let parts = 0
    for (const key of Object.keys(object)) parts += this.#under(key).#addValue(object[key] as Json, leaf)
    return parts
  }

  #addValue(value: Json, leaf: LeafIndex): number {
    if (isJsonObject(value)) {
      this.#objects ??= []
      this.#objects.push(leaf)
      return 1 + this.#addKeys(value, leaf)
    }
    if (Array.isArray(value)) {
      const text = textOf(value, Infinity) as string
      this.#longestArray = Math.max(this.#longestArray, text.length)
      this.#arrays ??= new Map()
      addTo(this.#arrays, text, leaf)
    } else this.#addScalar(value, leaf)
    return 1
  }

  #addScalar(value: Json, leaf: LeafIndex): void {
    this.#scalar ??= { value, leaves: [] }
    if (this.#scalar.value === value) this.#scalar.leaves.push(leaf)
    else {
      this.#scalars ??= new Map()
      addTo(this.#scalars, value, leaf)
    }
  }

  #addRange(wanted: Leaf, leaf: LeafIndex): number {
    const { field = 'value' } = wanted
    const holds = testOf(wanted)
    if (!holds) return 0
    let place: WantedValues = this
    for (const key of field.split('.')) place = place.#under(key)
    place.#ranges ??= []
    place.#ranges.push({ leaf, holds })
    return 1
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

function addTo<Key>(leaves: Map<Key, LeafIndex[]>, key: Key, leaf: LeafIndex): void {
  const same = leaves.get(key)
  if (same) same.push(leaf)
  else leaves.set(key, [leaf])
}

function increment(found: Uint16Array, leaves: readonly LeafIndex[] = []): void {
  for (const leaf of leaves) found[leaf] = (found[leaf] as number) + 1
}

/** One text for all equal values, whatever the order of their keys; null if it would have more than `most` characters. */
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
