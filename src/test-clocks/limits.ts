/** Milliseconds. A caller that waits for a locked test clock notices its release after this long. */
export const LOCK_POLL_INTERVAL_MS = 50
/** Milliseconds. An advance or a deletion waits this long for other transactions that have locked its clock, then answers UNAVAILABLE. */
export const CLOCK_WAIT_TIMEOUT_MS = 30_000
/** Milliseconds. Lock timeout of one attempt: longer than a write of submissions or creations takes. */
export const CLOCK_LOCK_TIMEOUT_MS = 500
