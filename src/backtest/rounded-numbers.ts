/* Numbers that a program has rounded in binary: to 64 bits after a computation, or to 32 bits in a column of that type. */

/** Decimal digits that a double keeps of every number. */
const DOUBLE_DIGITS = 15
/** Decimal digits. A number with more digits is not recognized after it was rounded to 32 bits. */
const FLOAT_DIGITS = 7
/** Digits with which programs write a number of 32 bits, if they do not write all digits of the double. */
const WRITTEN_FLOAT_DIGITS = [8, 9]
/** Greater than the rounding error of a number of 32 bits, relative to the number. */
const MAX_ROUNDING = 1e-7
/** Greater than the rounding error of a difference of amounts, such as 0.1 + 0.2 - 0.3. */
const MAX_ROUNDING_OF_ZERO = 1e-12

const roundToDigits = (digits: number, number: number): number => Number(number.toPrecision(digits))

/** Whether the number differs from the wanted number only by a rounding: 3.3000000000000003 or 4.699999809265137 for 3.3 and 4.7. */
export function isRounded(number: number, wanted: number): boolean {
  const difference = Math.abs(number - wanted)
  if (difference === 0 || Number.isInteger(number)) return false
  if (wanted === 0) return difference < MAX_ROUNDING_OF_ZERO
  if (difference > Math.abs(wanted) * MAX_ROUNDING) return false
  const float = Math.fround(wanted)
  return (
    number === float ||
    WRITTEN_FLOAT_DIGITS.some((digits) => number === roundToDigits(digits, float)) ||
    roundToDigits(DOUBLE_DIGITS, number) === roundToDigits(DOUBLE_DIGITS, wanted)
  )
}

/** Whether the number was a short decimal before it was rounded to 32 bits. */
export function isRoundedTo32Bits(number: number): boolean {
  if (Math.fround(number) !== number) return false
  const short = roundToDigits(FLOAT_DIGITS, number)
  return short !== number && Math.fround(short) === number && !Number.isInteger(number)
}
