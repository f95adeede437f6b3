import type { Json } from '../../../src/domain/json.ts'

/* How a value stands in a text field: a text as it is, all else as JSON. */

/** A number, true, false, null or other JSON; what is none of these is a text. */
export function readValue(text: string): Json {
  try {
    const value: Json = JSON.parse(text)
    return typeof value === 'number' && !Number.isFinite(value) ? text : value
  } catch {
    return text
  }
}

/** What `readValue` reads the value from: a text that would be read as something else comes in quotes. */
export function valueText(value: Json): string {
  return typeof value === 'string' && readValue(value) === value ? value : JSON.stringify(value)
}

/** What the value is, in a word. */
export function kindOfValue(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'object') return 'object'
  return { string: 'text', number: 'number', boolean: 'yes or no' }[typeof value as 'string'] ?? 'text'
}
