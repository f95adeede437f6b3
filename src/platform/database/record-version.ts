/**
 * SQL for the version of a record: a digest of these columns, so it is another after each change of them, and the same for
 * every server, of an older version too, and after a restore. Of times take the epoch: as text they depend on settings of
 * the connection.
 */
export const versionOf = (...columns: string[]): string =>
  `left(encode(sha256(convert_to(ROW(${columns.join(', ')})::text, 'UTF8')), 'hex'), 32)`

/**
 * SQL for whether a row may be changed by who expects one of the versions of a parameter; by anyone if that is null. In the
 * WHERE of the change itself: whoever waited for another's change of the row is judged by what that has left.
 */
export const isExpected = (version: string, parameter: string): string =>
  `(${parameter}::text[] IS NULL OR ${version} = ANY (${parameter}::text[]))`
