/**
 * SQL that moves times of rows by an interval, which may be negative. In UTC, because distributed tables reject
 * expressions that depend on a session's time zone.
 */
export const movedBy = (interval: string, columns: readonly string[]): string =>
  columns
    .map((column) => `${column} = (${column} AT TIME ZONE 'UTC' + interval '${interval}') AT TIME ZONE 'UTC'`)
    .join(', ')

/** Times of a claim that move with its creation. */
export const TIMES_OF_CLAIM = ['created_at', 'status_since', 'due_at']
