/* Limits of contracts, events and hints. Callers see them (§8). */

/** The highest price of a contract. Decimals of larger prices would be lost in a double. */
export const MAX_PRICE = 1e12
/** Seconds of a window: 100 years. Times stay within the range of PostgreSQL and JavaScript. */
export const MAX_WINDOW_SECONDS = 3_155_760_000
/** @public contract, as JSON without white space, else 400 */
export const MAX_CONTRACT_BYTES = 64 * 1024
/**
 * The root is the first.
 * @public levels of a condition
 */
export const MAX_CONDITION_DEPTH = 32
/** @public nodes of a condition */
export const MAX_CONDITION_NODES = 512
/** Leaves of a contract with the aggregate `distinct`. Each keeps its values in memory while the claim is decided. */
export const MAX_DISTINCT_LEAVES = 16

/** Characters of a name, such as an event type, a field or an alias, and of a text that refers to a record, such as an id or a cursor. */
export const MAX_NAME_LENGTH = 255
/** @public payload of an event, as JSON without white space, else 413 */
export const MAX_PAYLOAD_BYTES = 256 * 1024
/** User events in the log of a claim. */
export const MAX_EVENTS = 10_000
/** Bytes of all payloads in the log of a claim. One response can always hold the log. */
export const MAX_LOG_BYTES = 64 * 1024 * 1024
/**
 * Longest log, in events, whose ids are stored as a digest in the row of the claim. Each write repeats the digest. Claims
 * with longer logs are mostly in the cache.
 */
export const MAX_DIGEST_EVENTS = 8

/** Hints for a contract in a response. */
export const MAX_HINTS = 20
/** Hints for the log of a claim in a response. */
export const MAX_LOG_HINTS = 20
/** Events that a hint names. More events are not compared. */
export const MAX_HINT_EVENTS = 10
/** Events in each list of an explanation: the events that satisfy a leaf, that restart a review, and that are late. */
export const MAX_EXPLAINED_EVENTS = 10
/** Periods in an explanation in which the clock of the claim ran. */
export const MAX_EXPLAINED_PERIODS = 100
/** Holidays, and also exceptions, in the explanation of a window. */
export const MAX_EXPLAINED_DATES = 100
/** Event types of a log that hints compare, in addition to the types that the condition names. */
export const MAX_OTHER_EVENT_TYPES = 1_000
/** Values that hints compare in all events of a log: the largest contracts compare thousands in each event. */
export const MAX_COMPARED_VALUES = 200_000
/** Pairs of an event type of a log and an event type of the contract that hints compare for typos. */
export const MAX_COMPARED_TYPES = 100_000
/** Event types of an account that hints compare. With more types, no hint about unknown types is given. */
export const MAX_KNOWN_EVENT_TYPES = 500
/** Keys of an object that are compared with a missing key. */
export const MAX_COMPARED_KEYS = 50
/** Missing keys of a leaf that are searched for in a payload. */
export const MAX_SEARCHED_KEYS = 5
/** Characters of a payload's string in a message. */
export const MAX_SHOWN_CHARACTERS = 60
/** Differing positions that a hint names, and characters at each. */
export const MAX_SHOWN_DIFFERENCES = 3

/** @public `reminders` of a claim */
export const MAX_REMINDERS = 8

/**
 * Including the current one. Versions are never deleted, because claims may use them.
 * @public versions of a calendar, else 422
 */
export const MAX_CALENDAR_VERSIONS = 1_000
/** @public spans of working time of a weekday or an exception */
export const MAX_SPANS = 24
/**
 * Enough for 20 years of the country with the most holidays.
 * @public holidays of a calendar, and also its exceptions
 */
export const MAX_CALENDAR_DATES = 1_000
/**
 * The limit keeps a calendar within 64 KiB.
 * @public spans of all exceptions of a calendar together
 */
export const MAX_EXCEPTION_SPANS = 2_000
/** Time zones whose periods are cached. A zone with two clock changes a year until 2999 takes up to 100 KB. */
export const MAX_CACHED_TIME_ZONES = 50
/** Least working time of a week, in seconds. It bounds the search for the end of a window to 400 years. */
export const MIN_WEEKLY_SECONDS = 3_600
/** Longest window in working time, in seconds: a year without a pause. */
export const MAX_WORKING_SECONDS = 31_536_000
