import type { Span } from '../observability/tracing.ts'

/** What the log and the trace of a request show. There is none if the request is neither logged nor traced. */
export class LogContext {
  /** Null if it is not traced. */
  readonly span: Span | null
  /** With which it was refused. */
  code: string | null = null
  claimId: string | null = null
  /** Of a batch or a stream: how many items came to each status. */
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
