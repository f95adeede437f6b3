import type { FastifyReply, FastifyRequest } from 'fastify'
import { EVENT_STREAM } from '../../platform/http/responses/responses.ts'
import { ToldRequest } from '../../platform/http/told-request.ts'
import type { TypedServer } from '../../platform/http/typed-server.ts'
import type { Metrics } from '../../platform/observability/metrics.ts'
import type { Tracing } from '../../platform/observability/tracing.ts'
import type { RequestLog } from './request-log.ts'
import { beginSpan, endSpan } from './trace-request.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** When it came; by performance.now(). */
    since: number
  }
}

export interface Observers {
  metrics: Metrics
  /** Null if requests are not logged. */
  log: RequestLog | null
  /** Null if there are no traces. */
  tracing: Tracing | null
}

/** Hears of each request that the framework has, from its arrival to the end of its answer. */
export class RequestMeasures {
  readonly #observers: Observers

  constructor(observers: Observers) {
    this.#observers = observers
  }

  /** Before all other hooks, so that what they refuse counts, too. */
  addTo(server: TypedServer): void {
    const { requestSeconds } = this.#observers.metrics.instruments
    server.decorateRequest('since', 0)
    server.decorateRequest('told', null)
    server.addHook('onRequest', (request, reply, done) => {
      this.begin(request, reply)
      done()
    })
    // How long it takes until the answer begins.
    server.addHook('onSend', (request, reply, payload, done) => {
      if (reply.getHeader('content-type') !== EVENT_STREAM) {
        const labels = { operation: operationOf(request) ?? 'other', status: reply.statusCode }
        requestSeconds.observe(labels, (performance.now() - request.since) / 1_000)
      }
      done(null, payload)
    })
  }

  /** Also for what is refused before any hook. */
  begin(request: FastifyRequest, reply: FastifyReply): void {
    const { log, tracing } = this.#observers
    request.since = performance.now()
    const span = tracing === null ? null : beginSpan(tracing, request, operationOf(request))
    if (log === null && span === null) return
    const told = new ToldRequest(span)
    request.told = told
    // Not before its answer has ended: a stream has one line, at its end.
    reply.raw.once('close', () => {
      log?.note(request, reply, told, operationOf(request))
      if (span !== null) endSpan(span, request, reply, told)
    })
  }
}

const operationOf = ({ routeOptions }: FastifyRequest): string | null =>
  (routeOptions?.schema as { operationId?: string } | undefined)?.operationId ?? null
