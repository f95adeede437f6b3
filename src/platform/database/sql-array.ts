/**
 * A parameter that is an array of what needs no quotes: numbers, UUIDs, words, times. The driver would look at each
 * character, and is slow with times.
 */
export function plainArray(values: readonly (string | number | boolean | Date | null)[]): string {
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
 * A parameter that is an array of texts. JSON quotes texts, and writes null, as an array of PostgreSQL does. One call of
 * `JSON.stringify` is faster than the driver, which copies each text several times.
 */
export const textArray = (values: readonly (string | null)[]): string | readonly (string | null)[] =>
  values.some((value) => value !== null && ESCAPED_OTHERWISE.test(value))
    ? values
    : `{${JSON.stringify(values).slice(1, -1)}}`

/**
 * SQL for JSON as text if it has no more bytes than `most`; NULL if it is longer. What takes more as it is stored,
 * perhaps compressed, is longer for sure, and is not read to tell.
 */
export const ifShort = (column: string, most: number): string =>
  `CASE WHEN pg_column_size(${column}) <= ${most} AND octet_length(${column}::text) <= ${most} THEN ${column}::text END`

/** What is asked for of an account, by names of one kind: ids, or those that the caller has given. */
export interface AskedNames {
  userId: string
  names: readonly string[]
}

/**
 * SQL for the columns of `askedColumns`. By the subselects the planner does not see how many names there are: where it may plan
 * for values, on distributed tables, it would do so each time (decision 0015).
 */
export const askedRows = (type: 'uuid' | 'text'): string =>
  `unnest((SELECT $1::integer[]), (SELECT $2::uuid[]), (SELECT $3::${type}[]))`

/** Which of those who ask, of which account, for which name. */
export const askedColumns = (asked: readonly AskedNames[]) => [
  plainArray(asked.flatMap(({ names }, asking) => names.map(() => asking))),
  plainArray(asked.flatMap(({ userId, names }) => names.map(() => userId))),
  textArray(asked.flatMap(({ names }) => names)),
]
