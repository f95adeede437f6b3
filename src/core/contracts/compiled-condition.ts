import { type JsonObject, parsed } from '../../kernel/json.ts'
import type { Evidence } from '../claims/event.ts'
import { type Condition, type Leaf, leavesOf } from './condition.ts'
import { WantedValues } from './wanted-values.ts'

const NONE: readonly Leaf[] = []
const NO_PARTS = new Uint16Array()

/**
 * What a condition asks of events, made ready for many of them. Leaves are not asked one by one: one walk over an
 * event's payload, along the keys that leaves of its type name, tells which of them it satisfies. A type is made ready
 * with its first event: that takes milliseconds if leaves are large.
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

  /**
   * The leaves that the event satisfies by itself. System events satisfy none (§2.2 rule 3). A payload may be made when
   * it is asked for.
   */
  leavesSatisfiedBy(event: Evidence): readonly Leaf[] {
    return event.system ? NONE : (this.#byType.get(event.type)?.satisfiedBy(parsed(event.payload)) ?? NONE)
  }
}

const known = new WeakMap<Condition, CompiledCondition>()

/**
 * Once for all claims under the same condition, as long as that is held: who bounds the memory of contracts counts what is
 * made of their conditions too.
 */
export function compile(condition: Condition): CompiledCondition {
  let compiled = known.get(condition)
  if (!compiled) {
    compiled = new CompiledCondition(condition)
    known.set(condition, compiled)
  }
  return compiled
}

/** The leaves of a condition that is used again and again, from left to right. */
export const leavesInOrder = (condition: Condition): readonly Leaf[] => compile(condition).leaves

class LeavesOfType {
  readonly #leaves: readonly Leaf[]
  #wanted: WantedValues | undefined
  /** In how many parts each leaf wants something of the payload; with none, any event of the type satisfies it. */
  #parts: readonly number[] = []
  /** How many of them the payload at hand has. */
  #found = NO_PARTS

  constructor(leaves: readonly Leaf[]) {
    this.#leaves = leaves
  }

  satisfiedBy(payload: JsonObject): readonly Leaf[] {
    this.#wanted ??= this.#makeReady()
    this.#found.fill(0)
    this.#wanted.count(payload, this.#found)
    return this.#leaves.filter((_, i) => this.#found[i] === this.#parts[i])
  }

  #makeReady(): WantedValues {
    const wanted = new WantedValues()
    this.#parts = this.#leaves.map((leaf, i) => wanted.add(leaf, i))
    this.#found = new Uint16Array(this.#leaves.length)
    return wanted
  }
}
