import { DAY_MS } from '../kernel/durations.ts'

/** Milliseconds between the mark of an unused contract and its removal: longer than a statement that began before the mark. */
export const UNUSED_MARK_MS = DAY_MS
/** Marked contracts of one scan. */
export const UNUSED_CONTRACTS_BATCH_SIZE = 1_000
/** Claims that one statement scans for uses of marked contracts. */
export const SCANNED_CLAIMS_BATCH_SIZE = 5_000
/** Claims whose contracts one transaction moves into the table `contracts`. Other transactions wait for its locks. */
export const MOVED_CLAIMS_BATCH_SIZE = 500
/** Estimated bytes of parsed contracts in the cache: about eighty of the longest. */
export const MAX_CACHED_CONTRACT_BYTES = 16 * 1024 * 1024

/** Milliseconds to wait for an account's currency. Without it, the hints about decimals are left out. */
export const CURRENCY_TIMEOUT_MS = 1_000
/** Milliseconds that a currency is cached. Another server may change it. */
export const CURRENCY_TTL_MS = 5_000
/** Accounts whose currency is cached. */
export const MAX_CACHED_CURRENCIES = 10_000
/** Estimated characters of the cached hints and their keys. */
export const MAX_CACHED_HINT_CHARACTERS = 2 * 1024 * 1024
