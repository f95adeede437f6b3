/*
 * The keys of all advisory locks on the service's database, except those of the insert barrier (`lists/list-page.ts`),
 * whose keys are the list and the account. A key is one bigint or two integers. The numbers are arbitrary, and must not
 * change: servers of several versions share the database.
 */

/** Held by the server that migrates. */
export const MIGRATIONS = "hashtext('claimkeeper migrations')"
/** Held by the server that runs background migrations. */
export const BACKGROUND_MIGRATIONS = "hashtext('claimkeeper migrations in the background')"
/** Shared by servers that move due claims; exclusive for the server that updates the totals of resolved claims. */
export const SCHEDULED_CHECK = "hashtext('claimkeeper scheduled check')"
/** Two keys: this one and the shard's number. Held by the server that moves the due claims of the shard. */
export const SHARD_CHECK = 1_129_011_300
/** Held by the server that creates the first account. */
export const BOOTSTRAP = "hashtext('claimkeeper bootstrap')"
/**
 * Upper half of a bigint. The lower half is the last notification number before the numbers of the transaction. Held by
 * a transaction that writes notifications, until it commits (`outbox/notification-number-store.ts`).
 */
export const NOTIFICATION_NUMBERS = 1_129_011_301
/** The same for a long transaction of one account. The partition of the account (0 to 255) is added. */
export const NOTIFICATION_NUMBERS_PARTITION = 1_129_011_302
/** Two keys: this one and the number of the last revocation that the server received. Held by each server. */
export const REVOCATIONS_RECEIVED = 1_129_011_299
/** Two keys: this one and a hash of the account and the Idempotency-Key. Held during the request. */
export const IDEMPOTENCY_KEY = 1_129_011_303

/* Locks on the maintenance database of the embedded PostgreSQL. */

/** Shared by all processes that use the embedded PostgreSQL. The last one stops it. */
export const CLUSTER_IN_USE = '(17227, 1)'
/** Held by the service: only one runs on a data folder. */
export const CLUSTER_SERVICE = '(17227, 2)'
/** Held by the process that creates the database and the role. */
export const CLUSTER_SETUP = '(17227, 3)'
