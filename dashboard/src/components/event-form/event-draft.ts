import { isJsonObject, type JsonObject } from '../../../../src/domain/json.ts'
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

/** Null if it is not a JSON object. */
export function readFields(text: string): JsonObject | null {
  if (text.trim() === '') return {}
  const value = readValue(text)
  return isJsonObject(value) ? value : null
}
