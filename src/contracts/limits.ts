import { DAY_MS } from '../kernel/durations.ts'

/** Milliseconds that a contract is marked as unused before it is removed. A statement that did not see the mark has ended by then. */
export const UNUSED_MARK_MS = DAY_MS
/** Marked contracts that one run looks for. */
export const UNUSED_CONTRACTS_BATCH_SIZE = 1_000
/** Claims in which one statement looks for unused contracts. */
export const SCANNED_CLAIMS_BATCH_SIZE = 5_000
/** Claims whose contracts one transaction moves: short enough that no other transaction waits long. */
export const MOVED_CLAIMS_BATCH_SIZE = 500
/** Estimated bytes of parsed contracts in the cache: about eighty of the longest. */
export const MAX_KNOWN_CONTRACT_BYTES = 16 * 1024 * 1024

/** Milliseconds to wait for an account's currency. Without it, the hints about decimals are left out. */
export const CURRENCY_TIMEOUT_MS = 1_000
/** Milliseconds that a currency is cached. Another server may change it. */
export const CURRENCY_TTL_MS = 5_000
/** Accounts whose currency is cached. */
export const MAX_CACHED_CURRENCIES = 10_000
/** Characters of the keys of cached hints. */
export const MAX_CACHED_HINT_CHARACTERS = 2 * 1024 * 1024
