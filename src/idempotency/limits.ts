import { MAX_NAME_LENGTH } from '../core/limits.ts'

/** Attempts of a keyed request that meets a deadlock or a lock timeout. */
export const MAX_KEYED_REQUEST_ATTEMPTS = 3
/** Characters of an idempotency key. A key may become the id of an event. */
export const MAX_KEY_LENGTH = MAX_NAME_LENGTH
/** PostgreSQL interval for which a key and its response are kept (§4.17). */
export const KEY_RETENTION = '24 hours'
