/** Customers that one statement finds. */
export const MAX_CUSTOMERS_PER_LOOKUP = 1_000
/** Claim schemas whose contracts one statement reads: two megabytes at most. More schemas are read outside the batches. */
export const MAX_SCHEMAS_PER_LOOKUP = 32
/** Customers that one statement inserts. Their responses are sent together. */
export const MAX_CUSTOMERS_PER_INSERT = 100
/** Idempotency keys that one statement inserts. */
export const MAX_KEYS_PER_INSERT = 100
/** Characters of contracts and metadata that one statement inserts: the driver writes a statement to its socket in one tick. */
export const MAX_CHARACTERS_PER_INSERT = 256 * 1024
/** Characters that each claim adds to a statement besides its contract and metadata. */
export const CLAIM_CHARACTERS = 2 * 1024
/** Short claims that one statement reads: a megabyte at most with their contracts and logs. */
export const MAX_SHORT_CLAIMS_PER_READ = 64
