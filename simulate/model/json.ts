/** A value as JSON knows it. */
export type Json = null | boolean | number | string | Json[] | JsonObject
export interface JsonObject {
  [key: string]: Json
}

/** The same text for equal values: keys are sorted. */
export function canonical(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (value === null || typeof value !== 'object') return String(JSON.stringify(value))
  const fields = Object.entries(value).map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`)
  return `{${fields.sort().join()}}`
}

export const same = (a: Json | undefined, b: Json | undefined): boolean => canonical(a) === canonical(b)
