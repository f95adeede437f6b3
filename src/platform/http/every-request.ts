import { setMaxListeners } from 'node:events'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest, HTTPMethods } from 'fastify'
import { ServiceError, unavailable, validationError } from '../../kernel/errors.ts'
import { commonHeaders } from './responses/error-response.ts'
import { isLarge, streamLarge } from './responses/response-stream.ts'
import type { TypedServer } from './route.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Aborts when the server stops. The reason is the response to new requests. */
    stopSignal: AbortSignal
  }
}

/** Checks of every request, and hooks of every response. */
export function answerEveryRequestAlike(server: TypedServer): void {
  const stopping = new AbortController()
  const stopSignal = stopping.signal
  // Every waiting request listens to it.
  setMaxListeners(0, stopSignal)
  server.decorate('stopSignal', stopSignal)
  server.addHook('preClose', async () => {
    stopping.abort(unavailable('The server is stopping.'))
  })
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(commonHeaders(request))
    stopSignal.throwIfAborted()
    requireHost(request)
    requireValidQuery(request.url)
    done()
  })
  server.addHook('onSend', (request, reply, payload, done) => {
    const { raw, body } = request
    // Drains the rest of a body that was refused unread, so that its memory is released.
    if (!raw.complete && raw.readableFlowing === null && !(body instanceof Readable)) raw.resume()
    // A connection references its last request for as long as it is open.
    request.body = undefined
    // A connection that stays open after its last response would delay the stop.
    if (stopSignal.aborted) reply.header('Connection', 'close')
    if (!isLarge(payload)) done(null, payload)
    else {
      const sent = streamLarge(reply, payload).then((pieces) => done(null, pieces), done)
      sent.catch((error) => reply.raw.destroy(error))
    }
  })
}

/** HTTP/1.1 requires it. Node's own response would lack the error body, and of several headers Node takes the first. */
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

/** The query parser skips invalid percent-encoding, so a filter would have another meaning. */
function requireValidQuery(url: string): void {
  const at = url.indexOf('?')
  if (at < 0) return
  try {
    decodeURIComponent(url.slice(at + 1))
  } catch {
    throw validationError([{ path: 'query', message: 'is not valid percent-encoded UTF-8' }])
  }
}

/**
 * Distinguishes a path that does not exist (404) from a method that the path does not have (405, with `Allow`). Must
 * be called before the routes are added.
 */
export function answerUnknownRoutes(server: FastifyInstance): void {
  const methodsByPattern = new Map<string, Set<HTTPMethods>>()
  server.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByPattern.get(url) ?? new Set()
    for (const name of [method].flat()) methods.add(name as HTTPMethods)
    methodsByPattern.set(url, methods)
  })

  // Before the body is read: its errors do not matter here.
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

/** Whether the path matches a pattern such as /v1/claims/:id. */
function matches(pattern: string, path: string): boolean {
  const segments = path.split('/')
  const wanted = pattern.split('/')
  return (
    !pattern.includes('*') &&
    segments.length === wanted.length &&
    wanted.every((segment, i) => (segment.startsWith(':') ? segments[i] !== '' : segment === segments[i]))
  )
}
