import { hasComparator } from '../contract/comparators.ts'
import { type Leaf, leavesOf } from '../contract/condition.ts'
import type { Contract } from '../contract/contract.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'

/** The types of JSON, by the names that people know them by. */
export type ValueType = 'text' | 'number' | 'boolean' | 'null' | 'array' | 'object'

/** A field of the payload that leaves compare with values of one type. */
export interface ComparedField {
  event: string
  path: readonly string[]
  type: ValueType
  /** The texts that leaves compare it with. */
  texts: Set<string>
}

export function typeOf(value: Json): ValueType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'string' ? 'text' : (typeof value as 'number' | 'boolean' | 'object')
}

/** The fields that the contracts compare, by event type. Leaves read no other fields. */
export function comparedFields(contracts: readonly Contract[]): Map<string, ComparedField[]> {
  const found = new Map<string, ComparedField>()
  for (const contract of contracts) {
    for (const leaf of leavesOf(contract.fulfillment_condition)) {
      for (const { path, value } of comparisonsOf(leaf)) {
        const type = typeOf(value)
        const key = JSON.stringify([leaf.event, type, path])
        const field = found.get(key) ?? { event: leaf.event, path, type, texts: new Set() }
        found.set(key, field)
        if (typeof value === 'string') field.texts.add(value)
      }
    }
  }
  return Map.groupBy(found.values(), ({ event }) => event)
}

interface Comparison {
  path: string[]
  value: Json
}

function comparisonsOf(leaf: Leaf): Comparison[] {
  const { match, field = 'value' } = leaf
  const range = hasComparator(leaf) ? [{ path: field.split('.'), value: 0 }] : []
  if (match === undefined) return range
  return [...(isJsonObject(match) ? under([], match) : [{ path: ['value'], value: match }]), ...range]
}

/** Objects are compared key by key. Any object matches an empty one. */
function under(path: string[], object: JsonObject): Comparison[] {
  return Object.entries(object).flatMap(([key, value]) => {
    const place = [...path, key]
    const isTaken = isJsonObject(value) && Object.keys(value).length > 0
    return isTaken ? under(place, value) : [{ path: place, value }]
  })
}
