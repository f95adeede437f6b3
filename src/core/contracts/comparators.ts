import { compareDecimals, type Decimal, toDecimal } from '../../kernel/decimal.ts'

/** The rules of a comparator. It compares a number in an event with the bound, which is the number in the leaf. */
interface ComparatorRules {
  /** Whether a number satisfies the comparator. */
  accepts: (bound: number) => (number: number) => boolean
  /** The distance of a number from the bound; 0 if the comparator accepts the number, or if the number equals the bound. */
  distance: (number: number, bound: number) => number
  /** The least and the greatest number that satisfy the comparator. */
  range: (bound: number) => readonly [least: number, greatest: number]
  /** The words before the bound in a sentence: "at least" 4. */
  words: string
}

/** The largest number of JSON. */
const MAX_NUMBER = Number.MAX_VALUE

/** In the order in which sentences name the comparators. */
const RULES = {
  gt: {
    accepts: (bound) => (number) => number > bound,
    distance: (number, bound) => Math.max(bound - number, 0),
    range: (bound) => [nextDouble(bound, 1n), MAX_NUMBER],
    words: 'more than',
  },
  gte: {
    accepts: (bound) => (number) => number >= bound,
    distance: (number, bound) => Math.max(bound - number, 0),
    range: (bound) => [bound, MAX_NUMBER],
    words: 'at least',
  },
  lt: {
    accepts: (bound) => (number) => number < bound,
    distance: (number, bound) => Math.max(number - bound, 0),
    range: (bound) => [-MAX_NUMBER, nextDouble(bound, -1n)],
    words: 'less than',
  },
  lte: {
    accepts: (bound) => (number) => number <= bound,
    distance: (number, bound) => Math.max(number - bound, 0),
    range: (bound) => [-MAX_NUMBER, bound],
    words: 'at most',
  },
  eq: {
    accepts: (bound) => (number) => number === bound,
    distance: (number, bound) => Math.abs(number - bound),
    range: (bound) => [bound, bound],
    words: 'exactly',
  },
} satisfies Record<string, ComparatorRules>

export type Comparator = keyof typeof RULES
/** The bounds of a leaf. */
export type Bounds = Partial<Record<Comparator, number>>

export const COMPARATORS = Object.keys(RULES) as readonly Comparator[]

export const hasComparator = (bounds: Bounds): boolean =>
  COMPARATORS.some((name) => bounds[name] !== undefined)

export const wordsOf = (comparator: Comparator): string => RULES[comparator].words

/** A function that returns whether a number satisfies all bounds; null if there are no bounds. */
export function predicateOf(bounds: Bounds): ((number: number) => boolean) | null {
  const [first, ...others] = presentIn(bounds).map((name) => RULES[name].accepts(bounds[name] as number))
  if (!first) return null
  return others.length === 0 ? first : (number) => first(number) && others.every((accepts) => accepts(number))
}

/** Whether an exact decimal satisfies all bounds. */
export const isDecimalWithin = (decimal: Decimal, bounds: Bounds): boolean =>
  decimalBounds(bounds).every(({ accepts, bound }) => accepts(compareDecimals(decimal, bound)))

interface DecimalBound {
  /** Receives the sign of the decimal minus the bound, so its own bound is 0. */
  accepts: (sign: number) => boolean
  bound: Decimal
}
const decimalBoundsCache = new WeakMap<Bounds, DecimalBound[]>()

/** Cached: a contract may have hundreds of sums, which are compared for each event. */
function decimalBounds(bounds: Bounds): DecimalBound[] {
  let decimals = decimalBoundsCache.get(bounds)
  if (!decimals) {
    decimals = presentIn(bounds).map((name) => ({
      accepts: RULES[name].accepts(0),
      bound: toDecimal(bounds[name] as number),
    }))
    decimalBoundsCache.set(bounds, decimals)
  }
  return decimals
}

/** How far the number is from satisfying all bounds. */
export const distanceTo = (number: number, bounds: Bounds): number =>
  Math.max(0, ...presentIn(bounds).map((name) => RULES[name].distance(number, bounds[name] as number)))

/** The least and the greatest number that satisfy all bounds. If no number satisfies them, the least exceeds the greatest. */
export function rangeOf(bounds: Bounds): readonly [least: number, greatest: number] {
  const ranges = presentIn(bounds).map((name) => RULES[name].range(bounds[name] as number))
  return [
    Math.max(-MAX_NUMBER, ...ranges.map(([least]) => least)),
    Math.min(MAX_NUMBER, ...ranges.map(([, greatest]) => greatest)),
  ]
}

/** "at least 2 and less than 8"; empty if there is no bound. */
export const boundsInWords = (bounds: Bounds): string =>
  presentIn(bounds)
    .map((name) => `${wordsOf(name)} ${bounds[name]}`)
    .join(' and ')

/** A number that satisfies all bounds; 0 if no number does. Prefers a bound, then a whole number next to a bound. */
export function satisfyingNumber(bounds: Bounds): number {
  const isSatisfied = predicateOf(bounds)
  if (!isSatisfied) return 0
  const present = presentIn(bounds).map((name) => bounds[name] as number)
  const sorted = present.toSorted((a, b) => a - b)
  const wholeNeighbors = present.flatMap((bound) => [Math.floor(bound) + 1, Math.ceil(bound) - 1])
  const midpoints = sorted.slice(1).map((bound, i) => bound / 2 + (sorted[i] as number) / 2)
  const nextDoubles = present.flatMap((bound) => [nextDouble(bound, 1n), nextDouble(bound, -1n)])
  return (
    [...present, ...wholeNeighbors, ...midpoints, ...nextDoubles].find(
      (number) => Number.isFinite(number) && isSatisfied(number),
    ) ?? 0
  )
}

/** The next double in the direction, 1 or -1. Infinite after the largest. */
function nextDouble(number: number, direction: 1n | -1n): number {
  if (number === 0) return Number(direction) * Number.MIN_VALUE
  const float = new Float64Array([number])
  const bits = new BigInt64Array(float.buffer)
  // As integers, doubles of one sign are in the order of their magnitude.
  bits[0] = (bits[0] as bigint) + (number > 0 ? direction : -direction)
  return float[0] as number
}

const presentIn = (bounds: Bounds): Comparator[] => COMPARATORS.filter((name) => bounds[name] !== undefined)
