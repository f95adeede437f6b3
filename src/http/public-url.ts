import type { FastifyRequest } from 'fastify'

const SANE_HOST = /^[\w.:[\]-]{1,255}$/

declare module 'fastify' {
  interface FastifyInstance {
    /** Where the operator says that callers see the service; empty to go by the request. */
    configuredPublicUrl: string
  }
}

/** The address under which the caller sees the service, without a slash at its end. */
export function publicUrl(request: FastifyRequest): string {
  const { configuredPublicUrl } = request.server
  if (configuredPublicUrl) return configuredPublicUrl
  return SANE_HOST.test(request.host ?? '') ? `${request.protocol}://${request.host}` : ''
}
