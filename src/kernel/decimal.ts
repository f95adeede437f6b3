/** An exact decimal: `units` × 10^-`scale`. */
export interface Decimal {
  units: bigint
  scale: number
}

export const ZERO: Decimal = { units: 0n, scale: 0 }

/**
 * Converts the decimal notation of the number: 0.1 becomes exactly one tenth, not the nearest binary fraction.
 * @param number a string must be a JSON number
 */
export function toDecimal(number: number | string): Decimal {
  const [mantissa = '', exponent = '0'] = String(number).toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const units = BigInt(whole + fraction)
  const scale = fraction.length - Number(exponent)
  return scale >= 0 ? { units, scale } : { units: units * powerOfTen(-scale), scale: 0 }
}

export function plus(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale)
  return { units: unitsAt(a, scale) + unitsAt(b, scale), scale }
}

export const times = (a: Decimal, count: number): Decimal => ({
  units: a.units * BigInt(count),
  scale: a.scale,
})

export const minus = (a: Decimal, b: Decimal): Decimal => plus(a, times(b, -1))

/** Negative if `a` is less than `b`, 0 if they are equal, else positive. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale)
  const [left, right] = [unitsAt(a, scale), unitsAt(b, scale)]
  return left < right ? -1 : left > right ? 1 : 0
}

const unitsAt = ({ units, scale }: Decimal, newScale: number) =>
  newScale === scale ? units : units * powerOfTen(newScale - scale)

/** Cached powers of ten. JSON numbers need up to about 700 of them, which take 100 KB. */
const powers: bigint[] = []

function powerOfTen(exponent: number): bigint {
  for (let next = powers.length; next <= exponent; next++) powers.push(10n ** BigInt(next))
  return powers[exponent] as bigint
}

/** Without an exponent and without trailing zeros: "-12.5", "0.000001". */
export function decimalText({ units, scale }: Decimal): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '')
  return `${units < 0n ? '-' : ''}${whole}${fraction && `.${fraction}`}`
}
