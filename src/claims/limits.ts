/* Limits of one statement or one read. Limits that callers see: `core/limits.ts`. */

/** Customers that one statement finds. */
export const MAX_CUSTOMERS_PER_LOOKUP = 1_000
/** Claim schemas whose contracts one statement reads: two megabytes at most. More schemas are read outside the batches. */
export const MAX_SCHEMAS_PER_LOOKUP = 32
/** Customers that one statement inserts. Their responses are sent in one tick, which blocks other requests. */
export const MAX_CUSTOMERS_PER_INSERT = 100
/** Idempotency keys that one statement inserts. */
export const MAX_KEYS_PER_INSERT = 100
/**
 * Characters of contracts and metadata that one statement inserts. The last claim may exceed it. The driver writes a statement to
 * its socket in one tick.
 */
export const MAX_CHARACTERS_PER_INSERT = 256 * 1024
/** Characters that each claim adds to a statement besides its contract and metadata. */
export const CLAIM_CHARACTERS = 2 * 1024
/** Short claims that one statement reads: a megabyte at most. Short claims are claims with a small contract and log. */
export const MAX_SHORT_CLAIMS_PER_READ = 64

/** Claims that an export reads at a time. */
export const EXPORT_PAGE_SIZE = 500
/** Contracts over `MAX_INLINE_CONTRACT_BYTES` that are read at a time: up to 512 KiB. */
export const LONG_CONTRACTS_BATCH_SIZE = 8
/** Payloads over `MAX_INLINE_PAYLOAD_BYTES` that are read at a time: up to 256 KiB each. */
export const LONG_PAYLOADS_BATCH_SIZE = 1
/** Bytes of a contract that is read with the row of its claim. */
export const MAX_INLINE_CONTRACT_BYTES = 4 * 1024
/** Bytes of a payload that is read with its event. */
export const MAX_INLINE_PAYLOAD_BYTES = 4 * 1024
/** Events on a page of a log: up to 512 KiB with listed payloads. */
export const LOG_PAGE_SIZE = 128
/** Events per page when decisive events are read. */
export const MAX_DECISIVE_PAGE_EVENTS = 500
/** Bytes of payloads per page when decisive events are read. The first event is on the page whatever its size. */
export const MAX_DECISIVE_PAGE_BYTES = 512 * 1024
/** Bytes of a log, ids included, that is read together with other logs. */
export const MAX_SHORT_LOG_BYTES = 64 * 1024
/** Bytes of payloads of a long log that are read at a time. */
export const LONG_LOG_BATCH_BYTES = 512 * 1024
/** Bytes of a contract that is read together with its claim for a decision. A read after a cache miss takes longer. */
export const MAX_EAGER_CONTRACT_BYTES = 1024

/** Index entries that a list page scans first. If most records match, they fill the page. */
export const FIRST_SCAN_ENTRIES = 500
/** Index entries that a list page scans at most: about 10 ms. */
export const MAX_SCANNED_ENTRIES = 10_000
/** Records found by one filter that are sorted instead of scanning the list in its order. */
export const MAX_SORTED_ENTRIES = 10_000
/** Index entries that a total counts at most: about 10 ms. */
export const MAX_COUNTED_ENTRIES = 10_000
/** Index entries of a search that are read to find where its matches are: about 10 ms. Beyond it, they may be anywhere. */
export const MAX_SEARCH_ENTRIES = 20_000

/** Ids of claims that one statement looks up for a repeated request. */
export const MAX_IDS_PER_LOOKUP = 250
/** Time that a creation waits for a test clock that is being advanced, in milliseconds. */
export const CLOCK_WAIT_TIMEOUT_MS = 5_000

/** Aliases of other accounts that one account may learn of in a window, on each server. */
export const MAX_FOREIGN_ALIASES_PER_WINDOW = 100
/** Length of that window, in milliseconds. */
export const FOREIGN_ALIAS_WINDOW_MS = 60_000
/** Accounts whose windows are kept. Beyond, the least recently used are dropped. */
export const MAX_ALIAS_WINDOWS = 10_000
