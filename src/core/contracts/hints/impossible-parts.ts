import type { Condition, Leaf } from '../condition.ts'
import type { KnownLeaf } from './known-leaves.ts'

/** A part of a condition that could as well be left out as never satisfied, whatever the log. */
export interface ImpossiblePart {
  path: string
  because: /** By which part that is needed beside it; null if there is no such part, but a NOT around both. */
    | { kind: 'excluded'; by: string | null }
    /** An OR of nothing. */
    | { kind: 'nothing-named' }
    /** A NOT of what cannot fail. */
    | { kind: 'always-satisfied' }
}

/** A node with what it must be for the condition to be satisfied by way of it. */
interface Demand {
  node: Condition
  path: string
  isWanted: boolean
  /**
   * Of the innermost part around it, or itself, that must be satisfied. Null if that can be reached in other ways: then
   * nothing is wrong with the part.
   */
  part: string | null
}

type LeafDemand = Demand & { node: Leaf }

/**
 * Looks for parts that the rest of the condition excludes, and whether the condition can be satisfied at all. Only what
 * is certain: whatever is found is so for every log.
 *
 * What must be so together is taken together: of these leaves that must be satisfied, and those that must not, and of what
 * the former imply. Then each alternative is tried beside it. So it takes each node once, and about as many steps for each
 * leaf as it implies others. Not looked for is what needs more than that: what several alternatives exclude only together
 * (of AND(OR(A, B), NOT A, NOT B) it is seen that neither is left; of AND(OR(A, B), OR(NOT A, B), NOT B) it is not), leaves that
 * leave nothing over only together (below 5, and 5 and more), and what could be left out since it is always satisfied.
 */
export class ImpossibleParts {
  readonly found: ImpossiblePart[] = []
  readonly #leaves: ReadonlyMap<Leaf, KnownLeaf>
  readonly #most: number
  /** With the part by which they are so. */
  readonly #satisfied = new Map<Leaf, string | null>()
  readonly #unsatisfied = new Map<Leaf, string | null>()

  /** @param most parts that are found at most */
  constructor(leaves: ReadonlyMap<Leaf, KnownLeaf>, most: number) {
    this.#leaves = leaves
    this.#most = most
  }

  /** Whether a log could satisfy the condition; false only if none does. A step for each alternative. */
  *look(condition: Condition, path: string): Generator<void, boolean> {
    return yield* this.#isPossible({ node: condition, path, isWanted: true, part: path })
  }

  /** Whether it can be as demanded beside all that is known. */
  *#isPossible(demand: Demand): Generator<void, boolean> {
    yield
    const leaves: LeafDemand[] = []
    const choices: Demand[] = []
    takeApart(demand, leaves, choices)
    const [satisfied, unsatisfied] = [this.#satisfied.size, this.#unsatisfied.size]
    let isPossible = true
    for (const leaf of leaves) if (!this.#assume(leaf)) isPossible = false
    // Beside what contradicts itself everything would be impossible.
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

  /** Whether the leaf can be as demanded; if so, it is known from here on. */
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
    if (part === null || this.found.length === this.#most) return
    if (!this.found.some(({ path }) => path === part)) this.found.push({ path: part, because })
  }
}

/** Into leaves that must all be as they are demanded, and nodes of which it is enough if a child is. */
function takeApart(demand: Demand, leaves: LeafDemand[], choices: Demand[]): void {
  const { node, isWanted } = demand
  if (!('op' in node)) {
    leaves.push(demand as LeafDemand)
    return
  }
  const children = childrenOf(demand)
  const needsAll = node.op === 'NOT' || (node.op === 'AND') === isWanted || children.length === 1
  if (needsAll) for (const child of children) takeApart(child, leaves, choices)
  else choices.push(demand)
}

/** What is demanded of the children, of all or of one. */
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

/** Maps keep the order in which keys were added. */
function forgetAllBut<Key>(map: Map<Key, unknown>, count: number): void {
  if (map.size === count) return
  for (const key of [...map.keys()].slice(count)) map.delete(key)
}
