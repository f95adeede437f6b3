/* Numbers of a JSON text that a double would change. */
import { MAX_TOKENS_PER_CHECK } from './limits.ts'

/** A number at the start of a value that may lose digits in a double: with 16 characters or more, or an exponent. */
const RISKY_NUMBER = /(?:^|[\s:,[])-?\d(?:[\d.]{15}|[\d.]*[eE])/
const STRING_OR_RISKY_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d(?:[\d.]{15}|[\d.]*[eE])[\d.eE+-]*/g

/** A quick test: if false, no number loses digits. */
export const mayLoseDigits = (json: string): boolean => RISKY_NUMBER.test(json)

/**
 * The position of the first number that a double would change. Null if there is none. In steps: a megabyte may
 * contain a hundred thousand numbers.
 */
export function* findLossyNumber(json: string): Generator<void, number | null> {
  let seen = 0
  for (const { 0: token, index } of json.matchAll(STRING_OR_RISKY_NUMBER)) {
    if (++seen % MAX_TOKENS_PER_CHECK === 0) yield
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
  // The number also keeps its value if JavaScript writes it with the same digits (2 ** 64 is 18446744073709552000).
  if (/^-?\d+$/.test(source)) return BigInt(source) !== BigInt(value) && source !== String(value)
  return value === 0 && /^-?[0.]*[1-9]/.test(source)
}
