import { hasLossyNumber } from '../../../src/kernel/exact-numbers.ts'
import type { Json } from '../../../src/kernel/json.ts'
import { LOCAL_NUMBERS } from './local-number.ts'

/*
 * Values in text fields: text as it is, numbers in the browser's locale, other values as JSON.
 */

/** A number or other JSON. Anything else is text. */
export function readValue(text: string, numbers = LOCAL_NUMBERS): Json {
  if (numbers.isNumberLike(text)) return numbers.readNumber(text).number ?? text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** For a number field: a text that is no number stays a text, which validation reports. @param times factor */
export const readNumberValue = (text: string, factor = 1, numbers = LOCAL_NUMBERS): Json =>
  numbers.readNumber(text, factor).number ?? (numbers.isNumberLike(text) ? text : readValue(text, numbers))

/** Why the text is refused: it looks like a number but is ambiguous or inexact, or it contains such a number. */
export function problemOfValue(text: string, numbers = LOCAL_NUMBERS): string | undefined {
  if (numbers.isNumberLike(text)) {
    const { problem } = numbers.readNumber(text)
    return problem && `${problem}, or ${JSON.stringify(text.trim())} for text`
  }
  return typeof readValue(text, numbers) !== 'string' && hasLossyNumber(text) ? LOSSY : undefined
}

export const LOSSY = 'has a number that cannot be stored exactly: write it in quotes, as text'

/** The inverse of `readValue`. A text that would be read as another value is quoted. */
export function valueText(value: Json, numbers = LOCAL_NUMBERS): string {
  if (typeof value === 'number') return numbers.writeNumber(value)
  const isItself =
    typeof value === 'string' && !numbers.isNumberLike(value) && readValue(value, numbers) === value
  return isItself ? value : JSON.stringify(value)
}

/** The kind of a value. */
export function kindOfValue(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'object') return 'object'
  return { string: 'text', number: 'number', boolean: 'true or false' }[typeof value as 'string'] ?? 'text'
}
