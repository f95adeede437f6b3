/** Claims. A batch that one statement moves: large enough to be fast, small enough not to delay submissions. */
export const MOVE_BATCH_SIZE = 1_000
/** Milliseconds. Lock timeout of a move. A claim that another transaction locks for longer is left for a repeated pass. */
export const MOVE_LOCK_TIMEOUT_MS = 100
/** Claims. One statement lists this many due claims, in about 50 ms. */
export const LIST_BATCH_SIZE = 10_000
/** Claims. The same on distributed tables, where each list asks every shard. */
export const DISTRIBUTED_LIST_BATCH_SIZE = 250_000
/**
 * Claims. On distributed tables, this many claims for each shard are read at a time. Shards do not get equal shares, so the average
 * is less than MOVE_BATCH_SIZE: with MOVE_BATCH_SIZE itself, half of the shards would need a second batch for a few claims.
 */
export const READ_BATCH_SIZE_PER_SHARD = 900
/** Claims. A check lists and moves its claims in passes. A pass has the ids of this many claims in memory, 16 bytes each. */
export const PASS_SIZE = 500_000
/** Milliseconds. A pass stops listing after this long, so that claims move in each minute even if listing is slow. */
export const LISTING_TIMEOUT_MS = 10_000
/** Repeated passes over the due times of one pass, for claims that were locked or changed. The next check moves the rest. */
export const MAX_REPEATED_PASSES = 10
/** Milliseconds. A server that waits for shards of another server tries again after this long. */
export const SHARD_LOCK_POLL_INTERVAL_MS = 100
/** Seconds. PostgreSQL ends a connection that holds shard locks and is idle for this long. No check of a minute takes longer. */
export const SHARD_LOCK_IDLE_TIMEOUT_SECONDS = 300
/** Claims. After a failed check of distributed tables, this many due claims of each shard are listed at a time. */
export const RECOVERY_LIST_SIZE_PER_SHARD = 5_000
/** Rounds of lists after a failed check. The next check continues. */
export const MAX_RECOVERY_ROUNDS = 10
/** Milliseconds. If the host's clock is ahead of the database's clock by at most this much, a check waits for the database's clock. */
export const MAX_HOST_CLOCK_LEAD_MS = 5_000
/** Seconds between two updates of the totals of resolutions, which the overview reads. */
export const RESOLUTION_TOTALS_INTERVAL_SECONDS = 300
