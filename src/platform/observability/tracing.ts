/** What is said of a span: ids, names and numbers, never what callers sent or a secret. */
export type Attributes = Record<string, string | number | boolean>

/** A part of a trace that is being recorded. */
export interface Span {
  readonly traceId: string
  /** As the next service is to hear of it (https://www.w3.org/TR/trace-context). */
  readonly traceparent: string
  /** Once. What is said of a span that has ended is lost. @param error its kind, if it failed */
  end: (attributes?: Attributes, error?: string | null) => void
}

/** What has waited for the work that others share. */
export interface Waited {
  span: Span
  /** By performance.now(). */
  since: number
}

/** Where an attempt to tell somebody of a claim came from. */
export interface Cause {
  claimId: string
  /** Of what is told. It is asked for only if a request to this claim was traced. */
  status: () => string | null
}

/**
 * Traces of what one process does, few of them: most requests are not traced. Each method takes microseconds and never throws:
 * whether anybody takes the spans changes nothing for callers.
 */
export interface Tracing {
  /** Null if it is not traced. @param traceparent the caller's, as it came */
  request: (name: string, attributes: Attributes, traceparent: string | undefined) => Span | null
  /** One span for work that several share; from each of them a span of its wait leads there. */
  shared: (name: string, waited: readonly Waited[], attributes: Attributes) => Span
  /** This request moved the claim to this status. The notification belongs to the same trace. */
  brought: (claimId: string, status: string, span: Span) => void
  /** Null if it is not traced. */
  attempt: (name: string, attributes: Attributes, cause: Cause) => Span | null
  /** Sends what there is, within a second; what could not be sent by then is lost. */
  stop: () => Promise<void>
}
