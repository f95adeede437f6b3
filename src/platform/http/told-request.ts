import type { Span } from '../observability/tracing.ts'

/** What is learned of a request on its way, for the log and for its trace. There is none if neither asks for it. */
export class ToldRequest {
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
    told: ToldRequest | null
  }
}
