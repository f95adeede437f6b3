/** Notifications of an account that one statement removes. */
export const REMOVAL_BATCH_SIZE = 1_000
/** Milliseconds. A stream sends data at least this often, so that no proxy closes the connection. */
export const HEARTBEAT_INTERVAL_MS = 15_000
/** Milliseconds. A browser reconnects to a broken stream after this long. */
export const STREAM_RETRY_MS = 1_000
/** @public open notification streams of an account on one process, else 429 */
export const MAX_STREAMS_PER_ACCOUNT = 20
/** Open streams of all accounts on one process. */
export const MAX_STREAMS = 2_000
/** Milliseconds between polls for new notifications, for all waiting requests together. */
export const FEED_POLL_INTERVAL_MS = 100
/** @public requests of an account that wait for notifications on one process, streams included, else 429 */
export const MAX_WAITING_PER_ACCOUNT = 100
/** Notifications that a page of a filtered feed scans. */
export const MAX_SCANNED_PER_PAGE = 1_000
/** Notifications whose claims are read at a time, with contracts of 512 KiB at most. */
export const LOOKUP_BATCH_SIZE = 100
/** @public a request waits for the next notification for at most */
export const MAX_WAIT_SECONDS = 30
