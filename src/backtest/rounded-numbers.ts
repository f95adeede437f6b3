/* Numbers that a program has rounded in binary: to 64 bits after a computation, or to 32 bits in a column of that type. */

/** The precision that every double keeps. */
const DOUBLE_DIGITS = 15
/** The precision that every number of 32 bits keeps up to. Programs write more digits, or all that a double has. */
const FLOAT_DIGITS = 7
const WRITTEN_FLOAT_DIGITS = [8, 9]
/** Above the rounding of a number of 32 bits, relative to the number. */
const MAX_ROUNDING = 1e-7
/** Above the rounding of a difference of amounts, such as 0.1 + 0.2 - 0.3. */
const MAX_ROUNDING_OF_ZERO = 1e-12

const keep = (digits: number, number: number): number => Number(number.toPrecision(digits))

/** Whether the number is the wanted one, but rounded: 3.3000000000000003 or 4.699999809265137 for 3.3 and 4.7. */
export function isRounded(number: number, wanted: number): boolean {
  const difference = Math.abs(number - wanted)
  if (difference === 0 || Number.isInteger(number)) return false
  if (wanted === 0) return difference < MAX_ROUNDING_OF_ZERO
  if (difference > Math.abs(wanted) * MAX_ROUNDING) return false
  const float = Math.fround(wanted)
  return (
    number === float ||
    WRITTEN_FLOAT_DIGITS.some((digits) => number === keep(digits, float)) ||
    keep(DOUBLE_DIGITS, number) === keep(DOUBLE_DIGITS, wanted)
  )
}

/** Whether the number was a short decimal before it was rounded to 32 bits. */
export function isRoundedTo32Bits(number: number): boolean {
  if (Math.fround(number) !== number) return false
  const short = keep(FLOAT_DIGITS, number)
  return short !== number && Math.fround(short) === number && !Number.isInteger(number)
}
