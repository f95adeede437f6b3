/** Attributes of a span: ids, names and numbers. Never data of callers or secrets. */
export type Attributes = Record<string, string | number | boolean>

/** An unfinished span of a trace. */
export interface Span {
  readonly traceId: string
  /** The header `traceparent` for the next service (https://www.w3.org/TR/trace-context). */
  readonly traceparent: string
  /** Finishes the span. Call it once. @param error kind of the error, if the span failed */
  end: (attributes?: Attributes, error?: string | null) => void
}

/** A traced request that waited for its batch. */
export interface QueuedRequest {
  span: Span
  /** Milliseconds, by performance.now(). */
  queuedAt: number
}

/** The cause of a webhook attempt about a claim. */
export interface Cause {
  claimId: string
  /** Reads the claim's status from the notification. Called only if a request about the claim was traced. */
  status: () => string | null
}

/**
 * Traces of one process. Most requests are not traced. No method throws or waits for the collector, except `stop`.
 */
export interface Tracing {
  /** Null if the request is not traced. @param traceparent the caller's header as received */
  startRequestSpan: (name: string, attributes: Attributes, traceparent: string | undefined) => Span | null
  /** One span for a batch of several requests. Each request gets a span for its time in the queue, with a link to the batch. */
  startSharedSpan: (name: string, queued: readonly QueuedRequest[], attributes: Attributes) => Span
  /** Records that the request changed the claim's status. Webhook attempts about this change then join the request's trace. */
  recordStatus: (claimId: string, status: string, span: Span) => void
  /** Null if the attempt is not traced. */
  startAttemptSpan: (name: string, attributes: Attributes, cause: Cause) => Span | null
  /** Exports the remaining spans within a second. Spans that are not exported by then are lost. */
  stop: () => Promise<void>
}
