import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json.ts'
import { isReservedType, RESERVED_FIELDS } from '../../claims/event.ts'
import { hasComparator, satisfyingNumber, spanOf } from '../comparators.ts'
import { numberPathOf } from '../compared-values.ts'
import { CompiledCondition } from '../compiled-condition.ts'
import { type Condition, type Leaf, leavesOf } from '../condition.ts'

/** Fields of a submission that are no payload (§2.2), and those that it may not have (§4.3). */
const NEVER_PAYLOAD: readonly string[] = ['id', 'type', 'claim_id', 'candidate_alias', ...RESERVED_FIELDS]

/** What holds of every log that satisfies a leaf. */
export interface KnownLeaf {
  /** Null if an event satisfies it; else why none does. */
  impossible: Impossibility | null
  /** Those of the leaves below a NOT that each event satisfies which satisfies this one. */
  implied: readonly Leaf[]
}

type Impossibility = 'reserved-type' | 'no-such-field' | 'no-number' | 'contradiction'

/**
 * All leaves of a condition, a step or a few for each.
 *
 * It is evaluation itself that says what satisfies what. Of each leaf two events are made, with nothing in them but what it
 * asks for, and the least and the greatest of its numbers. What both of these satisfy, all events satisfy that satisfy the
 * leaf: leaves ask for what is in a payload, never for what is not; and of numbers for all between two.
 */
export function* knowLeaves(places: readonly LeafPlace[]): Generator<void, Map<Leaf, KnownLeaf>> {
  const known = new Map<Leaf, KnownLeaf>()
  const unwanted = compileAll(places.filter(({ not }) => not !== null).map(({ leaf }) => leaf))
  yield
  for (const { leaf, not } of places) {
    const payloads = extremePayloads(leaf)
    const impossible = impossibilityOf(leaf, payloads)
    const implied = not === null && !impossible ? yield* satisfiedByEach(payloads, leaf.event, unwanted) : []
    // The very same leaf may stand in two places.
    known.set(leaf, { impossible, implied: known.get(leaf)?.implied.concat(implied) ?? implied })
    yield
  }
  return known
}

const compileAll = (conditions: Leaf[]) => new CompiledCondition({ op: 'OR', conditions })

/** A step for each event. */
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
  const [least, greatest] = spanOf(leaf)
  return [...new Set([least, greatest])].map((number) => satisfyingPayload(leaf, number))
}

function impossibilityOf(leaf: Leaf, payloads: readonly JsonObject[]): Impossibility | null {
  const { event: type } = leaf
  const [payload] = payloads as [JsonObject]
  const [least, greatest] = spanOf(leaf)
  if (isReservedType(type)) return 'reserved-type'
  if (least > greatest) return 'no-number'
  if (compileAll([leaf]).leavesSatisfiedBy({ type, payload }).length === 0) return 'contradiction'
  return NEVER_PAYLOAD.some((key) => Object.hasOwn(payload, key)) ? 'no-such-field' : null
}

export interface LeafPlace {
  leaf: Leaf
  path: string
  /** Of the NOT by which the leaf must not be satisfied; null if it must. */
  not: string | null
}

/** The leaves of a condition, from left to right. */
export const leafPlaces = (condition: Condition, path: string): LeafPlace[] => placesOf(condition, path, null)

function placesOf(node: Condition, path: string, not: string | null): LeafPlace[] {
  if (!('op' in node)) return [{ leaf: node, path, not }]
  if (node.op === 'NOT') return placesOf(node.condition, `${path}.condition`, not === null ? path : null)
  return node.conditions.flatMap((child, i) => placesOf(child, `${path}.conditions[${i}]`, not))
}

/**
 * The fields of an event that satisfies the leaf, and no others, unless it asks for what excludes each other.
 * @param number one that satisfies the leaf's bounds
 */
export function satisfyingPayload(leaf: Leaf, number = satisfyingNumber(leaf)): JsonObject {
  const { match } = leaf
  const matched: JsonObject = match === undefined ? {} : isJsonObject(match) ? match : { value: match }
  return hasComparator(leaf) ? withNumberAt(matched, numberPathOf(leaf), number) : matched
}

/** Leaves what is matched already: an event has one value at a path. */
function withNumberAt(object: JsonObject, [key = '', ...rest]: string[], number: number): JsonObject {
  const present: Json | undefined = Object.hasOwn(object, key) ? object[key] : undefined
  if (rest.length === 0) return { ...object, [key]: present ?? number }
  return { ...object, [key]: withNumberAt(isJsonObject(present) ? present : {}, rest, number) }
}

export interface Suggestion {
  type: string
  payload: JsonObject
}

/** An event for each type that the condition names, as its first leaf of that type asks for it. */
export function suggestedEvents(condition: Condition): Suggestion[] {
  const byType = Map.groupBy(leavesOf(condition), ({ event }) => event)
  return [...byType].map(([type, [first]]) => ({ type, payload: satisfyingPayload(first as Leaf) }))
}
