import { isJsonObject, type JsonObject } from '../../../src/kernel/json.ts'
import { asSentence } from '../format/as-sentence.ts'
import { problemOfValue, readValue } from '../format/value-text.ts'

/** An event while it is edited. */
export interface EventDraft {
  type: string
  /** Empty for none, or for one in the further fields. */
  id: string
  /** Empty for none. */
  value: string
  /** Further fields as JSON; empty for none. */
  fields: string
}

export const NO_EVENT: EventDraft = { type: '', id: '', value: '', fields: '' }

/** Null if the value or the fields are invalid. */
export function readEvent({ type, id, value, fields }: EventDraft): (JsonObject & { type: string }) | null {
  const read = problemOfValue(value) ? null : readFields(fields)
  return (
    read && {
      ...read,
      type,
      ...(id === '' ? {} : { id }),
      ...(value === '' ? {} : { value: readValue(value) }),
    }
  )
}

/** Null if the text is not a JSON object, or has a number that cannot be stored exactly. */
export const readFields = (text: string): JsonObject | null =>
  problemOfFields(text) ? null : text.trim() === '' ? {} : (readValue(text) as JsonObject)

export function problemOfFields(text: string): string | undefined {
  if (text.trim() === '') return undefined
  return isJsonObject(readValue(text)) ? asSentence(problemOfValue(text)) : 'Must be a JSON object'
}
