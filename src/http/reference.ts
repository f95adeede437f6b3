import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { ERRORS, type ErrorCode, ServiceError } from '../errors.ts'
import { errorPage } from './error-page.ts'
import type { TypedServer } from './typed-server.ts'

const CSP = 'Content-Security-Policy'

/** The reference brings its script along and starts it inline; it loads and asks nothing from elsewhere. */
const REFERENCE_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"
const ERROR_PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"

/** What people read: the API reference at /docs, a page for each error code, and the OpenAPI document. */
export function addReference(server: TypedServer): void {
  server.get('/openapi.json', { schema: { hide: true } }, async () => server.swagger())

  server.get('/docs/errors/:code', { schema: { hide: true } }, async (request, reply) => {
    const { code } = request.params as { code: string }
    if (!Object.hasOwn(ERRORS, code))
      throw new ServiceError('ROUTE_NOT_FOUND', 'There is no such error code.')
    return reply
      .type('text/html; charset=utf-8')
      .header(CSP, ERROR_PAGE_POLICY)
      .serializer((html: string) => html)
      .send(errorPage(code as ErrorCode))
  })

  // Made when somebody first looks: it holds megabytes in memory.
  let reference: Promise<FastifyInstance> | undefined
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    reference ??= createReference()
    const { statusCode, headers, rawPayload } = await (await reference).inject({ url: request.url })
    if (statusCode === 404) throw new ServiceError('ROUTE_NOT_FOUND')
    for (const name of ['content-type', 'location']) if (headers[name]) reply.header(name, headers[name])
    return reply.code(statusCode).header(CSP, REFERENCE_POLICY).send(rawPayload)
  }
  for (const path of ['/docs', '/docs/*']) server.get(path, { schema: { hide: true } }, answer)
}

/** The API reference, as a server that listens nowhere. */
async function createReference(): Promise<FastifyInstance> {
  const { default: apiReference } = await import('@scalar/fastify-api-reference')
  const server = fastify()
  await server.register(apiReference, {
    routePrefix: '/docs',
    configuration: {
      title: 'Claimkeeper API',
      url: '/openapi.json',
      // Nothing is loaded from elsewhere, and nothing is sent there.
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: 'never',
      hideClientButton: true,
    },
  })
  return server
}
