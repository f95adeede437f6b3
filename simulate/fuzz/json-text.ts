/** Text that is written verbatim in place of a JSON value. It may be invalid. */
export class Raw {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Writes a value as JSON. Lone surrogates are escaped. */
export function write(value: unknown): string {
  if (value instanceof Raw) return value.text
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const fields = Object.entries(value).map(([key, field]) => `${JSON.stringify(key)}:${write(field)}`)
  return `{${fields.join(',')}}`
}

/** Undefined if the text is not JSON. */
export function read(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const withoutByteOrderMark = (text: string): string => text.replace(/^\ufeff/, '')

/** An object without a prototype: `__proto__` is a plain key. */
export function fieldsOf(entries: Iterable<readonly [string, unknown]>): Record<string, unknown> {
  const fields = Object.create(null) as Record<string, unknown>
  for (const [key, value] of entries) fields[key] = value
  return fields
}
