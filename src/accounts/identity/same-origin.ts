import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../kernel/errors.ts'

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

/**
 * For requests that a browser signs in by itself, with a cookie: what changes something must come from the
 * service's own pages. Browsers say so in Sec-Fetch-Site (over https and to this machine), or in Origin.
 * @throws CROSS_ORIGIN_REQUEST
 */
export function requireSameOrigin(request: FastifyRequest): void {
  if (SAFE_METHODS.includes(request.method)) return
  const { origin, 'sec-fetch-site': site } = request.headers
  const isOwn =
    site === undefined ? origin !== undefined && isOwnOrigin(origin, request) : site === 'same-origin'
  if (!isOwn) {
    const said = site === undefined ? `Origin is ${origin ?? 'missing'}` : `Sec-Fetch-Site is ${site}`
    throw new ServiceError(
      'CROSS_ORIGIN_REQUEST',
      `The request must come from a page of the service; its header ${said}.`.slice(0, 300),
    )
  }
}

/** Whether a page sent it: programs that know no cookies send none of these. */
export const isFromBrowser = ({ headers }: FastifyRequest): boolean =>
  headers.cookie !== undefined || headers.origin !== undefined || headers['sec-fetch-site'] !== undefined

/**
 * The scheme is not compared with the request's: behind a proxy the service cannot know it. Nor does a forwarded host
 * count, trusted as the proxy may be: an origin is the service's by its public address, or by the Host that was asked.
 */
function isOwnOrigin(origin: string, { headers, server }: FastifyRequest): boolean {
  if (!URL.canParse(origin)) return false
  const { origin: normal, host, protocol } = new URL(origin)
  const { configuredPublicUrl } = server
  if (configuredPublicUrl && normal === new URL(configuredPublicUrl).origin) return true
  const own = `${protocol}//${headers.host}`
  return host !== '' && URL.canParse(own) && new URL(own).host === host
}
