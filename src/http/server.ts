import { setMaxListeners } from 'node:events'
import { createServer as createNodeServer } from 'node:http'
import { Readable } from 'node:stream'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, { type FastifyBaseLogger, type FastifyRequest, LogController } from 'fastify'
import type { App } from '../app/app.ts'
import { SessionApi } from '../app/sessions/session-api.ts'
import { unavailable, validationError } from '../errors.ts'
import { addInvitationRoutes } from './accounts/invitations.ts'
import { addMeRoutes } from './accounts/me.ts'
import { addSessionRoutes } from './accounts/sessions.ts'
import { addTokenRoutes } from './accounts/tokens.ts'
import { type ListOfItems, parseItems, parseJson } from './bodies/parse-json.ts'
import { readBody } from './bodies/read-body.ts'
import { createValidatorCompiler } from './bodies/validate-request.ts'
import { BodyBudget } from './bounds/body-budget.ts'
import { limitRate } from './bounds/rate-limit.ts'
import { LIGHT, type RequestMemory, WorkMemory } from './bounds/work-memory.ts'
import { addClaimSchemaRoutes } from './claim-schemas.ts'
import { addCandidateRoutes } from './claims/candidates.ts'
import { addClaimBatchRoutes } from './claims/claim-batches.ts'
import { addClaimRoutes } from './claims/claims.ts'
import { addSimulationRoutes } from './claims/simulations.ts'
import type { Patience } from './connections/connection.ts'
import { Connections } from './connections/connections.ts'
import { cleanForwardedHeaders, proxyTrust } from './connections/forwarded-headers.ts'
import { IncomingRequest } from './connections/incoming-request.ts'
import { addCustomerRoutes } from './customers.ts'
import { addDashboard } from './documents/dashboard.ts'
import { addReference } from './documents/reference.ts'
import { addEventBatchRoute } from './events/event-batches.ts'
import { addEventRoutes } from './events/events.ts'
import { addHealthRoutes } from './health.ts'
import { authenticate } from './identity/authenticate.ts'
import { addOpenApi } from './openapi.ts'
import { addOverviewRoutes } from './overview.ts'
import { commonHeaders, newRequestId, refuseEncoding, sendError } from './protocol/error-response.ts'
import { inPieces, isLarge } from './protocol/send-pieces.ts'
import { addTestClockRoutes } from './test-clocks.ts'
import type { TypedServer } from './typed-server.ts'
import { answerUnknownRoutes } from './unknown-route.ts'

export interface ServerOptions {
  log: FastifyBaseLogger
  /** Where callers see the service; empty to go by each request. */
  publicUrl: string
  /** Requests, and items of batches, a minute of one account on this server; 0 for no limit. */
  rateLimitPerMinute: number
  /** Whether anyone may sign up, without an invitation. */
  openSignUp: boolean
  /** Addresses of the proxies whose X-Forwarded headers are believed; null for none. */
  trustedProxies: string | null
  /** Connections at once. */
  mostConnections: number
  /** Schemas of an account. */
  mostSchemas: number
  /** Other than the usual patience with callers. */
  patience?: Partial<Patience>
}

/** Bytes of a body. Payloads and contracts have smaller limits of their own, as JSON without white space. */
const BODY_LIMIT = 1024 * 1024
/** Bytes of a body whose sender is not known before it is read: to sign in or up. */
const STRANGERS_BODY_LIMIT = 16 * 1024
/** A candidate alias in a path: 255 characters, each up to 12 when percent-encoded. */
const MAX_PARAM_LENGTH = 255 * 12
/** How long a connection without a request is kept. */
const KEEP_ALIVE_MS = 72_000

/** The HTTP interface: every path under /v1, the health checks and the documentation. */
export async function createServer(app: App, options: ServerOptions): Promise<TypedServer> {
  const isTrustedProxy = proxyTrust(options.trustedProxies)
  const connections = new Connections({
    most: options.mostConnections,
    isTrustedProxy,
    publicUrl: options.publicUrl,
    patience: options.patience,
  })
  const server: TypedServer = fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newRequestId,
    bodyLimit: BODY_LIMIT,
    serverFactory: (handle) => {
      // A request without a Host is refused by the hook below, with our error body.
      const settings = {
        requireHostHeader: false,
        keepAliveTimeout: KEEP_ALIVE_MS,
        IncomingMessage: IncomingRequest,
        ...connections.timeouts,
      }
      const nodeServer = createNodeServer(settings, (request, response) => {
        if (options.trustedProxies !== null) cleanForwardedHeaders(request)
        connections.take(request, response, handle)
      })
      connections.watch(nodeServer)
      return nodeServer
    },
    trustProxy: options.trustedProxies === null ? false : isTrustedProxy,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    // While it stops, requests on open connections are answered by the hook below, with our error body.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      sendError(error, request, reply)
    },
    // Connections hear of it themselves.
    clientErrorHandler: () => {},
  }).withTypeProvider<TypeBoxTypeProvider>()

  server.decorate('configuredPublicUrl', options.publicUrl)
  server.decorate('cutConnections', () => connections.cutAll())
  server.decorateRequest('userId', '')
  server.decorateRequest('rate', null)
  server.decorateRequest('sessionId', null)
  server.decorateRequest('memory', null)
  server.decorateRequest('turn', null)
  server.decorateRequest('awaitTurn', null)
  server.setValidatorCompiler(createValidatorCompiler())
  server.setSerializerCompiler(() => (body) => JSON.stringify(body))
  server.setErrorHandler(sendError)
  // Added first, so that it sees all routes.
  server.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/v1/')) route.bodyLimit ??= STRANGERS_BODY_LIMIT
  })
  acceptJsonOnly(server)
  answerEveryRequestAlike(server)
  addDashboard(server)
  answerUnknownRoutes(server)

  await addOpenApi(server)
  addHealthRoutes(server, app)
  addReference(server)
  const sessions = new SessionApi(app, {
    isSecure: options.publicUrl.startsWith('https:'),
    onWarning: (error) => options.log.warn({ err: error }, 'signing in'),
  })
  addSessionRoutes(server, app, sessions, options.openSignUp)
  await server.register(async (api: TypedServer) => {
    api.addHook('onRequest', authenticate(app, sessions))
    if (options.rateLimitPerMinute > 0) limitRate(api, options.rateLimitPerMinute)
    const memory = new WorkMemory()
    const bodies = new BodyBudget()
    api.addHook('preParsing', memory.begin)
    api.addHook('preParsing', bodies.admit)
    api.addHook('onSend', memory.end)
    api.addHook('onSend', bodies.answer)
    addClaimRoutes(api, app)
    addCandidateRoutes(api, app)
    addEventRoutes(api, app)
    await addEventBatchRoute(api, app)
    addClaimBatchRoutes(api, app)
    addClaimSchemaRoutes(api, app, options.mostSchemas)
    addCustomerRoutes(api, app)
    addTestClockRoutes(api, app)
    addSimulationRoutes(api, app)
    addOverviewRoutes(api, app)
    addMeRoutes(api, app)
    addTokenRoutes(api, app)
    addInvitationRoutes(api, app)
  })
  return server
}

function acceptJsonOnly(server: TypedServer): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', async (request: FastifyRequest, payload: Readable) => {
    const bytes = await readBody(request, payload)
    refuseEncoding(request)
    if (bytes.length === 0) return undefined
    await request.awaitTurn?.()
    const { items } = request.routeOptions.config
    if (bytes.length > LIGHT) await request.memory?.take(bytes, items?.oneByOne === true)
    return items === undefined ? parseJson(bytes) : parseItems(bytes, items)
  })
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Aborts with what is answered from then on, when the server stops. */
    stops: AbortSignal
    /** For a stop that has waited long enough. */
    cutConnections: () => void
  }
  interface FastifyRequest {
    /** Null where the account is not known: such bodies are small. */
    memory: RequestMemory | null
  }
  interface FastifyContextConfig {
    /** The body has a list whose items stand alone. */
    items?: ListOfItems
  }
}

function answerEveryRequestAlike(server: TypedServer): void {
  const stopping = new AbortController()
  const stops = stopping.signal
  // As many as wait for something listen to it.
  setMaxListeners(0, stops)
  server.decorate('stops', stops)
  server.addHook('preClose', async () => {
    stopping.abort(unavailable('The server is stopping.'))
  })
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(commonHeaders(request))
    stops.throwIfAborted()
    requireHost(request)
    requireValidQuery(request.url)
    done()
  })
  server.addHook('onSend', (request, reply, payload, done) => {
    const { raw, body } = request
    // Of a body that was refused unread nobody wants the rest: it gives back what it takes.
    if (!raw.complete && raw.readableFlowing === null && !(body instanceof Readable)) raw.resume()
    // A connection holds its last request for as long as it stays open.
    request.body = undefined
    // A connection that stayed open after its last answer would hold up the stop.
    if (stops.aborted) reply.header('Connection', 'close')
    if (!isLarge(payload)) done(null, payload)
    else {
      const sent = inPieces(reply, payload).then((pieces) => done(null, pieces), done)
      sent.catch((error) => reply.raw.destroy(error))
    }
  })
}

/** As HTTP/1.1 demands; Node's own answer would lack our error body, and of several it takes the first. */
function requireHost({ headers, raw }: FastifyRequest): void {
  if (headers.host === undefined && raw.httpVersion === '1.1') {
    throw validationError([{ path: 'Host', message: 'is a header that every request needs' }])
  }
  const { rawHeaders } = raw
  const isHost = (name: string | undefined) => name?.length === 4 && name.toLowerCase() === 'host'
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (isHost(rawHeaders[i])) hosts++
  if (hosts > 1) throw validationError([{ path: 'Host', message: 'is there more than once' }])
}

/** The query's parser would pass over broken percent-encoding, and filter by something else than was meant. */
function requireValidQuery(url: string): void {
  const at = url.indexOf('?')
  if (at < 0) return
  try {
    decodeURIComponent(url.slice(at + 1))
  } catch {
    throw validationError([{ path: 'query', message: 'is not valid percent-encoded UTF-8' }])
  }
}
