import { type Decimal, decimalText, plus, toDecimal, ZERO } from '../../kernel/decimal.ts'
import { type JsonObject, parsed, type RawJson } from '../../kernel/json.ts'
import { isDecimalWithin, testOf } from './comparators.ts'
import { numberPathOf } from './compared-values.ts'
import { type Aggregate, type Condition, holds, type Leaf } from './condition.ts'
import { readingsAt } from './readings.ts'

/** The value of an aggregate over some events. Immutable: a further event creates a new value. */
export type AggregateValue =
  | { kind: 'count'; count: number }
  | { kind: 'sum'; sum: Decimal }
  | { kind: 'distinct'; values: DistinctValues }

/**
 * A persistent set. Versions of a log share the map; a version has its first `size` entries. So adding a value copies
 * nothing, unless another version has already added one.
 */
class DistinctValues {
  readonly #places: Map<Scalar, number>
  readonly size: number
  /** Estimated memory. */
  readonly bytes: number

  constructor(places: Map<Scalar, number> = new Map(), size = 0, bytes = 0) {
    this.#places = places
    this.size = size
    this.bytes = bytes
  }

  with(value: Scalar): DistinctValues {
    if ((this.#places.get(value) ?? this.size) < this.size) return this
    const places = this.#ownPlaces()
    places.set(value, this.size)
    const bytes = VALUE_BYTES + (typeof value === 'string' ? 2 * value.length : 0)
    return new DistinctValues(places, this.size + 1, this.bytes + bytes)
  }

  /** All logs start from the same empty version, so the empty version does not share its map. */
  #ownPlaces(): Map<Scalar, number> {
    if (this.size === 0) return new Map()
    const isNewest = this.#places.size === this.size
    return isNewest ? this.#places : new Map([...this.#places].slice(0, this.size))
  }
}

/** Estimated memory of a value. */
const VALUE_BYTES = 80

export const bytesOfAggregate = (value: AggregateValue): number =>
  value.kind === 'distinct' ? VALUE_BYTES + value.values.bytes : VALUE_BYTES

/** The value of each aggregate over no event. */
export const ZERO_OF: Record<Aggregate, AggregateValue> = {
  count: { kind: 'count', count: 0 },
  sum: { kind: 'sum', sum: ZERO },
  distinct: { kind: 'distinct', values: new DistinctValues() },
}

type Scalar = string | number | boolean

/**
 * What the event adds to the leaf's aggregate. Null if the event has no value to aggregate: the event is left out.
 * @param payload of an event that has the leaf's type and match
 */
export function contributionOf(leaf: Leaf, payload: JsonObject | RawJson<JsonObject>): Scalar | null {
  if (leaf.aggregate === 'count') return 1
  const values = readingsAt(parsed(payload), numberPathOf(leaf))
  const value = values.find((one) =>
    leaf.aggregate === 'sum' ? typeof one === 'number' : ['string', 'number', 'boolean'].includes(typeof one),
  )
  return (value as Scalar | undefined) ?? null
}

/** The value with one more event. */
export function including(value: AggregateValue, contribution: Scalar): AggregateValue {
  switch (value.kind) {
    case 'count':
      return { kind: 'count', count: value.count + 1 }
    case 'sum':
      return { kind: 'sum', sum: plus(value.sum, toDecimal(contribution as number)) }
    case 'distinct': {
      const values = value.values.with(contribution)
      return values === value.values ? value : { kind: 'distinct', values }
    }
  }
}

/** Whether the value satisfies the comparators of the leaf. Sums are compared as exact decimals. */
export function isReached(leaf: Leaf, value: AggregateValue): boolean {
  if (value.kind === 'sum') return isDecimalWithin(value.sum, leaf)
  const number = value.kind === 'count' ? value.count : value.values.size
  return testOf(leaf)?.(number) ?? false
}

/** The value as an exact decimal. */
export function aggregateText(value: AggregateValue): string {
  if (value.kind === 'sum') return decimalText(value.sum)
  return String(value.kind === 'count' ? value.count : value.values.size)
}

/** Whether the condition holds over an empty log, where each aggregate is 0. */
export const holdsOverNothing = (condition: Condition): boolean =>
  holds(condition, (leaf) => leaf.aggregate !== undefined && isReached(leaf, ZERO_OF[leaf.aggregate]))
