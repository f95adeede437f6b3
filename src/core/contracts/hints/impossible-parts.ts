import type { Condition, Leaf } from '../condition.ts'
import type { KnownLeaf } from './known-leaves.ts'

/** A part of a condition that no log satisfies, or whose removal would change nothing. */
export interface ImpossiblePart {
  path: string
  because: /** `by` is the path of another required part that excludes it. Null if both parts are below one NOT. */
    | { kind: 'excluded'; by: string | null }
    /** An OR without conditions. */
    | { kind: 'nothing-named' }
    /** A NOT of a condition that is always satisfied. */
    | { kind: 'always-satisfied' }
}

/** A node and the truth value that the condition requires of it. */
interface Demand {
  node: Condition
  path: string
  isWanted: boolean
  /**
   * The path of the innermost part that contains the node and must be satisfied, maybe the node itself. Null if the part
   * can be satisfied in other ways: then it gets no hint.
   */
  part: string | null
}

type LeafDemand = Demand & { node: Leaf }

/**
 * Finds parts that the rest of the condition excludes, and whether the condition can be satisfied at all. Sound but not
 * complete: each result holds for every log.
 *
 * First collects the leaves that must be satisfied, the leaves that must not, and the leaves that these imply. Then tries
 * each alternative of an OR together with them. So it visits each node once, and each leaf takes as many steps as it
 * implies others. It does not find
 * - exclusions by several alternatives together: it finds that AND(OR(A, B), NOT A, NOT B) is impossible, but not that
 *   AND(OR(A, B), OR(NOT A, B), NOT B) is;
 * - leaves that cover all values together (below 5, and at least 5);
 * - other parts that are always satisfied.
 */
export class ImpossibleParts {
  readonly found: ImpossiblePart[] = []
  readonly #leaves: ReadonlyMap<Leaf, KnownLeaf>
  readonly #maxParts: number
  /** The leaves that must be satisfied, with the part that requires it. `#unsatisfied` is the same for leaves that must not be. */
  readonly #satisfied = new Map<Leaf, string | null>()
  readonly #unsatisfied = new Map<Leaf, string | null>()

  /** @param maxParts the maximum number of parts to find */
  constructor(leaves: ReadonlyMap<Leaf, KnownLeaf>, maxParts: number) {
    this.#leaves = leaves
    this.#maxParts = maxParts
  }

  /** False if no log satisfies the condition. True if one may. Yields for each alternative. */
  *look(condition: Condition, path: string): Generator<void, boolean> {
    return yield* this.#isPossible({ node: condition, path, isWanted: true, part: path })
  }

  /** Whether the demand is possible together with all assumptions. Removes its own assumptions afterwards. */
  *#isPossible(demand: Demand): Generator<void, boolean> {
    yield
    const leaves: LeafDemand[] = []
    const choices: Demand[] = []
    split(demand, leaves, choices)
    const [satisfied, unsatisfied] = [this.#satisfied.size, this.#unsatisfied.size]
    let isPossible = true
    for (const leaf of leaves) if (!this.#assume(leaf)) isPossible = false
    // Under contradictory assumptions every alternative would be impossible.
    if (isPossible) {
      for (const choice of choices) if (!(yield* this.#hasAlternative(choice))) isPossible = false
    }
    forgetAllBut(this.#satisfied, satisfied)
    forgetAllBut(this.#unsatisfied, unsatisfied)
    return isPossible
  }

  *#hasAlternative(choice: Demand): Generator<void, boolean> {
    const alternatives = childrenOf(choice)
    let isPossible = false
    for (const alternative of alternatives) {
      const part = choice.isWanted ? alternative.path : null
      if (yield* this.#isPossible({ ...alternative, part })) isPossible = true
    }
    if (isPossible) return true
    if (!choice.isWanted) this.#add(choice.part, { kind: 'always-satisfied' })
    else if (alternatives.length === 0) this.#add(choice.part, { kind: 'nothing-named' })
    return false
  }

  /** Whether the demand on a leaf is possible. If so, adds it to the assumptions. */
  #assume({ node, isWanted, part }: LeafDemand): boolean {
    const { impossible, implied } = this.#leaves.get(node) as KnownLeaf
    if (impossible) return !isWanted
    const excludedBy = isWanted
      ? implied.map((other) => this.#unsatisfied.get(other)).find((by) => by !== undefined)
      : this.#satisfied.get(node)
    if (excludedBy !== undefined) {
      this.#add(part, { kind: 'excluded', by: excludedBy })
      return false
    }
    if (!isWanted) setOnce(this.#unsatisfied, node, part)
    else for (const other of implied) setOnce(this.#satisfied, other, part)
    return true
  }

  #add(part: string | null, because: ImpossiblePart['because']): void {
    if (part === null || this.found.length === this.#maxParts) return
    if (!this.found.some(({ path }) => path === part)) this.found.push({ path: part, because })
  }
}

/** Splits a demand into leaves, all of which are required, and choices, of which one child is required. */
function split(demand: Demand, leaves: LeafDemand[], choices: Demand[]): void {
  const { node, isWanted } = demand
  if (!('op' in node)) {
    leaves.push(demand as LeafDemand)
    return
  }
  const children = childrenOf(demand)
  const needsAll = node.op === 'NOT' || (node.op === 'AND') === isWanted || children.length === 1
  if (needsAll) for (const child of children) split(child, leaves, choices)
  else choices.push(demand)
}

/** The demands on the children. The caller knows whether all or one of them must hold. */
function childrenOf({ node, path, isWanted, part }: Demand): Demand[] {
  if (!('op' in node)) return []
  if (node.op === 'NOT') {
    const below = `${path}.condition`
    return [{ node: node.condition, path: below, isWanted: !isWanted, part: isWanted ? path : below }]
  }
  return node.conditions.map((child, i) => {
    const below = `${path}.conditions[${i}]`
    return { node: child, path: below, isWanted, part: isWanted ? below : part }
  })
}

function setOnce<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  if (!map.has(key)) map.set(key, value)
}

/** Keeps the first `count` entries. Maps keep the order in which keys were added. */
function forgetAllBut<Key>(map: Map<Key, unknown>, count: number): void {
  if (map.size === count) return
  for (const key of [...map.keys()].slice(count)) map.delete(key)
}
