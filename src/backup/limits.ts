/* Limits of backups. */

/** Bytes of a line that is not a row: column lists are far shorter. A longer line means that the file is damaged. */
export const MAX_LINE_BYTES = 64 * 1024

/** How long the lock on the tables may wait for a change of the schema. */
export const TABLE_LOCK_TIMEOUT_SECONDS = 10
/** Rows are read in chunks of this size. */
export const COPY_CHUNK_BYTES = 256 * 1024
/** A database that sends nothing for this long is lost. */
export const MAX_SILENCE_MS = 300_000
/** The reading pauses as long as it worked, so that submissions have at least half of the database. Timers are inexact below this. */
export const MIN_PAUSE_MS = 20
/** A chunk that took longer waited for the disk or for the reader. */
export const MAX_PAUSE_MS = 250

/** How long a restoration waits for the migrations or the restoration of another process. */
export const MIGRATION_LOCK_TIMEOUT_MS = 60_000
/**
 * A restoration skips this many numbers of notifications. A reader of the feed may have seen numbers that were given after the
 * backup. New notifications come after these numbers, so that no reader misses one and no ID is used twice.
 */
export const SKIPPED_NOTIFICATION_NUMBERS = 1_000_000_000_000n
