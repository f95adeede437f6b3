/**
 * SQL for the version of a record: a digest of these columns. It changes with them, and is the same on every server, in every
 * version and after a restoration. Pass times as epochs: their text depends on settings of the connection.
 */
export const versionOf = (...columns: string[]): string =>
  `left(encode(sha256(convert_to(ROW(${columns.join(', ')})::text, 'UTF8')), 'hex'), 32)`

/**
 * SQL for whether the row has one of the expected versions; true if the parameter is null. It belongs in the WHERE of the change: a
 * change that waited for another one is then compared with the row that the other one left.
 */
export const isExpected = (version: string, parameter: string): string =>
  `(${parameter}::text[] IS NULL OR ${version} = ANY (${parameter}::text[]))`
