/*
 * The keys of all advisory locks on the service's database, except those of the insert barrier (`lists/list-page.ts`), whose keys
 * are the list and the account.
 */

/** Held by the server that migrates. */
export const MIGRATIONS = "hashtext('claimkeeper migrations')"
/** Held by the connection of the server that runs background migrations. */
export const BACKGROUND_MIGRATIONS = "hashtext('claimkeeper migrations in the background')"
/** Shared by servers that move due claims; exclusive for the server that updates the totals of resolved claims. */
export const SCHEDULED_CHECK = "hashtext('claimkeeper scheduled check')"
/** First key of the lock of a shard whose due claims a server moves. The second key is the shard's number. */
export const SHARD_CHECK = 1_129_011_300
/** Held by the server that creates the first account. */
export const BOOTSTRAP = "hashtext('claimkeeper bootstrap')"
/**
 * Upper half of the key of the lock that writers of notifications hold until they commit. The lower half is a number that was drawn
 * before theirs. The first constant is for writes of any accounts, the second for long transactions of one account, which lock only
 * a part of all accounts (`outbox/notification-number-store.ts`).
 */
export const NOTIFYING = 1_129_011_301
export const NOTIFYING_PARTITION = 1_129_011_302
/** First key of the lock of a server that receives revocations. The second is the number of the last one it received. */
export const REVOCATIONS = 1_129_011_299
/** First key of the lock of a request with an Idempotency-Key. The second is a hash of the account and the key. */
export const IDEMPOTENCY_KEY = 1_129_011_303

/* Locks on the maintenance database of the embedded PostgreSQL. */

/** Shared by all processes that use the embedded PostgreSQL. The last one stops it. */
export const CLUSTER_IN_USE = '(17227, 1)'
/** Held by the service: only one runs on a data folder. */
export const CLUSTER_SERVICE = '(17227, 2)'
/** Held by the process that creates the database and the role. */
export const CLUSTER_SETUP = '(17227, 3)'
