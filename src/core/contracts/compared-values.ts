import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts'
import type { Leaf } from './condition.ts'

/** A value that `match` requires at a path of the payload. */
export interface MatchedValue {
  path: readonly string[]
  value: Json
}

/** The values that `match` requires. Objects are compared key by key; `{}` is matched by any object. */
export function matchedValues({ match }: Leaf): MatchedValue[] {
  if (match === undefined) return []
  return isJsonObject(match) ? valuesIn(match, []) : [{ path: ['value'], value: match }]
}

const valuesIn = (object: JsonObject, path: readonly string[]): MatchedValue[] =>
  Object.entries(object).flatMap(([key, value]) => {
    const valuePath = [...path, key]
    const hasKeys = isJsonObject(value) && Object.keys(value).length > 0
    return hasKeys ? valuesIn(value, valuePath) : [{ path: valuePath, value }]
  })

/** The path of the leaf's field in a payload: the value that is compared, summed or counted. */
export const fieldPathOf = ({ field = 'value' }: Leaf): string[] => field.split('.')
