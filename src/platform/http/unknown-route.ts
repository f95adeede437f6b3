import type { FastifyInstance, FastifyRequest, HTTPMethods } from 'fastify'
import { ServiceError } from '../../kernel/errors.ts'

/**
 * Tells a path that does not exist (404) from a method that the path does not have (405, with `Allow`).
 * Call it before the routes are added.
 */
export function answerUnknownRoutes(server: FastifyInstance): void {
  const methodsByPattern = new Map<string, Set<HTTPMethods>>()
  server.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByPattern.get(url) ?? new Set()
    for (const name of [method].flat()) methods.add(name as HTTPMethods)
    methodsByPattern.set(url, methods)
  })

  // Before the body is looked at: what is wrong with it does not matter here.
  server.addHook('onRequest', (request: FastifyRequest, _reply, done) => {
    if (!request.is404) return done()
    const path = request.url.split('?', 1)[0] as string
    const methods = [...methodsByPattern]
      .filter(([pattern]) => matches(pattern, path))
      .flatMap(([, names]) => [...names])
    if (methods.length === 0) {
      throw new ServiceError('ROUTE_NOT_FOUND', `There is no path ${path.slice(0, 200)}.`)
    }
    const allowed = [...new Set(methods)].sort().join(', ')
    throw new ServiceError(
      'METHOD_NOT_ALLOWED',
      `${request.method} is not a method of this path; it has ${allowed}.`,
      {
        headers: { Allow: allowed },
      },
    )
  })
}

/** Whether the path fits a pattern such as /v1/claims/:id. */
function matches(pattern: string, path: string): boolean {
  const segments = path.split('/')
  const wanted = pattern.split('/')
  return (
    !pattern.includes('*') &&
    segments.length === wanted.length &&
    wanted.every((segment, i) => (segment.startsWith(':') ? segments[i] !== '' : segment === segments[i]))
  )
}
