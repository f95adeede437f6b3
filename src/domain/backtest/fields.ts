import { hasComparator } from '../contract/comparators.ts'
import { type Leaf, leavesOf } from '../contract/condition.ts'
import type { Contract } from '../contract/contract.ts'
import { isJsonObject } from '../json.ts'

/** The top-level fields of a payload that can change the contract's outcome: no leaf looks at another. */
export function decisiveFields(contract: Contract): Set<string> {
  return new Set(leavesOf(contract.fulfillment_condition).flatMap(fieldsOf))
}

function fieldsOf(leaf: Leaf): string[] {
  const fields: string[] = []
  if (isJsonObject(leaf.match)) fields.push(...Object.keys(leaf.match))
  else if (leaf.match !== undefined) fields.push('value')
  if (hasComparator(leaf)) fields.push((leaf.field ?? 'value').split('.')[0] as string)
  return fields
}
