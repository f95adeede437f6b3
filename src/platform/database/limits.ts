/** Milliseconds a statement may run, where its pool says nothing else. The server cancels it. */
export const STATEMENT_TIMEOUT_MS = 30_000
/** Milliseconds without a response after the statement timeout. Then the connection is destroyed. */
export const RESPONSE_TIMEOUT_MS = 5_000
/** Milliseconds between two looks for connections without a response. */
export const RESPONSE_WATCH_INTERVAL_MS = 1_000
/** Milliseconds a transaction may be idle, where its pool says nothing else. The leader lock of the scheduled check is idle longest. */
export const IDLE_TRANSACTION_TIMEOUT_MS = 300_000
/** Milliseconds that a closing pool waits for statements in flight. */
export const CLOSE_GRACE_MS = 1_000
/** Milliseconds until a closing pool leaves connections that are still being opened. */
export const CLOSE_TIMEOUT_MS = 1_500
/** Requests that wait for a connection of a pool: of all accounts, and as many of the service itself. */
export const MAX_QUEUED = 1_000
/** Requests of one account that wait for a connection of a pool, where the pool says nothing else. */
export const MAX_QUEUED_PER_ACCOUNT = 250

/**
 * Items of a statement batcher that are queued or in flight: about a thousand that wait, and two batches. On distributed tables
 * for each machine.
 */
export const MAX_PENDING_BATCH_ITEMS = 1_500
/** The same of one account: other accounts find room. */
export const MAX_PENDING_BATCH_ITEMS_PER_ACCOUNT = 500
/** Batches of a statement batcher in flight: one is sent while the other commits. On distributed tables one per machine. */
export const MAX_BATCHES_IN_FLIGHT = 2
/** Time after which a few items start a second batch, in milliseconds: the batch in flight may be stalled. */
export const BATCH_STALL_AFTER_MS = 10
/** Time that an item of a statement batcher may be queued, in milliseconds. */
export const BATCH_QUEUE_TIMEOUT_MS = 5_000
/** Items of a batch that are answered in one tick of the event loop: each starts work on its response. */
export const MAX_BATCH_ANSWERS_PER_TICK = 16
