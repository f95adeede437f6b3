import { isJsonObject, type JsonObject } from '../../../../src/kernel/json.ts'
import { asSentence } from '../../as-sentence.ts'
import { problemOfValue, readValue } from '../../condition-builder/value-text.ts'

/** An event as it is being written. */
export interface EventDraft {
  type: string
  /** Empty for none. */
  value: string
  /** Further fields as JSON; empty for none. */
  fields: string
}

export const NO_EVENT: EventDraft = { type: '', value: '', fields: '' }

/** Null if its value is none, or its fields are not a JSON object. */
export function readEvent({ type, value, fields }: EventDraft): (JsonObject & { type: string }) | null {
  const read = problemOfValue(value) ? null : readFields(fields)
  return read && { ...read, type, ...(value === '' ? {} : { value: readValue(value) }) }
}

/** Null if it is not a JSON object, or would be kept as another (`problemOfFields`). */
export const readFields = (text: string): JsonObject | null =>
  problemOfFields(text) ? null : text.trim() === '' ? {} : (readValue(text) as JsonObject)

export function problemOfFields(text: string): string | undefined {
  if (text.trim() === '') return undefined
  return isJsonObject(readValue(text)) ? asSentence(problemOfValue(text)) : 'Must be a JSON object'
}
