/** Milliseconds. Time of an event loop tick after which tasks wait for the next tick. Other requests wait this long. */
export const COOPERATIVE_TICK_MS = 5
/** Milliseconds. Tasks get this much of a tick even if other work used the tick: tasks must make progress. */
export const COOPERATIVE_MIN_TICK_MS = 1
/** Milliseconds. Time slice of one task. Short slices let short tasks end between the slices of long tasks. */
export const COOPERATIVE_SLICE_MS = 1

/** Milliseconds. Mean latency of event submissions above which they may be overloaded. At a lower latency they never count as overloaded. */
export const OVERLOAD_LATENCY_MS = 20
/** Factor. Latency must also exceed the usual latency by this factor: some machines are always slow. */
export const OVERLOAD_LATENCY_FACTOR = 3
/** Milliseconds. The mean covers the current window and the one before. */
export const LATENCY_WINDOW_MS = 100
/** Milliseconds. Without a submission for this long there is no load to yield to. */
export const LATENCY_MAX_AGE_MS = 300
/** Milliseconds. Time constant by which the usual latency falls: a few windows of low latency show what is possible. */
export const USUAL_LATENCY_FALL_MS = 5_000
/** Milliseconds. Time constant by which the usual latency rises: an overload of minutes must not become usual. */
export const USUAL_LATENCY_RISE_MS = 600_000
/** Factor. A pause is at most this multiple of the work before: background work always makes progress. */
export const MAX_PAUSE_RATIO = 8
/** Factor. Added to the pause ratio after each piece of work during overload. */
export const PAUSE_RATIO_INCREASE = 0.5
/**
 * Factor. Subtracted from the pause ratio after each piece of work without overload. Smaller than the increase: the pause
 * ratio must not oscillate.
 */
export const PAUSE_RATIO_DECREASE = 0.1
/** Milliseconds. Longest pause, however long the work took. */
export const MAX_PAUSE_MS = 1_000

/** Milliseconds. A permit is preempted only if it was preemptible for this long: a caller that reads its response at the usual speed keeps its permit. */
export const PREEMPTIBLE_AFTER_MS = 3_000
/** Milliseconds. Interval at which a semaphore looks for permits to preempt while requests are queued. */
export const PREEMPTION_INTERVAL_MS = 250

/** Order keys with queued items for which a partition starts another batch beside one in flight. Fewer keys wait for the batch. */
export const MIN_KEYS_FOR_ANOTHER_BATCH = 8
/** First pause of an order key before a retry with backoff, in milliseconds. Each further pause is twice as long. */
export const FIRST_BACKOFF_MS = 25
/** Longest pause of an order key before a retry with backoff, in milliseconds. */
export const MAX_BACKOFF_MS = 1_000
/** Interval at which a batcher looks for items that have timed out, in milliseconds. */
export const BATCH_TIMEOUT_CHECK_INTERVAL_MS = 500

/**
 * Longest linger, in milliseconds. The linger is the time that the next batch waits for callers that were just answered. It is
 * also no longer than the previous batch took.
 */
export const MAX_LINGER_MS = 8
/** Share. A linger waits for this share of its keys: the keys that were just answered, and the keys with queued items. */
export const LINGER_SHARE = 0.75
/** Keys. A linger waits for no more than this number of keys with queued items. */
export const MAX_LINGER_KEYS = 50
/** Keys. With fewer answered and queued keys there is no linger: the gain would be too small. */
export const MIN_LINGER_KEYS = 8
/** Share. A linger that ends with less than this share of the keys that it waited for has failed. */
export const LINGER_FAILURE_SHARE = 0.5
/** Largest number of batches that skip the linger after failures. */
export const MAX_LINGER_SKIPS = 31
