/** A value as JSON knows it. Bodies reach the domain parsed, with no NUL, lone surrogate or unsafe number. */
export type Json = null | boolean | number | string | Json[] | JsonObject
export interface JsonObject {
  [key: string]: Json
}

/**
 * JSON that is held as text and parsed on demand, each time that its value is needed. As an object, JSON may take thirty times the
 * memory of its text.
 */
export class RawJson<T = Json> {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  parse(): T {
    return JSON.parse(this.text)
  }
}

export const parsed = <T>(json: T | RawJson<T>): T => (json instanceof RawJson ? json.parse() : json)

/** The types of JSON, by their names in messages. */
export type JsonType = 'text' | 'number' | 'boolean' | 'null' | 'array' | 'object'

export function jsonTypeOf(value: Json): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'string' ? 'text' : (typeof value as 'number' | 'boolean' | 'object')
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Deep equality; the order of an object's keys does not matter, an array's order does. */
export function jsonEquals(a: Json, b: Json): boolean {
  if (a === b) return true
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => jsonEquals(item, b[i] as Json))
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && jsonEquals(a[key] as Json, b[key] as Json))
  )
}

/** The value at a path of keys, or undefined. Arrays have no keys. */
export function valueAt(object: JsonObject, path: readonly string[]): Json | undefined {
  let value: Json | undefined = object
  for (const key of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined
    value = value[key]
  }
  return value
}
