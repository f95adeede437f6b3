/**
 * SQL that sets times of rows so much later, or earlier if it is less than nothing: in UTC, since distributed tables take
 * nothing that depends on a session's time zone.
 */
export const movedBy = (interval: string, columns: readonly string[]): string =>
  columns
    .map((column) => `${column} = (${column} AT TIME ZONE 'UTC' + interval '${interval}') AT TIME ZONE 'UTC'`)
    .join(', ')

/** Of a claim, when it was created and what follows from that. */
export const TIMES_OF_CLAIM = ['created_at', 'status_since', 'due_at']
