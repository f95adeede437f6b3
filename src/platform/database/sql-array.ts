/**
 * A parameter that is an array of what needs no quotes: numbers, UUIDs, words, times. The driver would look at each
 * character, and is slow with times.
 */
export function plainArray(values: readonly (string | number | Date | null)[]): string {
  const texts = values.map((value) => (value instanceof Date ? timeText(value) : `${value ?? 'NULL'}`))
  // Put around what was joined, all of it would be copied once more.
  texts[0] = `{${texts[0] ?? ''}`
  texts[texts.length - 1] += '}'
  return texts.join(',')
}

/** PostgreSQL writes years of five digits without the sign and the noughts of ISO 8601. */
const timeText = (time: Date): string => time.toISOString().replace(/^\+0*/, '')

/** What JSON escapes and an array of PostgreSQL's does not: control characters, and halves of surrogate pairs. */
const ESCAPED_OTHERWISE = /[\p{Cc}\p{Cs}]/u

/**
 * A parameter that is an array of texts. Quotes and backslashes are written as in JSON, which is made in one go; the
 * driver would make several texts of each.
 */
export const textArray = (values: readonly string[]): string | readonly string[] =>
  values.some((value) => ESCAPED_OTHERWISE.test(value)) ? values : `{${JSON.stringify(values).slice(1, -1)}}`
