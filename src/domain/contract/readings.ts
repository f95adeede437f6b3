import { isJsonObject, type Json, type JsonObject } from '../json.ts'

/**
 * The values that a text without a type may be read as, one of each type: leaves of a contract may compare a column of
 * CSV with values of several types, and each takes the reading of its own. Only the back-test makes such values.
 */
export class Readings {
  readonly #values: readonly Json[]

  private constructor(values: readonly Json[]) {
    this.#values = values
  }

  /** As a value of a payload. With one value it is that value. */
  static of(values: readonly Json[]): Json | undefined {
    return values.length > 1 ? (new Readings(values) as unknown as JsonObject) : values[0]
  }

  get values(): readonly Json[] {
    return this.#values
  }
}

/** The values at a path of keys, of every reading; none if there is none. */
export function readingsAt(value: Json | undefined, path: readonly string[]): Json[] {
  if (value === undefined) return []
  if (value instanceof Readings) return value.values.flatMap((reading) => readingsAt(reading, path))
  const [key, ...rest] = path
  if (key === undefined) return [value]
  return isJsonObject(value) && Object.hasOwn(value, key) ? readingsAt(value[key], rest) : []
}
