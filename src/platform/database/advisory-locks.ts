/*
 * The keys of all advisory locks on the service's database. The lists' turnstile has two, the list and the account
 * (`lists/list-page.ts`).
 */

/** Servers bring the tables up to date one after the other. */
export const MIGRATIONS = "hashtext('claimkeeper migrations')"
/** Held by the connection of the one server that builds what migrations leave to the background. */
export const BACKGROUND_MIGRATIONS = "hashtext('claimkeeper migrations in the background')"
/** Shared by the servers that move due claims; held by one that sums up what was resolved. */
export const SCHEDULED_CHECK = "hashtext('claimkeeper scheduled check')"
/** First key of what one server at a time holds that moves the due claims of a shard; the second is the shard's number. */
export const CHECK_OF_SHARD = 1_129_011_300
/** Servers that start on an empty database make the first account one after the other. */
export const BOOTSTRAP = "hashtext('claimkeeper bootstrap')"
/**
 * Upper half of the key of what writers of notifications hold until they commit; the lower half is a number that was taken
 * before theirs. The first is for those who write of any accounts; whose transaction is of one account and may be long
 * holds that of a part of all accounts (`outbox/notification-number-store.ts`).
 */
export const NOTIFYING = 1_129_011_301
export const NOTIFYING_OF_PART = 1_129_011_302
/** First key of what servers hold that watch revocations; the second is the number of the last one that was heard. */
export const REVOCATIONS = 1_129_011_299
/** First key of what a request with an Idempotency-Key holds; the second is a hash of the account and the key. */
export const IDEMPOTENCY_KEY = 1_129_011_303

/* On the embedded cluster's own database. */

/** Shared by those who use the cluster: the last one stops it. */
export const CLUSTER_IN_USE = '(17227, 1)'
/** The one service that runs on it. */
export const CLUSTER_SERVICE = '(17227, 2)'
/** Its database and role are made by one process at a time. */
export const CLUSTER_SETUP = '(17227, 3)'
