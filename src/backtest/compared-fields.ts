import { COMPARATORS, hasComparator } from '../core/contracts/comparators.ts'
import { fieldPathOf, matchedValues } from '../core/contracts/compared-values.ts'
import { type Leaf, leavesOf } from '../core/contracts/condition.ts'
import { type Contract, conditionsOf } from '../core/contracts/contract.ts'
import { type Json, type JsonType, jsonTypeOf } from '../kernel/json.ts'

/** As which type a leaf reads a value. A `distinct` reads texts, numbers, and true or false: a scalar. */
export type ComparedType = JsonType | 'scalar'

/** A field of the payload that leaves compare with values of one type. */
export interface ComparedField {
  event: string
  path: readonly string[]
  type: ComparedType
  /** The texts in these comparisons. */
  texts: Set<string>
  /** The numbers in these comparisons, without bounds of aggregates. */
  numbers: Set<number>
  /** Whether a leaf adds the values up. */
  isSummed: boolean
}

/** The fields that the contracts compare, by event type. Leaves read no other fields. */
export function comparedFields(contracts: readonly Contract[]): Map<string, ComparedField[]> {
  const found = new Map<string, ComparedField>()
  for (const contract of contracts) {
    for (const leaf of conditionsOf(contract).flatMap(leavesOf)) {
      for (const { path, type, values, isSummed = false } of comparisonsOf(leaf)) {
        const key = JSON.stringify([leaf.event, type, path])
        const field = found.get(key) ?? newField(leaf.event, path, type)
        found.set(key, field)
        field.isSummed ||= isSummed
        for (const value of values)
          if (typeof value === 'string') field.texts.add(value)
          else if (typeof value === 'number') field.numbers.add(value)
      }
    }
  }
  return Map.groupBy(found.values(), ({ event }) => event)
}

const newField = (event: string, path: readonly string[], type: ComparedType): ComparedField => ({
  event,
  path,
  type,
  texts: new Set(),
  numbers: new Set(),
  isSummed: false,
})

interface Comparison {
  path: readonly string[]
  type: ComparedType
  /** Of a `match` or of comparators. */
  values: readonly (Json | undefined)[]
  isSummed?: boolean
}

function comparisonsOf(leaf: Leaf): Comparison[] {
  const matched = matchedValues(leaf).map(({ path, value }) => ({
    path,
    type: jsonTypeOf(value),
    values: [value],
  }))
  const type = comparatorType(leaf)
  if (type === null) return matched
  const values = leaf.aggregate === undefined ? COMPARATORS.map((name) => leaf[name]) : []
  return [...matched, { path: fieldPathOf(leaf), type, values, isSummed: leaf.aggregate === 'sum' }]
}

/** What the comparators read at the leaf's field; null for nothing. A `count` reads no field. */
function comparatorType(leaf: Leaf): ComparedType | null {
  if (!hasComparator(leaf) || leaf.aggregate === 'count') return null
  return leaf.aggregate === 'distinct' ? 'scalar' : 'number'
}
