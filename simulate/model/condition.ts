import { canonical, type Json, type JsonObject } from './json.ts'

/** §2.2, as it is sent. */
export type Condition =
  | Leaf
  | { op: 'AND' | 'OR'; conditions: Condition[] }
  | { op: 'NOT'; condition: Condition }

export interface Leaf {
  event: string
  match?: Json
  field?: string
  gt?: number
  gte?: number
  lt?: number
  lte?: number
  eq?: number
}

export interface Evidence {
  type: string
  payload: JsonObject
  system: boolean
}

/**
 * §2.2 over a whole log, by the letter of the specification: each leaf looks at each event, every time. Slow, and for
 * that reason unlike what it is the measure of.
 */
export function isSatisfied(condition: Condition, log: readonly Evidence[]): boolean {
  if ('event' in condition) return log.some((event) => !event.system && meets(condition, event))
  if (condition.op === 'NOT') return !isSatisfied(condition.condition, log)
  let satisfied = 0
  for (const child of condition.conditions) satisfied += isSatisfied(child, log) ? 1 : 0
  return condition.op === 'AND' ? satisfied === condition.conditions.length : satisfied > 0
}

function meets(leaf: Leaf, { type, payload }: Evidence): boolean {
  if (type !== leaf.event) return false
  if (leaf.match !== undefined && !matches(leaf.match, payload)) return false
  const bounds = (['gt', 'gte', 'lt', 'lte', 'eq'] as const).filter((name) => leaf[name] !== undefined)
  if (bounds.length === 0) return true
  const number = numberAt(payload, leaf.field ?? 'value')
  return number !== null && bounds.every((name) => compares(name, number, leaf[name] as number))
}

function matches(wanted: Json, payload: JsonObject): boolean {
  const isObject = typeof wanted === 'object' && wanted !== null && !Array.isArray(wanted)
  return isObject ? has(payload, wanted) : has(payload, { value: wanted })
}

/** An object has an object that asks for some of its keys; anything else has to be equal. */
function has(value: Json | undefined, wanted: Json): boolean {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) {
    return value !== undefined && canonical(value) === canonical(wanted)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.entries(wanted).every(([key, part]) => Object.hasOwn(value, key) && has(value[key], part))
}

function numberAt(payload: JsonObject, field: string): number | null {
  let value: Json | undefined = payload
  for (const key of field.split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
    value = Object.hasOwn(value, key) ? value[key] : undefined
  }
  return typeof value === 'number' ? value : null
}

function compares(name: 'gt' | 'gte' | 'lt' | 'lte' | 'eq', number: number, bound: number): boolean {
  if (name === 'gt') return number > bound
  if (name === 'gte') return number >= bound
  if (name === 'lt') return number < bound
  if (name === 'lte') return number <= bound
  return number === bound
}
