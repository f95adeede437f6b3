/* Limits of the command line. */

/** Without a terminal, progress is reported this often. */
export const PROGRESS_INTERVAL_MS = 10_000
/** Background migrations report each further step of this size, in percent. */
export const MIGRATION_REPORT_STEP_PERCENT = 10
/** Bytes that one read of a backup returns. */
export const READ_CHUNK_BYTES = 256 * 1024
/** After a fault, the process is killed if it has not stopped by then. It covers the drain time and the stop of the database. */
export const FAULT_STOP_TIMEOUT_MS = 15_000

/** The timeout of a local delivery, the same as of a webhook delivery (docs/guides/webhooks.md). */
export const DELIVERY_TIMEOUT_MS = 15_000
/** The pauses before the retries of a local delivery. */
export const DELIVERY_PAUSES_MS = [500, 1_000, 2_000]
/** A response is read up to this size, so that the receiver can finish it, and discarded. */
export const MAX_RESPONSE_BYTES = 65_536
/** The service sends something every 15 s, so three times that means a lost connection. */
export const FEED_SILENCE_TIMEOUT_MS = 45_000
/** The pause before a lost feed is opened again doubles from the first value to the second. */
export const MIN_RECONNECT_PAUSE_MS = 500
export const MAX_RECONNECT_PAUSE_MS = 8_000
/** Characters of an event of the notification stream. Notifications are far shorter. */
export const MAX_STREAM_EVENT_LENGTH = 16 * 1_048_576
/** Years of public holidays that one command computes. */
export const MAX_HOLIDAY_YEARS = 50
