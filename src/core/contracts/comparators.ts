import { compareDecimals, type Decimal, toDecimal } from '../../kernel/decimal.ts'

/** The rules of a comparator, which compares a number of an event with the leaf's number, the bound. All code uses this table. */
interface ComparatorRules {
  /** Whether a number satisfies it. */
  accepts: (bound: number) => (number: number) => boolean
  /** The distance of a number from the bound; 0 if the comparator accepts the number, or if the number equals the bound. */
  gap: (number: number, bound: number) => number
  /** The least and the greatest number that satisfy it. */
  span: (bound: number) => readonly [least: number, greatest: number]
  /** The words before the bound in a sentence: "at least" 4. */
  words: string
}

/** The largest number of JSON. */
const MAX_NUMBER = Number.MAX_VALUE

/** In the order in which sentences name the comparators. */
const RULES = {
  gt: {
    accepts: (bound) => (number) => number > bound,
    gap: (number, bound) => Math.max(bound - number, 0),
    span: (bound) => [nextTo(bound, 1n), MAX_NUMBER],
    words: 'more than',
  },
  gte: {
    accepts: (bound) => (number) => number >= bound,
    gap: (number, bound) => Math.max(bound - number, 0),
    span: (bound) => [bound, MAX_NUMBER],
    words: 'at least',
  },
  lt: {
    accepts: (bound) => (number) => number < bound,
    gap: (number, bound) => Math.max(number - bound, 0),
    span: (bound) => [-MAX_NUMBER, nextTo(bound, -1n)],
    words: 'less than',
  },
  lte: {
    accepts: (bound) => (number) => number <= bound,
    gap: (number, bound) => Math.max(number - bound, 0),
    span: (bound) => [-MAX_NUMBER, bound],
    words: 'at most',
  },
  eq: {
    accepts: (bound) => (number) => number === bound,
    gap: (number, bound) => Math.abs(number - bound),
    span: (bound) => [bound, bound],
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
export function testOf(bounds: Bounds): ((number: number) => boolean) | null {
  const tests = presentIn(bounds).map((name) => RULES[name].accepts(bounds[name] as number))
  const [only] = tests
  if (!only) return null
  return tests.length === 1 ? only : (number) => tests.every((test) => test(number))
}

/** Whether an exact decimal satisfies all bounds. Compares the sign of the difference with 0. */
export const isDecimalWithin = (decimal: Decimal, bounds: Bounds): boolean =>
  decimalBounds(bounds).every(({ accepts, bound }) => accepts(compareDecimals(decimal, bound)))

interface DecimalBound {
  accepts: (sign: number) => boolean
  bound: Decimal
}
const known = new WeakMap<Bounds, DecimalBound[]>()

/** Cached: a contract may have hundreds of sums, which are compared for each event. */
function decimalBounds(bounds: Bounds): DecimalBound[] {
  let found = known.get(bounds)
  if (!found) {
    found = presentIn(bounds).map((name) => ({
      accepts: RULES[name].accepts(0),
      bound: toDecimal(bounds[name] as number),
    }))
    known.set(bounds, found)
  }
  return found
}

/** How far the number is from satisfying all bounds. */
export const gapOf = (number: number, bounds: Bounds): number =>
  Math.max(0, ...presentIn(bounds).map((name) => RULES[name].gap(number, bounds[name] as number)))

/** The least and the greatest number that satisfy all bounds. If no number satisfies them, the least exceeds the greatest. */
export function spanOf(bounds: Bounds): readonly [least: number, greatest: number] {
  const spans = presentIn(bounds).map((name) => RULES[name].span(bounds[name] as number))
  return [
    Math.max(-MAX_NUMBER, ...spans.map(([least]) => least)),
    Math.min(MAX_NUMBER, ...spans.map(([, greatest]) => greatest)),
  ]
}

/** "at least 2 and less than 8"; empty if there is no bound. */
export const boundsInWords = (bounds: Bounds): string =>
  presentIn(bounds)
    .map((name) => `${wordsOf(name)} ${bounds[name]}`)
    .join(' and ')

/** A number that satisfies all bounds; 0 if there is none. Prefers a bound itself, then a whole number next to one. */
export function satisfyingNumber(bounds: Bounds): number {
  const isSatisfied = testOf(bounds)
  if (!isSatisfied) return 0
  const present = presentIn(bounds).map((name) => bounds[name] as number)
  const sorted = present.toSorted((one, other) => one - other)
  const between = sorted.slice(1).map((bound, i) => bound / 2 + (sorted[i] as number) / 2)
  const beside = present.flatMap((bound) => [Math.floor(bound) + 1, Math.ceil(bound) - 1])
  const next = present.flatMap((bound) => [nextTo(bound, 1n), nextTo(bound, -1n)])
  return (
    [...present, ...beside, ...between, ...next].find(
      (number) => Number.isFinite(number) && isSatisfied(number),
    ) ?? 0
  )
}

/** The next double in the direction, 1 or -1. Infinite after the largest. */
function nextTo(number: number, direction: 1n | -1n): number {
  if (number === 0) return Number(direction) * Number.MIN_VALUE
  const float = new Float64Array([number])
  const bits = new BigInt64Array(float.buffer)
  // As integers, doubles of one sign are in the order of their magnitude.
  bits[0] = (bits[0] as bigint) + (number > 0 ? direction : -direction)
  return float[0] as number
}

const presentIn = (bounds: Bounds): Comparator[] => COMPARATORS.filter((name) => bounds[name] !== undefined)
