import { hasLossyNumber } from '../../../src/kernel/exact-numbers.ts'
import type { Json } from '../../../src/kernel/json.ts'
import { LOCAL_NUMBERS } from '../local-number.ts'

/*
 * How a value stands in a text field: a text as it is, a number as the reader's country writes it, all else as JSON.
 */

/** A number, true, false, null or other JSON; what is none of these is a text. */
export function readValue(text: string, numbers = LOCAL_NUMBERS): Json {
  if (numbers.isNumberLike(text)) return numbers.readNumber(text).number ?? text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Of a field for a number: what is none stays what it is, for the domain to refuse. @param times what it is multiplied by */
export const readNumberValue = (text: string, times = 1, numbers = LOCAL_NUMBERS): Json =>
  numbers.readNumber(text, times).number ?? (numbers.isNumberLike(text) ? text : readValue(text, numbers))

/** Why it is no value: it could be meant as a number, and is none that can be kept, or has such a number in it. */
export function problemOfValue(text: string, numbers = LOCAL_NUMBERS): string | undefined {
  if (numbers.isNumberLike(text)) {
    const { problem } = numbers.readNumber(text)
    return problem && `${problem}, or ${JSON.stringify(text.trim())} for a text`
  }
  return typeof readValue(text, numbers) !== 'string' && hasLossyNumber(text) ? LOSSY : undefined
}

/** Of JSON. */
export const LOSSY = 'has a number that cannot be kept exactly: write it in quotes, as a text'

/** What `readValue` reads the value from: a text that would be read as something else comes in quotes. */
export function valueText(value: Json, numbers = LOCAL_NUMBERS): string {
  if (typeof value === 'number') return numbers.writeNumber(value)
  const isItself =
    typeof value === 'string' && !numbers.isNumberLike(value) && readValue(value, numbers) === value
  return isItself ? value : JSON.stringify(value)
}

/** What the value is, in a word. */
export function kindOfValue(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'object') return 'object'
  return { string: 'text', number: 'number', boolean: 'yes or no' }[typeof value as 'string'] ?? 'text'
}
