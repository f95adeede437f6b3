/** Attempts of a keyed request that meets a deadlock or a lock timeout. */
export const MAX_KEYED_REQUEST_ATTEMPTS = 3
/** Characters of an idempotency key. A key may become the id of an event, which has the same limit. */
export const MAX_KEY_LENGTH = 255
/** PostgreSQL interval for which a key and its response are kept (§4.17). */
export const KEY_RETENTION = '24 hours'
