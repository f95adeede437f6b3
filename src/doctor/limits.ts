/* Limits of the doctor and of the readiness check. */

/** Claims of a sample. */
export const CLAIM_SAMPLE_SIZE = 1_000
/** Claims that one statement reads. */
export const CLAIM_PAGE_SIZE = 500
/** Bytes of claims and logs that one statement reads. */
export const MAX_BYTES_PER_READ = 4 * 1024 * 1024
/** Damaged claims that the report names. */
export const MAX_REPORTED_CLAIMS = 10
/** Claims beyond which the number is the planner's estimate: counting would take too long. */
export const MAX_COUNTED_CLAIMS = 1_000_000
/** A sample draws this many times its size in whole pages of the table, so that it need not be read completely. */
export const SAMPLE_SURPLUS_FACTOR = 3
/** Deliveries that one statement reads, and that the check of a sample covers. */
export const DELIVERY_PAGE_SIZE = 1_000

/** A warning is given when the last holiday of a calendar is within this many days. */
export const HOLIDAYS_END_WITHIN_DAYS = 60
/** Calendars that the warning names. */
export const MAX_REPORTED_CALENDARS = 5

/** Two scheduled checks. */
export const MAX_OVERDUE_SECONDS = 120
/** How long an open transaction may hold back the feed. */
export const HELD_FEED_SECONDS = { warning: 10, fault: 60 }
export const MAX_DELIVERY_WAIT_SECONDS = 60
/** The first makes displayed times confusing. With the second, tokens and links expire at a wrong time. */
export const CLOCK_DIFFERENCE_MS = { warning: 2_000, fault: 60_000 }
const MEBIBYTE = 1024 * 1024
export const MIN_FREE_DISK_BYTES = { warning: 2_048 * MEBIBYTE, fault: 256 * MEBIBYTE }
/** Connections that a process opens outside its pool, at most: for LISTEN and for background migrations. */
export const MAX_CONNECTIONS_BESIDE_POOL = 3

/** How long a successful decision is valid. A failed one is repeated by the next check. */
export const DECISION_TTL_MS = 10_000
/** How long other transactions may hold the locks of a decision before the server is not ready. */
export const MAX_LOCKED_MS = 30_000
/** How long a result is reused. */
export const READINESS_TTL_MS = 2_000
export const READINESS_TIMEOUT_MS = 3_000
/** How long the test of a decision waits for a lock. */
export const DECISION_LOCK_TIMEOUT_MS = 500
