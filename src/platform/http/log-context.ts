import type { Span } from '../observability/tracing.ts'

/** The fields of a request's log line and trace. There is none if the request is neither logged nor traced. */
export class LogContext {
  /** Null without tracing. */
  readonly span: Span | null
  /** The error code of the response. */
  code: string | null = null
  claimId: string | null = null
  /** For a batch or a stream: the number of items by status. */
  items: Map<number, number> | null = null

  constructor(span: Span | null) {
    this.span = span
  }

  count(status: number): void {
    this.items ??= new Map()
    this.items.set(status, (this.items.get(status) ?? 0) + 1)
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    logContext: LogContext | null
  }
}
