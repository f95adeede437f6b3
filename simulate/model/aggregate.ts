import type { Json } from './json.ts'

/* §2.1a: counts and sums as exact decimals. */

export type Aggregate = 'count' | 'sum' | 'distinct'

/** `digits` with the decimal point `scale` places from the right. */
export interface Decimal {
  digits: bigint
  scale: number
}

const ZERO: Decimal = { digits: 0n, scale: 0 }

/** The shortest text of a number shows the decimal that was written. */
export function decimalOf(number: number): Decimal {
  const [mantissa = '', exponent = '0'] = String(number).split('e')
  const [integer = '', fraction = ''] = mantissa.split('.')
  const scale = fraction.length - Number(exponent)
  const digits = BigInt(integer + fraction)
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 }
}

/** Plain digits without trailing zeros: "-12.5". */
export function textOf({ digits, scale }: Decimal): string {
  const [sign, all] = digits < 0n ? ['-', `${-digits}`] : ['', `${digits}`]
  const padded = all.padStart(scale + 1, '0')
  const fraction = padded.slice(padded.length - scale).replace(/0+$/, '')
  return `${sign}${padded.slice(0, padded.length - scale)}${fraction === '' ? '' : `.${fraction}`}`
}

const atScale = ({ digits, scale }: Decimal, to: number): bigint => digits * 10n ** BigInt(to - scale)

function plus(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale)
  return { digits: atScale(a, scale) + atScale(b, scale), scale }
}

/** Negative, 0 or positive: a is less than b, equal, or greater. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale)
  const difference = atScale(a, scale) - atScale(b, scale)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/**
 * Aggregates the values of a leaf's field over its events. A value is undefined if an event has none. An event
 * without a number is not in a sum, and one without a string, number or boolean not in `distinct`.
 */
export function aggregateValues(aggregate: Aggregate, values: readonly (Json | undefined)[]): Decimal {
  if (aggregate === 'count') return decimalOf(values.length)
  if (aggregate === 'sum') {
    const numbers = values.filter((value) => typeof value === 'number')
    return numbers.reduce((sum, number) => plus(sum, decimalOf(number)), ZERO)
  }
  const scalars = values.filter((value) => ['string', 'number', 'boolean'].includes(typeof value))
  return decimalOf(new Set(scalars.map((value) => JSON.stringify(value))).size)
}
