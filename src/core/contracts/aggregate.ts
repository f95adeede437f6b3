import { type Decimal, decimalText, plus, toDecimal, ZERO } from '../../kernel/decimal.ts'
import { type JsonObject, parsed, type RawJson } from '../../kernel/json.ts'
import { isDecimalWithin, predicateOf } from './comparators.ts'
import { fieldPathOf } from './compared-values.ts'
import { type Aggregate, type Condition, holds, type Leaf } from './condition.ts'
import { readingsAt } from './readings.ts'

/** The value of an aggregate over some events. Immutable: a further event creates a new value. */
export type AggregateValue =
  | { kind: 'count'; count: number }
  | { kind: 'sum'; sum: Decimal }
  | { kind: 'distinct'; values: DistinctValues }

/**
 * A persistent set. Versions of a set share one map from a value to its index. A version contains the values whose index is
 * less than its size. So adding a value copies the map only if another version has already added a value.
 */
class DistinctValues {
  readonly #indexes: Map<Scalar, number>
  readonly size: number
  /** Estimated memory. */
  readonly bytes: number

  constructor(indexes: Map<Scalar, number> = new Map(), size = 0, bytes = 0) {
    this.#indexes = indexes
    this.size = size
    this.bytes = bytes
  }

  with(value: Scalar): DistinctValues {
    if ((this.#indexes.get(value) ?? this.size) < this.size) return this
    const indexes = this.#extensibleIndexes()
    indexes.set(value, this.size)
    const bytes = VALUE_BYTES + (typeof value === 'string' ? 2 * value.length : 0)
    return new DistinctValues(indexes, this.size + 1, this.bytes + bytes)
  }

  /** A map to which the next version can add a value. All logs start from one empty version, so its map is never shared. */
  #extensibleIndexes(): Map<Scalar, number> {
    if (this.size === 0) return new Map()
    const isNewest = this.#indexes.size === this.size
    return isNewest ? this.#indexes : new Map([...this.#indexes].slice(0, this.size))
  }
}

/** Estimated memory of a value, without the characters of a text. */
const VALUE_BYTES = 80

export const bytesOfAggregate = (value: AggregateValue): number =>
  value.kind === 'distinct' ? VALUE_BYTES + value.values.bytes : VALUE_BYTES

/** The value of each aggregate over an empty log. */
export const INITIAL_AGGREGATES: Record<Aggregate, AggregateValue> = {
  count: { kind: 'count', count: 0 },
  sum: { kind: 'sum', sum: ZERO },
  distinct: { kind: 'distinct', values: new DistinctValues() },
}

type Scalar = string | number | boolean

/**
 * The value that an event adds to the leaf's aggregate. Null if the event has no value to aggregate: the event is left out.
 * @param payload of an event whose type and payload match the leaf
 */
export function contributionOf(leaf: Leaf, payload: JsonObject | RawJson<JsonObject>): Scalar | null {
  if (leaf.aggregate === 'count') return 1
  const types = leaf.aggregate === 'sum' ? ['number'] : ['string', 'number', 'boolean']
  const readings = readingsAt(parsed(payload), fieldPathOf(leaf))
  const value = readings.find((reading) => types.includes(typeof reading))
  return (value as Scalar | undefined) ?? null
}

/** The value of the aggregate after one more event. */
export function withContribution(value: AggregateValue, contribution: Scalar): AggregateValue {
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
export function isAggregateSatisfied(leaf: Leaf, value: AggregateValue): boolean {
  if (value.kind === 'sum') return isDecimalWithin(value.sum, leaf)
  const number = value.kind === 'count' ? value.count : value.values.size
  return predicateOf(leaf)?.(number) ?? false
}

/** The value as an exact decimal. */
export function aggregateText(value: AggregateValue): string {
  if (value.kind === 'sum') return decimalText(value.sum)
  return String(value.kind === 'count' ? value.count : value.values.size)
}

/** Whether the condition holds over an empty log, where each aggregate is 0. */
export const holdsOnEmptyLog = (condition: Condition): boolean =>
  holds(
    condition,
    (leaf) => leaf.aggregate !== undefined && isAggregateSatisfied(leaf, INITIAL_AGGREGATES[leaf.aggregate]),
  )
