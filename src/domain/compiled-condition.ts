import { type Condition, type Leaf, leavesOf } from './condition.ts'
import type { Evidence } from './event.ts'
import { isJsonObject, type Json, type JsonObject, jsonEquals, valueAt } from './json.ts'

/** A leaf made ready for many events: its path is split, its match and its bounds are taken apart, once. */
interface CompiledLeaf {
  leaf: Leaf
  /** Whether the payload of an event of the leaf's type satisfies it: its match and every comparator at once. */
  isSatisfiedBy: (payload: JsonObject) => boolean
}

type Test<Value> = (value: Value) => boolean

const NONE: readonly CompiledLeaf[] = []

/** What a condition asks of events, by their type: an event is held against the leaves of its own type alone. */
export class CompiledCondition {
  readonly #byType: ReadonlyMap<string, readonly CompiledLeaf[]>

  constructor(condition: Condition) {
    this.#byType = Map.groupBy(leavesOf(condition).map(compileLeaf), ({ leaf }) => leaf.event)
  }

  /** The leaves that the event may satisfy. System events satisfy none (§2.2 rule 3). */
  leavesFor(event: Evidence): readonly CompiledLeaf[] {
    return event.system ? NONE : (this.#byType.get(event.type) ?? NONE)
  }
}

const known = new WeakMap<Condition, CompiledCondition>()

/** Once for all claims under the same condition, for as long as one of them is held. */
export function compile(condition: Condition): CompiledCondition {
  let compiled = known.get(condition)
  if (!compiled) {
    compiled = new CompiledCondition(condition)
    known.set(condition, compiled)
  }
  return compiled
}

const VALUE = ['value']

function compileLeaf(leaf: Leaf): CompiledLeaf {
  const tests = [...testsOfMatch(leaf.match), ...testsOfBounds(leaf)]
  const [first, second] = tests
  if (!first) return { leaf, isSatisfiedBy: () => true }
  return { leaf, isSatisfiedBy: second ? (payload) => first(payload) && second(payload) : first }
}

function testsOfMatch(match: Leaf['match']): Test<JsonObject>[] {
  if (match === undefined) return []
  if (typeof match === 'object') return [containing(match)]
  return [(payload) => valueAt(payload, VALUE) === match]
}

/** Whether a value has all of the object's keys, an object under one of them likewise; all else must be equal whole. */
function containing(expected: JsonObject): Test<Json> {
  const parts = Object.keys(expected).map((key) => {
    const value = expected[key] as Json
    const holds: Test<Json> = isJsonObject(value)
      ? containing(value)
      : typeof value === 'object' && value !== null
        ? (actual) => jsonEquals(actual, value)
        : (actual) => actual === value
    return { key, holds }
  })
  return (actual) => {
    if (!isJsonObject(actual)) return false
    for (const { key, holds } of parts) {
      if (!Object.hasOwn(actual, key) || !holds(actual[key] as Json)) return false
    }
    return true
  }
}

function testsOfBounds({ field, gt, gte, lt, lte, eq }: Leaf): Test<JsonObject>[] {
  const holds: Test<number>[] = []
  if (gt !== undefined) holds.push((number) => number > gt)
  if (gte !== undefined) holds.push((number) => number >= gte)
  if (lt !== undefined) holds.push((number) => number < lt)
  if (lte !== undefined) holds.push((number) => number <= lte)
  if (eq !== undefined) holds.push((number) => number === eq)
  if (holds.length === 0) return []

  const path = field === undefined ? VALUE : field.split('.')
  return [
    (payload) => {
      const actual = valueAt(payload, path)
      return typeof actual === 'number' && holds.every((test) => test(actual))
    },
  ]
}
