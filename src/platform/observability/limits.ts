/** Requests per second that are traced because of their header traceparent. */
export const MAX_CALLER_TRACES_PER_SECOND = 10
/** Requests at once that are traced because of their header traceparent. */
export const MAX_CALLER_TRACES_BURST = 20
/** Characters of the header traceparent; a longer one is ignored. */
export const MAX_TRACEPARENT_LENGTH = 200
/** Milliseconds between log lines about lost spans. */
export const LOST_SPANS_LOG_INTERVAL_MS = 60_000
/** Spans that wait for the export. If the queue is full, new spans are lost. */
export const MAX_QUEUED_SPANS = 2_048
/** Spans of one export. */
export const MAX_EXPORTED_SPANS = 256
/** Milliseconds between exports. */
export const EXPORT_INTERVAL_MS = 2_000
/** Milliseconds of one export. A batch that is not accepted by then is lost. */
export const EXPORT_TIMEOUT_MS = 5_000
/** Milliseconds for the last export at a stop. */
export const TRACING_STOP_TIMEOUT_MS = 800
/** Child spans of a request: a stream may last for days. */
export const MAX_CHILD_SPANS = 100
/** Links of the span of a batch to the requests that share it. */
export const MAX_LINKS = 128
/** Claims whose last traced requests are kept, as parents of the spans of their webhooks. */
export const MAX_WEBHOOK_PARENT_CLAIMS = 2_000
/** Milliseconds after which the last traced requests of a claim are dropped. */
export const WEBHOOK_PARENT_TTL_MS = 10 * 60_000
/** Milliseconds by which the wall clock may differ from performance.now() before span times are corrected. */
export const MAX_CLOCK_DRIFT_MS = 20
