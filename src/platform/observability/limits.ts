/** Requests per second that are traced only because their callers ask for it. */
export const MAX_CALLER_TRACES_PER_SECOND = 10
/** The largest number of such requests at once. */
export const MAX_CALLER_TRACES_BURST = 20
/** Characters of the header traceparent; a longer one is ignored. */
export const MAX_TRACEPARENT_LENGTH = 200
/** Milliseconds between log lines about lost spans. */
export const LOST_SPANS_LOG_INTERVAL_MS = 60_000
/** Spans that wait for the export; beyond, the newest spans are lost. */
export const MAX_QUEUED_SPANS = 2_048
/** Milliseconds between exports. */
export const EXPORT_INTERVAL_MS = 2_000
/** Milliseconds of one export. A batch that is not accepted by then is lost. */
export const EXPORT_TIMEOUT_MS = 5_000
/** Milliseconds for the last export at a stop. */
export const TRACING_STOP_TIMEOUT_MS = 800
/** Child spans of a request: a stream may last for days. */
export const MAX_CHILD_SPANS = 100
/** Links of a shared span. */
export const MAX_LINKS = 128
/** Claims whose last traced requests are remembered for the traces of their webhooks. */
export const MAX_REMEMBERED_CAUSES = 2_000
/** Milliseconds for which these are remembered. */
export const CAUSE_TTL_MS = 10 * 60_000
/** Milliseconds by which the wall clock may differ from performance.now() before span times are corrected. */
export const MAX_CLOCK_DRIFT_MS = 20
