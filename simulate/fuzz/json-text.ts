/** A piece of JSON, or of what only looks like it, that is written as it is. */
export class Raw {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Writes a value as JSON, with its raw pieces. Half surrogates are written as escapes. */
export function write(value: unknown): string {
  if (value instanceof Raw) return value.text
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const fields = Object.entries(value).map(([key, field]) => `${JSON.stringify(key)}:${write(field)}`)
  return `{${fields.join(',')}}`
}

/** The value as others would read it; undefined if it is not JSON. */
export function read(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Without the byte order mark that may come first. */
export const withoutMark = (text: string): string => text.replace(/^\ufeff/, '')

/** An object whose keys are all its own, `__proto__` too. */
export function fieldsOf(entries: Iterable<readonly [string, unknown]>): Record<string, unknown> {
  const fields = Object.create(null) as Record<string, unknown>
  for (const [key, value] of entries) fields[key] = value
  return fields
}
