import { MAX_NAME_LENGTH } from '../core/limits.ts'

/** Milliseconds between samples of the event loop delay. */
export const EVENT_LOOP_SAMPLE_MS = 20
/** Milliseconds of the window whose quantiles are reported. */
export const EVENT_LOOP_WINDOW_MS = 10_000
/** Milliseconds of a request to the metrics port. */
export const METRICS_REQUEST_TIMEOUT_MS = 5_000
/** Connections to the metrics port. */
export const MAX_METRICS_CONNECTIONS = 50
/** Bytes of a body of an unauthenticated request: sign-in and sign-up. */
export const MAX_UNAUTHENTICATED_BODY_BYTES = 16 * 1024
/** Characters of a path parameter: each character of a candidate alias takes up to 12 when percent-encoded. */
export const MAX_PATH_PARAMETER_LENGTH = MAX_NAME_LENGTH * 12
/** Milliseconds for which a connection without a request is kept open. */
export const KEEP_ALIVE_TIMEOUT_MS = 72_000
/** Milliseconds of a stop, the database included: supervisors wait 10 s before they kill. */
export const STOP_TIMEOUT_MS = 9_000
/** Milliseconds for requests in flight and a running check at a stop. */
export const DRAIN_TIMEOUT_MS = 4_000
/** Milliseconds for all other parts of a server process at a stop. */
export const LIFECYCLES_STOP_TIMEOUT_MS = 1_500
/**
 * Milliseconds. The first crash of a worker restarts it at once, the second after this pause; each further crash doubles the
 * pause.
 */
export const MIN_RESTART_PAUSE_MS = 1_000
/** Milliseconds. Longest such pause. */
export const MAX_RESTART_PAUSE_MS = 10_000
/** Milliseconds of service after which a worker counts as stable: the next crash restarts it at once. */
export const STABLE_AFTER_MS = 20_000
/** Milliseconds between heartbeats of a worker, and between the checks for them. */
export const HEARTBEAT_INTERVAL_MS = 1_000
/**
 * Checks without a heartbeat after which a worker is killed. A number of checks, not a time: the primary process may
 * have been suspended itself.
 */
export const MAX_MISSED_HEARTBEATS = 15
/** Further checks for a new worker, which loads its code first. */
export const EXTRA_MISSED_HEARTBEATS_AT_START = 45
/** Milliseconds that a killed process takes to end, unless the kernel holds it. */
export const KILL_TIMEOUT_MS = 1_000
/** Milliseconds for a worker to report its metrics; later ones are left out. */
export const METRICS_TIMEOUT_MS = 2_000
/** Milliseconds for the metrics of all workers: longer than METRICS_TIMEOUT_MS. */
export const ALL_METRICS_TIMEOUT_MS = 4_000
/** Milliseconds for closing the database connections of a worker at a stop. */
export const WORKER_CLOSE_TIMEOUT_MS = 500
/** Milliseconds for all workers at a stop. */
export const WORKERS_STOP_TIMEOUT_MS = DRAIN_TIMEOUT_MS + LIFECYCLES_STOP_TIMEOUT_MS + WORKER_CLOSE_TIMEOUT_MS
/** Attempts to start on a free port with PORT 0. */
export const MAX_PORT_ATTEMPTS = 3
/** Connections of the embedded database for workers; commands and the start need some too. */
export const EMBEDDED_CONNECTIONS_FOR_WORKERS = 180
/** Connections of a worker beside its pool: one that listens for revoked tokens. */
export const CONNECTIONS_BESIDE_POOL = 1
