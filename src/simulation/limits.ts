/* Limits of simulations. */

/** How long a simulation waits for the account's event types, which only its hints need. */
export const EVENT_TYPES_TIMEOUT_MS = 1_000
