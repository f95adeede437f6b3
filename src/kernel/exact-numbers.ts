/* Numbers of a JSON text that a double would keep as others. */

/** Where a value may begin, a number that may lose digits in a double: of 16 characters or more, or with an exponent. */
const RISKY_NUMBER = /(?:^|[\s:,[])-?\d(?:[\d.]{15}|[\d.]*[eE])/
const STRING_OR_RISKY_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d(?:[\d.]{15}|[\d.]*[eE])[\d.eE+-]*/g
/** Strings and numbers that are looked at in one step. */
const A_STEP = 4_096

/** Whether it is worth looking at its numbers. */
export const mayLoseDigits = (json: string): boolean => RISKY_NUMBER.test(json)

/** Where the first number is that would come back as another; null if none would. In steps: a megabyte may hold a hundred thousand. */
export function* findLossyNumber(json: string): Generator<void, number | null> {
  let seen = 0
  for (const { 0: token, index } of json.matchAll(STRING_OR_RISKY_NUMBER)) {
    if (++seen % A_STEP === 0) yield
    if (!token.startsWith('"') && isLossy(token, Number(token))) return index
  }
  return null
}

/** The same in one go, of a text that is short. */
export function hasLossyNumber(json: string): boolean {
  if (!mayLoseDigits(json)) return false
  const steps = findLossyNumber(json)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value !== null
  }
}

/** Whether a double cannot hold the number that `source` denotes. */
export function isLossy(source: string, value: number): boolean {
  if (!Number.isFinite(value)) return true
  // As JavaScript writes it (2 ** 64 is 18446744073709552000) it comes back as it was sent.
  if (/^-?\d+$/.test(source)) return BigInt(source) !== BigInt(value) && source !== String(value)
  return value === 0 && /^-?[0.]*[1-9]/.test(source)
}
