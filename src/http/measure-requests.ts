import type { FastifyRequest } from 'fastify'
import type { Metrics } from '../metrics/metrics.ts'
import { EVENT_STREAM } from './protocol/responses.ts'
import type { TypedServer } from './typed-server.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** When it came; by performance.now(). */
    since: number
  }
}

/** How long each request takes until its answer begins. Before all other hooks, so that what they refuse counts, too. */
export function measureRequests(server: TypedServer, metrics: Metrics): void {
  const { requestSeconds } = metrics.instruments
  server.decorateRequest('since', 0)
  server.addHook('onRequest', (request, _reply, done) => {
    request.since = performance.now()
    done()
  })
  server.addHook('onSend', (request, reply, payload, done) => {
    if (reply.getHeader('content-type') !== EVENT_STREAM) {
      const labels = { operation: operationOf(request), status: reply.statusCode }
      requestSeconds.observe(labels, (performance.now() - request.since) / 1_000)
    }
    done(null, payload)
  })
}

const operationOf = ({ routeOptions }: FastifyRequest): string =>
  (routeOptions.schema as { operationId?: string } | undefined)?.operationId ?? 'other'
