/**
 * An array parameter of values that need no quotes: numbers, UUIDs, words, times. The driver would scan each character, and is slow
 * with times.
 */
export function plainArray(values: readonly (string | number | boolean | Date | null)[]): string {
  const texts = values.map((value) => (value instanceof Date ? timeText(value) : `${value ?? 'NULL'}`))
  // Adding the braces after the join would copy the whole text once more.
  texts[0] = `{${texts[0] ?? ''}`
  texts[texts.length - 1] += '}'
  return texts.join(',')
}

/** PostgreSQL writes years of five digits without the sign and the leading zeros of ISO 8601. */
const timeText = (time: Date): string => time.toISOString().replace(/^\+0*/, '')

/** Characters that JSON escapes and an array of PostgreSQL does not: control characters and lone surrogates. */
const ESCAPED_OTHERWISE = /[\p{Cc}\p{Cs}]/u

/**
 * A parameter that is an array of texts. JSON quotes texts, and writes null, as an array of PostgreSQL does. One call of
 * `JSON.stringify` is faster than the driver, which copies each text several times.
 */
export const textArray = (values: readonly (string | null)[]): string | readonly (string | null)[] =>
  values.some((value) => value !== null && ESCAPED_OTHERWISE.test(value))
    ? values
    : `{${JSON.stringify(values).slice(1, -1)}}`

/**
 * SQL for JSON as text if it has at most `maxBytes`; NULL if it is longer. The stored size is compared first: if it exceeds the
 * limit, compressed or not, the value is not read.
 */
export const ifShort = (column: string, maxBytes: number): string =>
  `CASE WHEN pg_column_size(${column}) <= ${maxBytes} AND octet_length(${column}::text) <= ${maxBytes} THEN ${column}::text END`

/** A lookup of records of an account by their ids, or by the names that the caller gave them. */
export interface Lookup {
  userId: string
  names: readonly string[]
}

/**
 * SQL for the columns of `lookupColumns`. The subselects hide the number of names from the planner: on Citus, where plans may depend
 * on values, it would otherwise plan each execution (decision 0015).
 */
export const lookupRows = (type: 'uuid' | 'text'): string =>
  `unnest((SELECT $1::integer[]), (SELECT $2::uuid[]), (SELECT $3::${type}[]))`

/** The index of the lookup, the account and the name, for each name of each lookup. */
export const lookupColumns = (lookups: readonly Lookup[]) => [
  plainArray(lookups.flatMap(({ names }, index) => names.map(() => index))),
  plainArray(lookups.flatMap(({ userId, names }) => names.map(() => userId))),
  textArray(lookups.flatMap(({ names }) => names)),
]
