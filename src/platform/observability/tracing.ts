/** Attributes of a span: ids, names and numbers. Never data of callers or secrets. */
export type Attributes = Record<string, string | number | boolean>

/** A part of a trace that is being recorded. */
export interface Span {
  readonly traceId: string
  /** The header `traceparent` for the next service (https://www.w3.org/TR/trace-context). */
  readonly traceparent: string
  /** Call it once. Later attributes are lost. @param error kind of the error, if the span failed */
  end: (attributes?: Attributes, error?: string | null) => void
}

/** A request that waits for shared work. */
export interface Waited {
  span: Span
  /** By performance.now(). */
  since: number
}

/** The cause of a webhook attempt about a claim. */
export interface Cause {
  claimId: string
  /** The claim's status in the notification. Called only if a request to this claim was traced. */
  status: () => string | null
}

/**
 * Traces of one process. Most requests are not traced. Each method takes microseconds and never throws: an
 * unavailable collector does not affect callers.
 */
export interface Tracing {
  /** Null if the request is not traced. @param traceparent the caller's header as received */
  request: (name: string, attributes: Attributes, traceparent: string | undefined) => Span | null
  /** One span for shared work. Each waiting request gets a span of its wait that links to it. */
  shared: (name: string, waited: readonly Waited[], attributes: Attributes) => Span
  /** The request moved the claim to this status. Attempts of the notification belong to the same trace. */
  brought: (claimId: string, status: string, span: Span) => void
  /** Null if the attempt is not traced. */
  attempt: (name: string, attributes: Attributes, cause: Cause) => Span | null
  /** Exports the remaining spans within a second. Spans that are not exported by then are lost. */
  stop: () => Promise<void>
}
