import type { JsonObject } from '../../../kernel/json.ts'
import { isReservedType } from '../../claims/event.ts'
import { COMPARATORS, hasComparator, rangeOf } from '../comparators.ts'
import { CompiledCondition } from '../compiled-condition.ts'
import { type Condition, type Leaf, leavesOf } from '../condition.ts'
import { whyNeverReached } from './aggregate-reach.ts'
import { NEVER_PAYLOAD, satisfyingPayload } from './satisfying-payload.ts'

/** Facts about a leaf that hold for every log. */
export interface KnownLeaf {
  /** Why no log satisfies the leaf; null if a log does. */
  impossible: Impossibility | null
  /** The leaves below a NOT that every log satisfies if it satisfies this leaf. */
  implied: readonly Leaf[]
}

type Impossibility = 'reserved-type' | 'no-such-field' | 'no-number' | 'no-value' | 'contradiction'

/**
 * The facts about all leaves of a condition. Yields a few times for each leaf.
 *
 * Implications are found by evaluation. For each leaf two minimal events are built: one with the least and one with the
 * greatest number that satisfies it. If both events satisfy another leaf, every event that satisfies this leaf satisfies
 * the other one: a leaf requires that a payload has values, never that it lacks them, and accepts all numbers between two
 * that it accepts. An aggregate does not depend on one event, so it implies only equal leaves.
 */
export function* knowLeaves(places: readonly LeafPlace[]): Generator<void, Map<Leaf, KnownLeaf>> {
  const known = new Map<Leaf, KnownLeaf>()
  const below = places.filter(({ not }) => not !== null).map(({ leaf }) => leaf)
  const unwanted = compileAll(below.filter(({ aggregate }) => aggregate === undefined))
  const aggregates = Map.groupBy(
    below.filter(({ aggregate }) => aggregate !== undefined),
    aggregateKey,
  )
  yield
  for (const { leaf, not } of places) {
    const isAggregate = leaf.aggregate !== undefined
    const payloads = isAggregate ? [] : extremePayloads(leaf)
    const impossible = isAggregate ? whyNeverReached(leaf) : impossibilityOf(leaf, payloads)
    const isWanted = not === null && !impossible
    const implied = !isWanted
      ? []
      : isAggregate
        ? (aggregates.get(aggregateKey(leaf)) ?? [])
        : yield* satisfiedByEach(payloads, leaf.event, unwanted)
    // One leaf object may be in two places of the condition.
    known.set(leaf, { impossible, implied: known.get(leaf)?.implied.concat(implied) ?? implied })
    yield
  }
  return known
}

/** Two aggregate leaves with the same key are satisfied by the same logs. */
const aggregateKey = ({ event, match, field = 'value', aggregate, ...bounds }: Leaf): string =>
  JSON.stringify([event, match, field, aggregate, COMPARATORS.map((name) => bounds[name] ?? null)])

const compileAll = (conditions: Leaf[]) => new CompiledCondition({ op: 'OR', conditions })

/** The leaves that all events satisfy. Yields for each event. */
function* satisfiedByEach(
  payloads: readonly JsonObject[],
  type: string,
  among: CompiledCondition,
): Generator<void, readonly Leaf[]> {
  let common: readonly Leaf[] | null = null
  for (const payload of payloads) {
    const satisfied = new Set(among.leavesSatisfiedBy({ type, payload }))
    common = common === null ? [...satisfied] : common.filter((leaf) => satisfied.has(leaf))
    yield
  }
  return common ?? []
}

function extremePayloads(leaf: Leaf): JsonObject[] {
  if (!hasComparator(leaf)) return [satisfyingPayload(leaf)]
  const [least, greatest] = rangeOf(leaf)
  return [...new Set([least, greatest])].map((number) => satisfyingPayload(leaf, number))
}

function impossibilityOf(leaf: Leaf, payloads: readonly JsonObject[]): Impossibility | null {
  const { event: type } = leaf
  const [payload] = payloads as [JsonObject]
  const [least, greatest] = rangeOf(leaf)
  if (isReservedType(type)) return 'reserved-type'
  if (least > greatest) return 'no-number'
  if (compileAll([leaf]).leavesSatisfiedBy({ type, payload }).length === 0) return 'contradiction'
  return NEVER_PAYLOAD.some((key) => Object.hasOwn(payload, key)) ? 'no-such-field' : null
}

export interface LeafPlace {
  leaf: Leaf
  path: string
  /** The path of the NOT by which the leaf must not be satisfied; null if it must be satisfied. */
  not: string | null
}

/** The leaves of a condition, from left to right. */
export const leafPlaces = (condition: Condition, path: string): LeafPlace[] => placesOf(condition, path, null)

function placesOf(node: Condition, path: string, not: string | null): LeafPlace[] {
  if (!('op' in node)) return [{ leaf: node, path, not }]
  if (node.op === 'NOT') return placesOf(node.condition, `${path}.condition`, not === null ? path : null)
  return node.conditions.flatMap((child, i) => placesOf(child, `${path}.conditions[${i}]`, not))
}

export interface Suggestion {
  type: string
  payload: JsonObject
}

/** An event for each type that the condition names. It satisfies the first leaf of the type. */
export function suggestedEvents(condition: Condition): Suggestion[] {
  const byType = Map.groupBy(leavesOf(condition), ({ event }) => event)
  return [...byType].map(([type, [first]]) => ({ type, payload: satisfyingPayload(first as Leaf) }))
}
