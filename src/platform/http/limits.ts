import { MAX_PAYLOAD_BYTES } from '../../core/limits.ts'

const MIB = 1024 * 1024

/* Bodies. */

/**
 * The limit of an item is in characters.
 * @public body of a request; body of a batch without the items of its list, each item, and each line of a stream; else 413
 */
export const MAX_BODY_BYTES = MIB
/**
 * An event with the largest payload fits.
 * @public a body, a batch without its items, an item or a line, as JSON without white space, else 413
 */
export const MAX_JSON_BYTES = MAX_PAYLOAD_BYTES + 16 * 1024
/** @public body of a batch, else 413 */
export const MAX_BATCH_BODY_BYTES = 8 * MIB
/** @public items of a batch */
export const MAX_BATCH_ITEMS = 1_000
/** Bytes of a body that is parsed synchronously. Several larger ones may arrive in one event loop tick. */
export const MAX_SYNC_BODY_BYTES = 16 * 1024
/** Characters that are parsed in one step. Longer text is parsed in several steps. */
export const MAX_CHARACTERS_PER_PARSE = 128 * 1024
/** Bytes that are decoded as UTF-8 in one step. */
export const MAX_BYTES_PER_DECODE = 512 * 1024
/** Characters of JSON that are scanned in one step. */
export const MAX_CHARACTERS_PER_SCAN = 64 * 1024
/** Lines of a chunk that are found in one step. */
export const MAX_LINES_PER_SCAN = 100
/** Pieces of a line that are held before they are joined. */
export const MAX_LINE_PIECES = 64
/** Lines of a request that are processed at the same time. A client that sends faster or does not read must wait. */
export const MAX_LINES_IN_PROGRESS = 500
/** Bytes of the lines of a request that are processed at the same time. The last line may exceed the limit. */
export const MAX_LINE_BYTES_IN_PROGRESS = MIB

/* Requests in progress, per process. */

/** Large responses to reads that are being sent, of all accounts. Each holds up to 1 MiB. */
export const MAX_RESPONSES = 64
/** @public large responses that are being sent to an account, on one process, else 503 */
export const MAX_RESPONSES_PER_ACCOUNT = 20
/**
 * Batches of one account do not delay other accounts.
 * @public batches of an account in progress, or with a large response that is not read, on one process; more wait for 10 s, then 503
 */
export const MAX_BATCHES_PER_ACCOUNT = 64
/** Responses of batches that are being sent, of all accounts. Beyond, slow connections are reset. */
export const MAX_BATCH_RESPONSES = 64
/** Simulations in progress, of all accounts. They hold all of their events, and more at a time are not faster. */
export const MAX_SIMULATIONS = 16
/**
 * @public simulations of an account in progress, or with a large response that is not read, on one process; more wait for 10 s,
 * then 503
 */
export const MAX_SIMULATIONS_PER_ACCOUNT = 4
/** Requests that wait for one of these or for memory, of all accounts. */
export const MAX_QUEUED = 1_000
/** Batches, or simulations, of one account that wait. */
export const MAX_QUEUED_BATCHES_PER_ACCOUNT = 500
/** Requests of one account that wait for memory. */
export const MAX_QUEUED_FOR_MEMORY_PER_ACCOUNT = 250
/** Milliseconds that a request waits for one of these. */
export const ACQUIRE_TIMEOUT_MS = 10_000

/* Memory of requests, in bytes, per process. */

/** Bodies in progress. An account gets half of what is free. */
export const MAX_BODY_BYTES_IN_PROGRESS = 64 * MIB
/** A body up to this size is not counted: thousands may arrive at once. */
export const MAX_UNCOUNTED_BODY_BYTES = 16 * 1024
/** What a stream of lines counts as: its lines in progress and their results. */
export const STREAM_BYTES = 2 * MIB
/** JSON up to this size is not estimated: a thousand such values may be in progress. */
export const MAX_UNESTIMATED_BYTES = 8 * 1024
/** Parsed values above this estimate count as large. Regular values do not wait for large values. */
export const MAX_REGULAR_VALUE_BYTES = MIB
/** Regular values in progress, of all accounts and of one. */
export const MAX_REGULAR_BYTES = 32 * MIB
export const MAX_REGULAR_BYTES_PER_ACCOUNT = 16 * MIB
/** Large values in progress, of all accounts and of one. */
export const MAX_LARGE_BYTES = 64 * MIB
export const MAX_LARGE_BYTES_PER_ACCOUNT = 40 * MIB
/** Results that responses hold until they are sent, of all accounts. Beyond, slow connections are reset. */
export const MAX_RESULT_BYTES = 96 * MIB
/** Items of a list that are parsed one by one: their text and results as a multiple of the text, and the parsed items in progress. */
export const LIST_TEXT_FACTOR = 3
export const LIST_ITEMS_BYTES = 16 * MIB

/* Rate. */

/** Milliseconds of the window in which requests of an account are counted. */
export const RATE_WINDOW_MS = 60_000
/** Accounts whose windows are kept. Beyond, the account without requests for longest begins a new window. */
export const MAX_COUNTED_ACCOUNTS = 10_000
/** Milliseconds until the process that counts must have answered. */
export const REMOTE_COUNT_TIMEOUT_MS = 5_000

/* Connections. */

/** Requests of a connection that wait for the response to the request before. Beyond, the connection is destroyed. */
export const MAX_OUTSTANDING_REQUESTS = 32
/** Milliseconds until a connection is destroyed after its last response, if the client does not close it. */
export const CLOSE_DELAY_MS = 1_000
/** Timeouts of a connection in milliseconds, by what it waits for. */
export const CONNECTION_TIMEOUTS = { headersMs: 30_000, bodyMs: 30_000, streamMs: 60_000, responseMs: 30_000 }
/** Milliseconds between Node's checks for late headers. The interval is half of the timeout of headers if that is shorter. */
export const MAX_HEADERS_CHECK_INTERVAL_MS = 5_000
/** Milliseconds between checks for connections whose timeout has passed. */
export const CONNECTION_WATCH_INTERVAL_MS = 1_000
/** New connections between two searches for closed ones. */
export const CONNECTIONS_PER_SWEEP = 64

/* Responses. */

/** Bytes that are written to a connection at a time. */
export const RESPONSE_CHUNK_BYTES = 64 * 1024
/** Bytes of a response that is sent whole. A client must read it within the timeout of responses. */
export const MAX_UNSTREAMED_BYTES = 4 * RESPONSE_CHUNK_BYTES
/** Pieces without text in sequence until the headers are sent: a search may take long. */
export const MAX_EMPTY_PIECES = 4
/** Characters of an `Accept` or `Accept-Encoding` header; a longer one is ignored. Browsers send about 200. */
export const MAX_NEGOTIATION_HEADER_LENGTH = 2_000
/** Characters or bytes. A response up to this length fits into one packet and is not compressed. */
export const MIN_COMPRESSED_LENGTH = 1_024
/** Compressions in progress, per process. Further responses are sent uncompressed instead of waiting. */
export const MAX_COMPRESSIONS = 8
