/**
 * A parameter that is an array of what needs no quotes: numbers, UUIDs, words, times. The driver would look at each
 * character, and is slow with times.
 */
export const plainArray = (values: readonly (string | number | Date | null)[]): string =>
  `{${values.map((value) => (value instanceof Date ? timeText(value) : (value ?? 'NULL'))).join(',')}}`

/** PostgreSQL writes years of five digits without the sign and the noughts of ISO 8601. */
const timeText = (time: Date): string => time.toISOString().replace(/^\+0*/, '')
