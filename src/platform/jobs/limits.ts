/** Milliseconds of one run of a job that works in pieces, so that a stopping server does not wait for it. */
export const MAX_RUN_MS = 2_000
