import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { ERRORS } from '../../../kernel/error-catalogue.ts'
import { type ErrorCode, ServiceError } from '../../../kernel/errors.ts'
import { type SharedAnswer, sendShared, shareAnswer } from '../responses/shared-answer.ts'
import type { TypedServer } from '../typed-server.ts'
import { errorPage, errorsPage } from './error-page.ts'
import { pageHeaders } from './page.ts'
import { specificationPage } from './specification-page.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
const HTML_TYPE = 'text/html; charset=utf-8'

/** The reference brings its script along and starts it inline; it loads and asks nothing from elsewhere. */
const REFERENCE_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"
const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"

/** What people read: the API reference, the specification, a page for each error code, and the OpenAPI document. */
export function addReference(server: TypedServer): void {
  const documentation = once(() => shareAnswer(JSON.stringify(server.swagger()), JSON_TYPE))
  server.get('/openapi.json', { schema: { hide: true } }, (request, reply) =>
    sendShared(request, reply, documentation()),
  )

  const errorPages = once(
    () => new Map(Object.keys(ERRORS).map((code) => [code, toAnswer(errorPage(code as ErrorCode))] as const)),
  )
  const allErrors = once(() => toAnswer(errorsPage()))
  server.get('/docs/errors', { schema: { hide: true } }, (request, reply) =>
    sendShared(request, reply, allErrors()),
  )
  server.get('/docs/errors/:code', { schema: { hide: true } }, (request, reply) => {
    const page = errorPages().get((request.params as { code: string }).code)
    if (!page) throw new ServiceError('ROUTE_NOT_FOUND', 'There is no such error code.')
    return sendShared(request, reply, page)
  })

  const specification = once(() => toAnswer(specificationPage()))
  server.get('/docs/specification', { schema: { hide: true } }, (request, reply) =>
    sendShared(request, reply, specification()),
  )

  // Made when somebody first looks: it holds megabytes in memory. What failed is tried again by the next.
  let reading: Promise<Map<string, SharedAnswer>> | null = null
  const reference = () => {
    reading ??= readReference().catch((error) => {
      reading = null
      throw error
    })
    return reading
  }
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split('?', 1)[0] as string
    if (path === '/docs') return reply.redirect('/docs/', 301)
    const file = (await reference()).get(path)
    if (!file) throw new ServiceError('ROUTE_NOT_FOUND')
    return sendShared(request, reply, file)
  }
  for (const path of ['/docs', '/docs/*']) server.get(path, { schema: { hide: true } }, answer)
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

const toAnswer = (page: string): SharedAnswer => shareAnswer(page, HTML_TYPE, pageHeaders(PAGE_POLICY))

/** The page and its script, by their paths, asked once of a server that listens nowhere. */
async function readReference(): Promise<Map<string, SharedAnswer>> {
  const server = await createReference()
  const files = new Map<string, SharedAnswer>()
  for (const url of ['/docs/', '/docs/js/scalar.js']) {
    const { rawPayload, headers } = await server.inject({ url })
    files.set(url, shareAnswer(rawPayload, `${headers['content-type']}`, pageHeaders(REFERENCE_POLICY)))
  }
  await server.close()
  return files
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
