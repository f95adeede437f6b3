import { type JsonObject, parsed } from '../../kernel/json.ts'
import type { Evidence } from '../claims/event.ts'
import { type Condition, type Leaf, leavesOf } from './condition.ts'
import { WantedValues } from './wanted-values.ts'

const NONE: readonly Leaf[] = []
const NO_COUNTS = new Uint16Array()

/**
 * A condition compiled for the evaluation of many events. It does not evaluate leaves one by one: a single walk over an
 * event's payload, along the keys that leaves of its type name, finds all leaves that the event satisfies. The leaves of a
 * type are compiled at its first event, which takes milliseconds if they are large.
 */
export class CompiledCondition {
  /** From left to right. */
  readonly leaves: readonly Leaf[]
  readonly #byType: Map<string, LeavesOfType>

  constructor(condition: Condition) {
    this.leaves = leavesOf(condition)
    const byType = Map.groupBy(this.leaves, (leaf) => leaf.event)
    this.#byType = new Map(byType.entries().map(([type, leaves]) => [type, new LeavesOfType(leaves)]))
  }

  /** The leaves that the event satisfies. System events satisfy none (§2.2 rule 3). Parses the payload only if needed. */
  leavesSatisfiedBy(event: Evidence): readonly Leaf[] {
    return event.system ? NONE : (this.#byType.get(event.type)?.satisfiedBy(parsed(event.payload)) ?? NONE)
  }
}

const compiledConditions = new WeakMap<Condition, CompiledCondition>()

/**
 * Compiles a condition object once, and caches the result as long as the object exists. Limits on the memory of contracts
 * include the compiled conditions.
 */
export function compile(condition: Condition): CompiledCondition {
  let compiled = compiledConditions.get(condition)
  if (!compiled) {
    compiled = new CompiledCondition(condition)
    compiledConditions.set(condition, compiled)
  }
  return compiled
}

/** The leaves of a condition, from left to right. Cached, for conditions that are used often. */
export const leavesInOrder = (condition: Condition): readonly Leaf[] => compile(condition).leaves

class LeavesOfType {
  readonly #leaves: readonly Leaf[]
  #wanted: WantedValues | undefined
  /** The number of requirements of each leaf. Any event of the type satisfies a leaf without requirements. */
  #required: readonly number[] = []
  /** The number of requirements of each leaf that the current payload satisfies. Reused for each event. */
  #satisfied = NO_COUNTS

  constructor(leaves: readonly Leaf[]) {
    this.#leaves = leaves
  }

  satisfiedBy(payload: JsonObject): readonly Leaf[] {
    this.#wanted ??= this.#compile()
    this.#satisfied.fill(0)
    this.#wanted.count(payload, this.#satisfied)
    return this.#leaves.filter((_, i) => this.#satisfied[i] === this.#required[i])
  }

  #compile(): WantedValues {
    const wanted = new WantedValues()
    this.#required = this.#leaves.map((leaf, i) => wanted.add(leaf, i))
    this.#satisfied = new Uint16Array(this.#leaves.length)
    return wanted
  }
}
