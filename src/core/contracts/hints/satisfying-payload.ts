import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json.ts'
import { RESERVED_FIELDS } from '../../claims/event.ts'
import { hasComparator, satisfyingNumber } from '../comparators.ts'
import { fieldPathOf } from '../compared-values.ts'
import type { Leaf } from '../condition.ts'

/** Fields of a submission that are not part of the payload (§2.2), and fields that it must not have (§4.3). */
export const NEVER_PAYLOAD: readonly string[] = [
  'id',
  'type',
  'claim_id',
  'candidate_alias',
  ...RESERVED_FIELDS,
]

/**
 * The smallest payload that satisfies the leaf, or that counts for its aggregate. If the requirements of the leaf
 * exclude each other, the payload satisfies only some of them.
 * @param value at the leaf's field: a number that satisfies the leaf's bounds
 */
export function satisfyingPayload(leaf: Leaf, value: Json = satisfyingValue(leaf)): JsonObject {
  const matched = matchedPayload(leaf)
  const hasField = hasComparator(leaf) && leaf.aggregate !== 'count'
  return hasField ? withValueAt(matched, fieldPathOf(leaf), value) : matched
}

/** The comparators of an aggregate are not about the value of one event. */
const satisfyingValue = (leaf: Leaf): Json => (leaf.aggregate === undefined ? satisfyingNumber(leaf) : 1)

/** The fields that `match` asks for. */
export const matchedPayload = ({ match }: Leaf): JsonObject =>
  match === undefined ? {} : isJsonObject(match) ? match : { value: match }

/** Keeps a value that `match` has set: an event has one value at a path. */
function withValueAt(object: JsonObject, [key = '', ...rest]: string[], value: Json): JsonObject {
  const present: Json | undefined = Object.hasOwn(object, key) ? object[key] : undefined
  if (rest.length === 0) return { ...object, [key]: present === undefined ? value : present }
  return { ...object, [key]: withValueAt(isJsonObject(present) ? present : {}, rest, value) }
}
