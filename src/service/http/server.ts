import { createHash, timingSafeEqual } from 'node:crypto'
import {
  createServer as createNodeServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, { type FastifyBaseLogger, type FastifyRequest, LogController } from 'fastify'
import { SessionApi } from '../../accounts/sessions/session-api.ts'
import { sessionRoutes } from '../../accounts/sessions/session-routes.ts'
import type { App } from '../../app.ts'
import { healthRoutes } from '../../doctor/health-routes.ts'
import { recordBodyDigest } from '../../idempotency/idempotency-key.ts'
import { ServiceError } from '../../kernel/errors.ts'
import type { RateCounter } from '../../platform/http/admission/rate-limit.ts'
import { type ListOfItems, parseItems, parseJson } from '../../platform/http/bodies/parse-json.ts'
import { readBody } from '../../platform/http/bodies/read-body.ts'
import { createValidatorCompiler } from '../../platform/http/bodies/validate-request.ts'
import type { ConnectionTimeouts } from '../../platform/http/connections/connection.ts'
import { Connections } from '../../platform/http/connections/connections.ts'
import { cleanForwardedHeaders, proxyTrust } from '../../platform/http/connections/forwarded-headers.ts'
import { answerEveryRequestAlike, answerUnknownRoutes } from '../../platform/http/every-request.ts'
import { MAX_BODY_BYTES } from '../../platform/http/limits.ts'
import { addDashboard } from '../../platform/http/pages/dashboard.ts'
import { addReference } from '../../platform/http/pages/reference.ts'
import {
  REQUEST_ID_HEADER,
  refuseEncoding,
  requestIdOf,
  sendError,
} from '../../platform/http/responses/error-response.ts'
import type { TypedServer } from '../../platform/http/route.ts'
import { METRICS_TYPE, type Metrics } from '../../platform/observability/metrics.ts'
import {
  KEEP_ALIVE_TIMEOUT_MS,
  MAX_PATH_PARAMETER_LENGTH,
  MAX_UNAUTHENTICATED_BODY_BYTES,
} from '../limits.ts'
import { addV1 } from './api-routes.ts'
import { RequestLog, RequestMeasures } from './measure-requests.ts'
import { addOpenApi } from './openapi.ts'

export interface ServerOptions {
  log: FastifyBaseLogger
  /** The URL under which clients reach the service. Empty: derived from each request. */
  publicUrl: string
  /** Counts the requests and batch items of each account. Null without a rate limit. */
  rates: RateCounter | null
  /** Allows sign-up without an invitation. */
  openSignUp: boolean
  /** Addresses of the proxies whose X-Forwarded headers are used. Null for none. */
  trustedProxies: string | null
  /** Limit of open connections. */
  maxConnections: number
  /** Claim schemas of an account. */
  maxSchemas: number
  /** Calendars of an account, including deleted ones. */
  maxCalendars: number
  /** Allows any address, and http, for webhooks. For development. */
  allowPrivateWebhooks: boolean
  /** Allowed ports below 1024 for webhooks, in addition to 80 and 443. Default: none. */
  webhookPorts?: readonly number[]
  /** Without it there is no /metrics. */
  metrics?: MetricsAccess | null
  /** Share of the successful requests that are logged. Default: no request log. */
  requestLog?: number | null
  /** Milliseconds without data after which a stream sends a heartbeat. Default: 15 s. */
  heartbeatMs?: number
  /** Overrides the default timeouts. */
  timeouts?: Partial<ConnectionTimeouts>
}

const REQUEST_ID = REQUEST_ID_HEADER.toLowerCase()

/** The HTTP interface: every path under /v1, the health checks and the documentation. */
export async function createServer(app: App, options: ServerOptions): Promise<TypedServer> {
  const { requestLog = null } = options
  const log = requestLog === null ? null : new RequestLog(options.log, requestLog)
  const measures = new RequestMeasures({ metrics: app.db.metrics, log, tracing: app.tracing })
  const server = createBareServer(app.db.metrics, measures, log, options)
  const compile = createValidatorCompiler()
  server.decorateRequest('userId', '')
  server.decorateRequest('rate', null)
  server.decorateRequest('sessionId', null)
  server.decorateRequest('credential', '')
  server.decorateRequest('bodyDigest', '')
  server.decorateRequest('memory', null)
  server.decorateRequest('permit', null)
  server.decorateRequest('acquirePermit', null)
  server.setValidatorCompiler(compile)
  server.setSerializerCompiler(() => (body) => JSON.stringify(body))
  server.setErrorHandler(sendError)
  // Added first, so that it sees all routes.
  server.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/v1/')) route.bodyLimit ??= MAX_UNAUTHENTICATED_BODY_BYTES
  })
  acceptJsonOnly(server)
  measures.addTo(server)
  answerEveryRequestAlike(server)
  addDashboard(server)
  answerUnknownRoutes(server)

  await addOpenApi(server)
  for (const one of healthRoutes(app)) server.route(one)
  if (options.metrics) addMetrics(server, options.metrics)
  addReference(server)
  const sessions = new SessionApi(app, {
    isSecure: options.publicUrl.startsWith('https:'),
    onWarning: (error) => options.log.warn({ err: error }, 'signing in'),
  })
  for (const one of sessionRoutes(app, sessions, options.openSignUp)) server.route(one)
  await server.register((api: TypedServer) => addV1(api, { app, sessions, compile, ...options }))
  return server
}

/** A server with the settings of Fastify and Node, without routes. */
function createBareServer(
  metrics: Metrics,
  measures: RequestMeasures,
  log: RequestLog | null,
  options: ServerOptions,
): TypedServer {
  const isTrustedProxy = proxyTrust(options.trustedProxies)
  const connections = new Connections({
    maxConnections: options.maxConnections,
    isTrustedProxy,
    publicUrl: options.publicUrl,
    onBareAnswer: (answer) => log?.noteBare(answer),
    timeouts: options.timeouts,
  })
  metrics.onRead(() => metrics.instruments.connections.set(connections.open))
  const server: TypedServer = fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: ({ headers }) => requestIdOf(headers[REQUEST_ID]),
    bodyLimit: MAX_BODY_BYTES,
    serverFactory: (handle) => listenWith(connections, handle, options.trustedProxies !== null),
    trustProxy: options.trustedProxies === null ? false : isTrustedProxy,
    routerOptions: { maxParamLength: MAX_PATH_PARAMETER_LENGTH },
    // A hook refuses requests on open connections during a stop, with the error body.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      measures.begin(request, reply)
      sendError(error, request, reply)
    },
    // `Connections` handles the event.
    clientErrorHandler: () => {},
  }).withTypeProvider<TypeBoxTypeProvider>()
  server.decorate('configuredPublicUrl', options.publicUrl)
  server.decorate('cutConnections', () => connections.cutAll())
  return server
}

/** Node's server. Requests reach Fastify through their `Connection`. */
function listenWith(connections: Connections, handle: RequestListener, hasProxies: boolean): Server {
  const settings = {
    // A hook refuses a request without Host, with the error body.
    requireHostHeader: false,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    ...connections.timeouts,
  }
  const nodeServer = createNodeServer(settings, (request, response) => {
    if (hasProxies) cleanForwardedHeaders(request)
    connections.handle(request, response, handle)
  })
  connections.watch(nodeServer)
  return nodeServer
}

function acceptJsonOnly(server: TypedServer): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser(
    'application/json',
    async (request: FastifyRequest, payload: IncomingMessage) => {
      refuseEncoding(request)
      const bytes = await readBody(request, payload)
      if (bytes.length === 0) return undefined
      recordBodyDigest(request, bytes)
      await request.acquirePermit?.()
      const { items } = request.routeOptions.config
      await request.memory?.acquireValues(bytes, items?.isStreamed === true)
      return items === undefined ? parseJson(bytes) : parseItems(bytes, items)
    },
  )
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Aborts all connections when the grace period of a stop is over. */
    cutConnections: () => void
  }
  interface FastifyContextConfig {
    /** The body has a list whose items are parsed and validated separately. */
    items?: ListOfItems
  }
}

interface MetricsAccess {
  /** The token that a request must send. */
  token: string
  read: () => Promise<string>
}

/** Metrics for Prometheus on the main port, only with the operator's token. The tokens of accounts are not accepted. */
function addMetrics(server: TypedServer, { token, read }: MetricsAccess): void {
  const expected = digest(`Bearer ${token}`)
  server.get('/metrics', { schema: { hide: true } }, async ({ headers }, reply) => {
    if (!timingSafeEqual(digest(headers.authorization ?? ''), expected)) {
      throw new ServiceError('TOKEN_INVALID', 'This needs the token of the metrics.', {
        headers: { 'WWW-Authenticate': 'Bearer' },
      })
    }
    return reply
      .type(METRICS_TYPE)
      .header('Cache-Control', 'no-store')
      .send(await read())
  })
}

const digest = (text: string) => createHash('sha256').update(text).digest()
