/** Expired keys or positions that one statement removes. */
export const REMOVAL_BATCH_SIZE = 500
/** Accounts or endpoints that one statement lists. */
export const OWNER_BATCH_SIZE = 1_000
