import { BATCH_STALL_AFTER_MS } from '../platform/database/limits.ts'

/** Submissions that are queued or in flight. An account may have half of what other accounts leave free. */
export const MAX_PENDING_SUBMISSIONS = 10_000
/** Bytes of the payloads of submissions that are queued or in flight. */
export const MAX_PENDING_PAYLOAD_BYTES = 32 * 1024 * 1024

/** Submissions of one group commit. */
export const MAX_BATCH_SUBMISSIONS = 500
/** Bytes of the payloads of one group commit. The driver writes a statement to its socket in one tick: 4 MiB took 290 ms. */
export const MAX_BATCH_PAYLOAD_BYTES = 1024 * 1024
/** Bytes of contracts and logs that one group commit reads. A byte of a log counts a quarter: it takes a quarter of the time. */
export const MAX_BATCH_READ_BYTES = 512 * 1024
/** Bytes of uncached contracts that one group commit parses: 128 KiB take up to 100 ms on a slow machine. */
export const MAX_BATCH_PARSED_BYTES = 128 * 1024

/** Time after which a submission is not retried, in milliseconds. */
export const SUBMISSION_RETRY_TIMEOUT_MS = 5_000
/** Time after which each submission is answered, in milliseconds, even if the database has not answered. */
export const SUBMISSION_TIMEOUT_MS = 10_000
/** Milliseconds that a batch of few claims waits for a batch in flight, which may be stalled. Then it starts beside that batch. */
export const GROUP_STALL_AFTER_MS = { onePostgres: BATCH_STALL_AFTER_MS, distributed: 100 }

/** Long lines of streams that are parsed at the same time. A parsed line takes up to 34 times the memory of its text. */
export const MAX_LONG_LINES = 8
export const MAX_LONG_LINES_PER_ACCOUNT = 4
/** Long lines that wait to be parsed. */
export const MAX_QUEUED_LONG_LINES = 100
export const MAX_QUEUED_LONG_LINES_PER_ACCOUNT = 50
/** Time that a long line may wait, in milliseconds. */
export const LONG_LINE_TIMEOUT_MS = 10_000
/** Bytes of memory that a payload may take as an object while its submission waits. A larger payload stays text. */
export const MAX_PARSED_PAYLOAD_BYTES = 16 * 1024
/** Bytes of memory of a contract. A response with a larger contract is serialized in steps, so it does not block the event loop. */
export const MAX_SYNC_CONTRACT_BYTES = 16 * 1024
/** Bytes of memory of a contract. `MAX_RESULT_CONTRACT_BYTES` does not count smaller contracts: a response has at most 1,000 results. */
export const MAX_UNCOUNTED_CONTRACT_BYTES = 2 * 1024
/** Bytes of memory of the contracts that results hold until they are sent, per process. */
export const MAX_RESULT_CONTRACT_BYTES = 32 * 1024 * 1024
export const MAX_RESULT_CONTRACT_BYTES_PER_ACCOUNT = 8 * 1024 * 1024
/** Pause after a failed read of contracts for results, in milliseconds. During the pause, a result that needs such a read is an error. */
export const CONTRACT_READ_PAUSE_MS = 1_000
/** Milliseconds. A read of contracts that fails within this time is retried once: the connection may have been lost before the read. */
export const CONTRACT_READ_RETRY_WITHIN_MS = 1_000

/** Bytes of memory of the claim cache with its contracts, estimated. */
export const MAX_CLAIM_CACHE_BYTES = 14 * 1024 * 1024
/** Pause after a failed read of a long log, in milliseconds. */
export const LONG_LOG_RETRY_DELAY_MS = 250
/** Bytes. A submission with a larger payload is decided in a separate step: conditions may look up thousands of keys in it. */
export const MAX_SMALL_PAYLOAD_BYTES = 1024
/** Newest claims, and candidates, of each status whose events are sampled for the list of event types. */
export const SAMPLED_CLAIMS_PER_STATUS = 50
/** Newest events of each of these claims. */
export const SAMPLED_EVENTS_PER_CLAIM = 20
