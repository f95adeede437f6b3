import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { claimOfRequest } from '../../claims/claim-of-request.ts'
import type { BareAnswer } from '../../platform/http/connections/bare-answer.ts'
import type { ToldRequest } from '../../platform/http/told-request.ts'

/**
 * A line of the log for each request: all that failed or were refused, all whose callers went away, and a share of the
 * others. Names, numbers and ids of ours alone: no path, query, header or body, in which there may be a secret.
 */
export class RequestLog {
  readonly #log: FastifyBaseLogger
  readonly #share: number

  /** @param share of those that went well, from 0 to 1 */
  constructor(log: FastifyBaseLogger, share: number) {
    this.#log = log
    this.#share = share
  }

  note(request: FastifyRequest, reply: FastifyReply, told: ToldRequest, operation: string | null): void {
    const { raw } = reply
    const isGone = !raw.writableFinished
    if (!isGone && reply.statusCode < 400 && Math.random() >= this.#share) return
    const bytes = Number(raw.getHeader('content-length'))
    this.#log.info(
      {
        request: request.id,
        method: request.method,
        operation,
        // Without an answer there is no status.
        status: raw.headersSent ? reply.statusCode : null,
        ...(told.code === null ? {} : { code: told.code }),
        duration_ms: Math.round((performance.now() - request.since) * 10) / 10,
        ...(bytes > 0 ? { bytes } : {}),
        account: request.userId || null,
        claim: claimOfRequest(request, told),
        ...(told.items === null ? {} : { items: Object.fromEntries(told.items) }),
        ...(isGone ? { caller_gone: true } : {}),
        ...(told.span === null ? {} : { trace: told.span.traceId }),
      },
      'request',
    )
  }

  noteBare({ requestId, status, code }: BareAnswer): void {
    this.#log.info({ request: requestId, operation: null, status, code }, 'request')
  }
}
