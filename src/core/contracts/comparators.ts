import { compareDecimals, type Decimal, toDecimal } from '../../kernel/decimal.ts'

/** How a leaf compares a number of the event with its own, the bound. Whatever knows comparators knows them from here. */
interface ComparatorRules {
  /** Whether a number satisfies it. */
  accepts: (bound: number) => (number: number) => boolean
  /** How far a number is from satisfying it; 0 if only by being equal. */
  gap: (number: number, bound: number) => number
  /** The least and the greatest number that satisfy it. */
  span: (bound: number) => readonly [least: number, greatest: number]
  /** Before the bound, for people: "at least" 4. */
  words: string
}

/** JSON has no number beyond. */
const LARGEST = Number.MAX_VALUE

/** In the order in which they are told. */
const RULES = {
  gt: {
    accepts: (bound) => (number) => number > bound,
    gap: (number, bound) => Math.max(bound - number, 0),
    span: (bound) => [nextTo(bound, 1n), LARGEST],
    words: 'more than',
  },
  gte: {
    accepts: (bound) => (number) => number >= bound,
    gap: (number, bound) => Math.max(bound - number, 0),
    span: (bound) => [bound, LARGEST],
    words: 'at least',
  },
  lt: {
    accepts: (bound) => (number) => number < bound,
    gap: (number, bound) => Math.max(number - bound, 0),
    span: (bound) => [-LARGEST, nextTo(bound, -1n)],
    words: 'less than',
  },
  lte: {
    accepts: (bound) => (number) => number <= bound,
    gap: (number, bound) => Math.max(number - bound, 0),
    span: (bound) => [-LARGEST, bound],
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

/** Tells whether a number satisfies all bounds; null if there is none. */
export function testOf(bounds: Bounds): ((number: number) => boolean) | null {
  const tests = setIn(bounds).map((name) => RULES[name].accepts(bounds[name] as number))
  const [only] = tests
  if (!only) return null
  return tests.length === 1 ? only : (number) => tests.every((test) => test(number))
}

/** Whether an exact decimal satisfies all bounds: the sign of the difference is compared with 0. */
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
    found = setIn(bounds).map((name) => ({
      accepts: RULES[name].accepts(0),
      bound: toDecimal(bounds[name] as number),
    }))
    known.set(bounds, found)
  }
  return found
}

/** How far the number is from satisfying all bounds. */
export const gapOf = (number: number, bounds: Bounds): number =>
  Math.max(0, ...setIn(bounds).map((name) => RULES[name].gap(number, bounds[name] as number)))

/** The least and the greatest number that satisfy all bounds, and all between do; if none does, the first is greater. */
export function spanOf(bounds: Bounds): readonly [least: number, greatest: number] {
  const spans = setIn(bounds).map((name) => RULES[name].span(bounds[name] as number))
  return [
    Math.max(-LARGEST, ...spans.map(([least]) => least)),
    Math.min(LARGEST, ...spans.map(([, greatest]) => greatest)),
  ]
}

/** "at least 2 and less than 8"; empty if there is no bound. */
export const boundsInWords = (bounds: Bounds): string =>
  setIn(bounds)
    .map((name) => `${wordsOf(name)} ${bounds[name]}`)
    .join(' and ')

/** A number that satisfies all bounds, if one does: a bound itself or a whole number beside it, if possible. */
export function satisfyingNumber(bounds: Bounds): number {
  const isSatisfied = testOf(bounds)
  if (!isSatisfied) return 0
  const set = setIn(bounds).map((name) => bounds[name] as number)
  const sorted = set.toSorted((one, other) => one - other)
  const between = sorted.slice(1).map((bound, i) => bound / 2 + (sorted[i] as number) / 2)
  const beside = set.flatMap((bound) => [Math.floor(bound) + 1, Math.ceil(bound) - 1])
  const next = set.flatMap((bound) => [nextTo(bound, 1n), nextTo(bound, -1n)])
  return (
    [...set, ...beside, ...between, ...next].find(
      (number) => Number.isFinite(number) && isSatisfied(number),
    ) ?? 0
  )
}

/** The double that follows in the direction, 1 or -1; beyond the largest there is none. */
function nextTo(number: number, direction: 1n | -1n): number {
  if (number === 0) return Number(direction) * Number.MIN_VALUE
  const float = new Float64Array([number])
  const bits = new BigInt64Array(float.buffer)
  // As integers, doubles of one sign are in the order of their magnitude.
  bits[0] = (bits[0] as bigint) + (number > 0 ? direction : -direction)
  return float[0] as number
}

const setIn = (bounds: Bounds): Comparator[] => COMPARATORS.filter((name) => bounds[name] !== undefined)
