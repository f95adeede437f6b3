/* Limits of a claim's log and of its events (§8). */

/** In characters; for an event's type and for its id. */
export const MAX_EVENT_NAME_LENGTH = 255
/** Bytes of the payload as JSON. */
export const MAX_PAYLOAD_BYTES = 256 * 1024
/** User events in one claim's log. */
export const MAX_EVENTS = 10_000
/** Bytes of all payloads in one claim's log: a claim can always be read in one response. */
export const MAX_LOG_BYTES = 64 * 1024 * 1024
