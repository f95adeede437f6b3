import apiReference from '@scalar/fastify-api-reference'
import { ERRORS, type ErrorCode, ServiceError } from '../errors.ts'
import { errorPage } from './error-page.ts'
import type { TypedServer } from './typed-server.ts'

/** What people read: the API reference at /docs, a page for each error code, and the OpenAPI document. */
export async function addReference(server: TypedServer): Promise<void> {
  server.get('/openapi.json', { schema: { hide: true } }, async () => server.swagger())

  server.get('/docs/errors/:code', { schema: { hide: true } }, async (request, reply) => {
    const { code } = request.params as { code: string }
    if (!Object.hasOwn(ERRORS, code))
      throw new ServiceError('ROUTE_NOT_FOUND', 'There is no such error code.')
    return reply
      .type('text/html; charset=utf-8')
      .header('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'")
      .serializer((html: string) => html)
      .send(errorPage(code as ErrorCode))
  })

  await server.register(apiReference, {
    routePrefix: '/docs',
    configuration: {
      title: 'Claimkeeper API',
      // Nothing is loaded from elsewhere, and nothing is sent there.
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  })
}
