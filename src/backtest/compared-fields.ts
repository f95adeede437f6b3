import { hasComparator } from '../core/contracts/comparators.ts'
import { type MatchedValue, matchedValues, numberPathOf } from '../core/contracts/compared-values.ts'
import { type Leaf, leavesOf } from '../core/contracts/condition.ts'
import type { Contract } from '../core/contracts/contract.ts'
import { type JsonType, jsonTypeOf } from '../kernel/json.ts'

/** A field of the payload that leaves compare with values of one type. */
export interface ComparedField {
  event: string
  path: readonly string[]
  type: JsonType
  /** The texts in these comparisons. */
  texts: Set<string>
}

/** The fields that the contracts compare, by event type. Leaves read no other fields. */
export function comparedFields(contracts: readonly Contract[]): Map<string, ComparedField[]> {
  const found = new Map<string, ComparedField>()
  for (const contract of contracts) {
    for (const leaf of leavesOf(contract.fulfillment_condition)) {
      for (const { path, value } of comparisonsOf(leaf)) {
        const type = jsonTypeOf(value)
        const key = JSON.stringify([leaf.event, type, path])
        const field = found.get(key) ?? { event: leaf.event, path, type, texts: new Set() }
        found.set(key, field)
        if (typeof value === 'string') field.texts.add(value)
      }
    }
  }
  return Map.groupBy(found.values(), ({ event }) => event)
}

/** Comparators compare numbers; which number does not matter here. */
function comparisonsOf(leaf: Leaf): MatchedValue[] {
  const matched = matchedValues(leaf)
  return hasComparator(leaf) ? [...matched, { path: numberPathOf(leaf), value: 0 }] : matched
}
