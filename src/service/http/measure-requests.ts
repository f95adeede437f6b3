import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { claimOfRequest } from '../../claims/claim-of-request.ts'
import type { BareAnswer } from '../../platform/http/connections/connections.ts'
import { LogContext } from '../../platform/http/log-context.ts'
import { EVENT_STREAM } from '../../platform/http/responses/responses.ts'
import type { TypedServer } from '../../platform/http/route.ts'
import type { Metrics } from '../../platform/observability/metrics.ts'
import type { Attributes, Span, Tracing } from '../../platform/observability/tracing.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Time of arrival, by performance.now(). */
    since: number
  }
}

export interface Observers {
  metrics: Metrics
  /** Null without a request log. */
  log: RequestLog | null
  /** Null without traces. */
  tracing: Tracing | null
}

/** Measures, logs and traces each request from its arrival to the end of its response. */
export class RequestMeasures {
  readonly #observers: Observers

  constructor(observers: Observers) {
    this.#observers = observers
  }

  /** Before all other hooks, so that refused requests count too. */
  addTo(server: TypedServer): void {
    const { requestSeconds } = this.#observers.metrics.instruments
    server.decorateRequest('since', 0)
    server.decorateRequest('logContext', null)
    server.addHook('onRequest', (request, reply, done) => {
      this.begin(request, reply)
      done()
    })
    // Measures the time until the response begins.
    server.addHook('onSend', (request, reply, payload, done) => {
      if (reply.getHeader('content-type') !== EVENT_STREAM) {
        const labels = { operation: operationOf(request) ?? 'other', status: reply.statusCode }
        requestSeconds.observe(labels, (performance.now() - request.since) / 1_000)
      }
      done(null, payload)
    })
  }

  /** Also called for requests that are refused before any hook. */
  begin(request: FastifyRequest, reply: FastifyReply): void {
    const { log, tracing } = this.#observers
    request.since = performance.now()
    const span = tracing === null ? null : beginSpan(tracing, request, operationOf(request))
    if (log === null && span === null) return
    const context = new LogContext(span)
    request.logContext = context
    // After the end of the response: a stream has one line, at its end.
    reply.raw.once('close', () => {
      log?.note(request, reply, context, operationOf(request))
      if (span !== null) endSpan(span, request, reply, context)
    })
  }
}

const operationOf = ({ routeOptions }: FastifyRequest): string | null =>
  (routeOptions?.schema as { operationId?: string } | undefined)?.operationId ?? null

/** Names follow https://opentelemetry.io/docs/specs/semconv/http/http-spans. The path is omitted: it may contain a secret. */
function beginSpan(tracing: Tracing, request: FastifyRequest, operation: string | null): Span | null {
  const { method, routeOptions, headers } = request
  const route = routeOptions?.url
  const attributes: Attributes = { 'http.request.method': method, 'claimkeeper.request.id': request.id }
  if (route !== undefined) attributes['http.route'] = route
  if (operation !== null) attributes['claimkeeper.operation'] = operation
  const { traceparent } = headers
  const given = typeof traceparent === 'string' ? traceparent : undefined
  return tracing.startRequestSpan(route === undefined ? method : `${method} ${route}`, attributes, given)
}

function endSpan(span: Span, request: FastifyRequest, reply: FastifyReply, context: LogContext): void {
  const { raw, statusCode } = reply
  const attributes: Attributes = {}
  if (raw.headersSent) attributes['http.response.status_code'] = statusCode
  if (!raw.writableFinished) attributes['claimkeeper.caller_gone'] = true
  if (context.code !== null) attributes['claimkeeper.error.code'] = context.code
  const claimId = claimOfRequest(request, context)
  if (claimId !== null) attributes['claimkeeper.claim.id'] = claimId
  for (const [status, count] of context.items ?? []) attributes[`claimkeeper.items.${status}`] = count
  // An error of the caller is no failure of the server.
  span.end(attributes, statusCode >= 500 ? (context.code ?? `${statusCode}`) : null)
}

/**
 * Logs a line for each request that failed, was refused or lost its client, and for a share of the others. A line
 * contains only names, numbers and ids of the service, and no path, query, header or body: they may contain secrets.
 */
export class RequestLog {
  readonly #log: FastifyBaseLogger
  readonly #share: number

  /** @param share share of the successful requests, from 0 to 1 */
  constructor(log: FastifyBaseLogger, share: number) {
    this.#log = log
    this.#share = share
  }

  note(request: FastifyRequest, reply: FastifyReply, context: LogContext, operation: string | null): void {
    const { raw } = reply
    const isGone = !raw.writableFinished
    if (!isGone && reply.statusCode < 400 && Math.random() >= this.#share) return
    const bytes = Number(raw.getHeader('content-length'))
    this.#log.info(
      {
        request: request.id,
        method: request.method,
        operation,
        // Without a response there is no status.
        status: raw.headersSent ? reply.statusCode : null,
        ...(context.code === null ? {} : { code: context.code }),
        duration_ms: Math.round((performance.now() - request.since) * 10) / 10,
        ...(bytes > 0 ? { bytes } : {}),
        account: request.userId || null,
        claim: claimOfRequest(request, context),
        ...(context.items === null ? {} : { items: Object.fromEntries(context.items) }),
        ...(isGone ? { caller_gone: true } : {}),
        ...(context.span === null ? {} : { trace: context.span.traceId }),
      },
      'request',
    )
  }

  noteBare({ requestId, status, code }: BareAnswer): void {
    this.#log.info({ request: requestId, operation: null, status, code }, 'request')
  }
}
