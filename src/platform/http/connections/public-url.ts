import type { FastifyRequest } from 'fastify'

/** A name or an address, with a port or without. */
export const isPlausibleHost = (host: string): boolean => /^[\w.:[\]-]{1,255}$/.test(host)

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
  return isPlausibleHost(request.host ?? '') ? `${request.protocol}://${request.host}` : ''
}
