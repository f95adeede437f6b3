import { BATCH_STALL_AFTER_MS } from '../platform/database/limits.ts'

/** Submissions that are queued or in flight. One account may have as many as are left for others: alone, half of them. */
export const MAX_PENDING_SUBMISSIONS = 10_000
/** Bytes of the payloads of these submissions. */
export const MAX_PENDING_PAYLOAD_BYTES = 32 * 1024 * 1024

/** Submissions of one group commit. */
export const MAX_BATCH_SUBMISSIONS = 500
/** Bytes of their payloads. The driver writes a statement to its socket in one tick: 4 MiB took 290 ms. */
export const MAX_BATCH_PAYLOAD_BYTES = 1024 * 1024
/** Bytes of contracts, and of a quarter of the logs, that one group commit reads. */
export const MAX_BATCH_READ_BYTES = 512 * 1024
/**
 * Bytes of unknown contracts among them: parsing 128 KiB and compiling the conditions takes up to 100 ms on a slow machine. A
 * batch of oversized claims takes no more claims than fit, so each of its claims is decided.
 */
export const MAX_BATCH_PARSED_BYTES = 128 * 1024

/** Time after which a submission is not retried, in milliseconds. */
export const SUBMISSION_RETRY_TIMEOUT_MS = 5_000
/** Time after which each submission is answered, in milliseconds, although its statement has no answer. */
export const SUBMISSION_TIMEOUT_MS = 10_000
/** Time after which a few claims start a batch beside one in flight, in milliseconds: that batch may be stalled. */
export const GROUP_STALL_AFTER_MS = { onePostgres: BATCH_STALL_AFTER_MS, distributed: 100 }

/**
 * Long lines of all streams that are parsed at the same time, and that wait, of all accounts and of one. A parsed line takes up to
 * 34 times the memory of its text.
 */
export const MAX_LONG_LINES = 8
export const MAX_LONG_LINES_PER_ACCOUNT = 4
export const MAX_QUEUED_LONG_LINES = 100
export const MAX_QUEUED_LONG_LINES_PER_ACCOUNT = 50
/** Time that a long line may wait, in milliseconds. */
export const LONG_LINE_TIMEOUT_MS = 10_000
/** Bytes of memory that a payload may take as an object while its submission waits. A larger payload stays text. */
export const MAX_PARSED_PAYLOAD_BYTES = 16 * 1024
/** Bytes of memory of a contract that is serialized in one step. */
export const MAX_SYNC_CONTRACT_BYTES = 16 * 1024
/** Bytes of memory of a contract of a result that is not counted: a response has at most a thousand. */
export const MAX_UNCOUNTED_CONTRACT_BYTES = 2 * 1024
/** Bytes of memory of the contracts that results hold until they are sent, of all accounts and of one, per process. */
export const MAX_RESULT_CONTRACT_BYTES = 32 * 1024 * 1024
export const MAX_RESULT_CONTRACT_BYTES_PER_ACCOUNT = 8 * 1024 * 1024
/** Pause after contracts could not be read for results, in milliseconds. Results in the pause have no contract. */
export const CONTRACT_READ_PAUSE_MS = 1_000
/** A read of contracts that fails within this time is retried once, in milliseconds: the connection may have been lost before. */
export const CONTRACT_READ_RETRY_WITHIN_MS = 1_000

/** Bytes of memory of the claim cache with its contracts, estimated. */
export const MAX_CLAIM_CACHE_BYTES = 14 * 1024 * 1024
/** Pause after a long log could not be read, in milliseconds. */
export const LONG_LOG_RETRY_DELAY_MS = 250
/** A submission with a larger payload is decided in a step of its own, in bytes: conditions may look up thousands of keys in it. */
export const MAX_SMALL_PAYLOAD_BYTES = 1024
/** Newest claims, and candidates, of each status whose events are sampled for the list of event types. */
export const SAMPLED_CLAIMS_PER_STATUS = 50
/** Newest events of each of these claims. */
export const SAMPLED_EVENTS_PER_CLAIM = 20
