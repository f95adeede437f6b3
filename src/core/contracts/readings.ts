import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts'

/**
 * The values that a CSV cell can be read as, one for each type. Leaves may compare a column with values of several types, and each
 * leaf uses the value of its type. Only the back-test creates such values.
 */
export class Readings {
  readonly #values: readonly Json[]

  private constructor(values: readonly Json[]) {
    this.#values = values
  }

  /** A payload value. A single value stands for itself. */
  static of(values: readonly Json[]): Json | undefined {
    return values.length > 1 ? (new Readings(values) as unknown as JsonObject) : values[0]
  }

  get values(): readonly Json[] {
    return this.#values
  }
}

/** All values at a path of keys; empty if there is none. */
export function readingsAt(value: Json | undefined, path: readonly string[]): Json[] {
  if (value === undefined) return []
  if (value instanceof Readings) return value.values.flatMap((reading) => readingsAt(reading, path))
  const [key, ...rest] = path
  if (key === undefined) return [value]
  return isJsonObject(value) && Object.hasOwn(value, key) ? readingsAt(value[key], rest) : []
}
