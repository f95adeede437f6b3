import { type Aggregate, aggregated, compareDecimals, type Decimal, decimalOf } from './aggregate.ts'
import { canonical, type Json, type JsonObject } from './json.ts'

/** §2.2 and §2.1a, in the form of the API. */
export type Condition =
  | Leaf
  | { op: 'AND' | 'OR'; conditions: Condition[] }
  | { op: 'NOT'; condition: Condition }

export interface Leaf {
  event: string
  match?: Json
  field?: string
  aggregate?: Aggregate
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
 * §2.2 over a whole log, literally: each leaf checks each event every time. Slow, and therefore independent of the
 * implementation that it checks.
 */
export function isSatisfied(condition: Condition, log: readonly Evidence[]): boolean {
  if ('event' in condition) {
    const { aggregate } = condition
    if (aggregate !== undefined) return meetsBounds(condition, aggregateOver(condition, aggregate, log))
    return log.some((event) => !event.system && meets(condition, event))
  }
  if (condition.op === 'NOT') return !isSatisfied(condition.condition, log)
  let satisfied = 0
  for (const child of condition.conditions) satisfied += isSatisfied(child, log) ? 1 : 0
  return condition.op === 'AND' ? satisfied === condition.conditions.length : satisfied > 0
}

function meets(leaf: Leaf, event: Evidence): boolean {
  if (!concerns(leaf, event)) return false
  if (!COMPARATORS.some((name) => leaf[name] !== undefined)) return true
  const number = valueAt(event.payload, leaf.field ?? 'value')
  return typeof number === 'number' && meetsBounds(leaf, decimalOf(number))
}

/** Whether the leaf names the event's type, and the payload matches. */
export const concerns = ({ event, match }: Leaf, { type, payload }: Evidence): boolean =>
  type === event && (match === undefined || matches(match, payload))

const COMPARATORS = ['gt', 'gte', 'lt', 'lte', 'eq'] as const

function aggregateOver(leaf: Leaf, aggregate: Aggregate, log: readonly Evidence[]): Decimal {
  const events = log.filter((event) => !event.system && concerns(leaf, event))
  return aggregated(
    aggregate,
    events.map(({ payload }) => valueAt(payload, leaf.field ?? 'value')),
  )
}

function matches(newClaim: Json, payload: JsonObject): boolean {
  const isObject = typeof newClaim === 'object' && newClaim !== null && !Array.isArray(newClaim)
  return isObject ? has(payload, newClaim) : has(payload, { value: newClaim })
}

/** An object matches if it has the wanted keys. Other values must be equal. */
function has(value: Json | undefined, newClaim: Json): boolean {
  if (typeof newClaim !== 'object' || newClaim === null || Array.isArray(newClaim)) {
    return value !== undefined && canonical(value) === canonical(newClaim)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.entries(newClaim).every(([key, part]) => Object.hasOwn(value, key) && has(value[key], part))
}

export function valueAt(payload: JsonObject, field: string): Json | undefined {
  let value: Json | undefined = payload
  for (const key of field.split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    value = Object.hasOwn(value, key) ? value[key] : undefined
  }
  return value
}

function meetsBounds(leaf: Leaf, value: Decimal): boolean {
  return COMPARATORS.every((name) => {
    const bound = leaf[name]
    return bound === undefined || compares(name, compareDecimals(value, decimalOf(bound)))
  })
}

function compares(name: (typeof COMPARATORS)[number], order: number): boolean {
  if (name === 'gt') return order > 0
  if (name === 'gte') return order >= 0
  if (name === 'lt') return order < 0
  if (name === 'lte') return order <= 0
  return order === 0
}
