import type { FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { isUuid } from '../kernel/uuid.ts'
import type { LogContext } from '../platform/http/log-context.ts'
import { claimIdOf } from './claim-ids.ts'

/**
 * The id of the requested claim or candidate, even if it does not exist. Null if the request is about no claim
 * or about several. An invalid id is not returned: it may be a secret that was pasted by mistake.
 */
export function claimOfRequest({ params, routeOptions }: FastifyRequest, context: LogContext): string | null {
  if (context.claimId !== null) return context.claimId
  const { url = '' } = routeOptions ?? {}
  const { id = '', candidate_alias: alias } = (params ?? {}) as { id?: string; candidate_alias?: string }
  if (url.startsWith('/v1/claims/:id')) {
    return isUuid(id) ? id.toLowerCase() : null
  }
  if (url.startsWith('/v1/candidates/:candidate_alias') && alias)
    return claimIdOf({ kind: 'candidate', alias })
  return null
}

/** Adds the created claim to the log line and the trace of the request. */
export function logCreatedClaim(
  { tracing }: App,
  { logContext: context }: FastifyRequest,
  { id, status }: { id: string; status: string },
): void {
  if (context === null) return
  context.claimId = id
  if (context.span !== null) tracing?.recordStatus(id, status, context.span)
}
