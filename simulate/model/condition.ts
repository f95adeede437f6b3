import { type Aggregate, aggregateValues, compareDecimals, type Decimal, decimalOf } from './aggregate.ts'
import { canonical, type Json, type JsonObject } from './json.ts'

/** A condition as the API represents it (§2.2, §2.1a). */
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

export interface LoggedEvent {
  type: string
  payload: JsonObject
  system: boolean
}

/**
 * §2.2 over a whole log, literally: each leaf checks each event every time. The service evaluates incrementally; the model does not,
 * so that both cannot have the same error.
 */
export function isSatisfied(condition: Condition, log: readonly LoggedEvent[]): boolean {
  if ('event' in condition) {
    const { aggregate } = condition
    if (aggregate !== undefined) return meetsBounds(condition, aggregateOver(condition, aggregate, log))
    return log.some((event) => !event.system && isLeafSatisfiedBy(condition, event))
  }
  if (condition.op === 'NOT') return !isSatisfied(condition.condition, log)
  let satisfied = 0
  for (const child of condition.conditions) satisfied += isSatisfied(child, log) ? 1 : 0
  return condition.op === 'AND' ? satisfied === condition.conditions.length : satisfied > 0
}

function isLeafSatisfiedBy(leaf: Leaf, event: LoggedEvent): boolean {
  if (!isMatchedBy(leaf, event)) return false
  if (!COMPARATORS.some((name) => leaf[name] !== undefined)) return true
  const number = valueAt(event.payload, leaf.field ?? 'value')
  return typeof number === 'number' && meetsBounds(leaf, decimalOf(number))
}

/** Whether the event has the type that the leaf names, and its payload matches. Ignores comparators. */
export const isMatchedBy = ({ event, match }: Leaf, { type, payload }: LoggedEvent): boolean =>
  type === event && (match === undefined || matches(match, payload))

const COMPARATORS = ['gt', 'gte', 'lt', 'lte', 'eq'] as const

function aggregateOver(leaf: Leaf, aggregate: Aggregate, log: readonly LoggedEvent[]): Decimal {
  const events = log.filter((event) => !event.system && isMatchedBy(leaf, event))
  return aggregateValues(
    aggregate,
    events.map(({ payload }) => valueAt(payload, leaf.field ?? 'value')),
  )
}

function matches(wanted: Json, payload: JsonObject): boolean {
  const isObject = typeof wanted === 'object' && wanted !== null && !Array.isArray(wanted)
  return isObject ? contains(payload, wanted) : contains(payload, { value: wanted })
}

/** Whether the value contains the wanted value. An object must contain each wanted key and value. Other values must be equal. */
function contains(value: Json | undefined, wanted: Json): boolean {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) {
    return value !== undefined && canonical(value) === canonical(wanted)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.entries(wanted).every(
    ([key, part]) => Object.hasOwn(value, key) && contains(value[key], part),
  )
}

/** The value at a path of keys that dots separate. Undefined if the payload does not have the path. */
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
    return bound === undefined || acceptsOrder(name, compareDecimals(value, decimalOf(bound)))
  })
}

/** @param order negative, 0 or positive: the value is less than the bound, equal or greater */
function acceptsOrder(name: (typeof COMPARATORS)[number], order: number): boolean {
  if (name === 'gt') return order > 0
  if (name === 'gte') return order >= 0
  if (name === 'lt') return order < 0
  if (name === 'lte') return order <= 0
  return order === 0
}
