import type { FastifyReply, FastifyRequest } from 'fastify'
import { claimOfRequest } from '../../claims/claim-of-request.ts'
import type { ToldRequest } from '../../platform/http/told-request.ts'
import type { Attributes, Span, Tracing } from '../../platform/observability/tracing.ts'

/** Names by https://opentelemetry.io/docs/specs/semconv/http/http-spans; the path is left out, for what may stand in it. */
export function beginSpan(tracing: Tracing, request: FastifyRequest, operation: string | null): Span | null {
  const { method, routeOptions, headers } = request
  const route = routeOptions?.url
  const attributes: Attributes = { 'http.request.method': method, 'claimkeeper.request.id': request.id }
  if (route !== undefined) attributes['http.route'] = route
  if (operation !== null) attributes['claimkeeper.operation'] = operation
  const { traceparent } = headers
  const given = typeof traceparent === 'string' ? traceparent : undefined
  return tracing.request(route === undefined ? method : `${method} ${route}`, attributes, given)
}

export function endSpan(span: Span, request: FastifyRequest, reply: FastifyReply, told: ToldRequest): void {
  const { raw, statusCode } = reply
  const attributes: Attributes = {}
  if (raw.headersSent) attributes['http.response.status_code'] = statusCode
  if (!raw.writableFinished) attributes['claimkeeper.caller_gone'] = true
  if (told.code !== null) attributes['claimkeeper.error.code'] = told.code
  const claimId = claimOfRequest(request, told)
  if (claimId !== null) attributes['claimkeeper.claim.id'] = claimId
  for (const [status, count] of told.items ?? []) attributes[`claimkeeper.items.${status}`] = count
  // What a caller did wrong is no failure of the server.
  span.end(attributes, statusCode >= 500 ? (told.code ?? `${statusCode}`) : null)
}
