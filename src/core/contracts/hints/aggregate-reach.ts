import { compareDecimals, type Decimal, plus, times, toDecimal } from '../../../kernel/decimal.ts'
import { valueAt } from '../../../kernel/json.ts'
import { MAX_EVENTS } from '../../limits.ts'
import { contributionOf, INITIAL_AGGREGATES, isAggregateSatisfied } from '../aggregate.ts'
import { COMPARATORS, isDecimalWithin, rangeOf } from '../comparators.ts'
import { fieldPathOf } from '../compared-values.ts'
import type { Leaf } from '../condition.ts'
import { matchedPayload, NEVER_PAYLOAD, satisfyingPayload } from './satisfying-payload.ts'

/** Why no log brings the aggregate within its bounds; null if some log does, or if that is not certain. */
export function whyNeverReached(leaf: Leaf): 'no-value' | 'no-such-field' | 'contradiction' | null {
  if (!hasValueWithin(leaf)) return 'no-value'
  if (leaf.aggregate === undefined || isAggregateSatisfied(leaf, INITIAL_AGGREGATES[leaf.aggregate]))
    return null
  const payload = satisfyingPayload(leaf)
  if (NEVER_PAYLOAD.some((key) => Object.hasOwn(payload, key))) return 'no-such-field'
  if (contributionOf(leaf, payload) === null) return 'contradiction'
  // All events have the value that match names.
  const isFixed = valueAt(matchedPayload(leaf), fieldPathOf(leaf)) !== undefined
  return leaf.aggregate === 'distinct' && isFixed && !isDecimalWithin(toDecimal(1), leaf)
    ? 'contradiction'
    : null
}

function hasValueWithin(leaf: Leaf): boolean {
  if (leaf.aggregate === 'sum') return candidatesOf(leaf).some((decimal) => isDecimalWithin(decimal, leaf))
  const [least, greatest] = rangeOf(leaf)
  return Math.ceil(Math.max(least, 0)) <= Math.floor(Math.min(greatest, MAX_EVENTS))
}

/** The bounds, and a decimal below, between and above them: if none of these is within the bounds, no decimal is. */
function candidatesOf(leaf: Leaf): Decimal[] {
  const bounds = COMPARATORS.flatMap((name) => leaf[name] ?? [])
    .map(toDecimal)
    .sort(compareDecimals)
  const between = bounds.slice(1).map((bound, i) => half(plus(bound, bounds[i] as Decimal)))
  const beside = bounds.flatMap((bound) => [plus(bound, toDecimal(1)), plus(bound, toDecimal(-1))])
  return [...bounds, ...between, ...beside]
}

function half(decimal: Decimal): Decimal {
  const { units, scale } = times(decimal, 5)
  return { units, scale: scale + 1 }
}
