import { DAY_MS, HOUR_MS } from '../kernel/durations.ts'

/* Limits of the archive. */

/** A file with more claims takes long to read for one claim. */
export const MAX_CLAIMS_PER_FILE = 1_000
/** Bytes of the logs of a file's claims; a single claim may exceed it. */
export const MAX_LOG_BYTES_PER_FILE = 32 * 1024 * 1024
/** Fewer claims than fill a file wait this long for others, so that not each claim gets a file of its own. */
export const MAX_WAIT_FOR_FULL_FILE_MS = DAY_MS
/** Claims of one account with unfinished deliveries that a run skips. Claims after them wait. */
export const MAX_SKIPPED_CLAIMS = 20_000
/** One transaction removes at most this many claims, so that no other statement waits long for its locks. */
export const MAX_CLAIMS_PER_REMOVAL = 200
/** After all accounts were searched, the job pauses this long. */
export const PAUSE_AFTER_ALL_ACCOUNTS_MS = 5 * 60_000

/** Claims that one statement reads: 6 MiB with the longest contracts. */
export const MAX_CLAIMS_PER_READ = 100
/** Bytes of the logs of those claims. A longer log is read alone, page by page. */
export const MAX_LOG_BYTES_PER_READ = 1024 * 1024
/** Events of a page of a long log: 4 MiB with the largest payloads. */
export const EVENTS_PER_READ = 16

/** A claim with a longer log stays in the database: its line would exceed the longest string of Node. */
export const MAX_ARCHIVED_LOG_BYTES = 64 * 1024 * 1024
/** Bytes that a line has for each event beside the payload. */
export const BYTES_PER_EVENT_WITHOUT_PAYLOAD = 200

/** A server that stops archiving without a release blocks the others for this long. A batch takes seconds. */
export const ARCHIVE_LEASE_SECONDS = 120

/** Characters of payloads, and events, that one statement restores. */
export const RESTORE_BATCH = { maxWeight: 1024 * 1024, maxItems: 1_000 }

/** The check reports a file without claims only from this age on. A server records a file within minutes. */
export const MIN_ORPHAN_AGE_MS = HOUR_MS
