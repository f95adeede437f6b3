import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../../config/config.ts'
import { OperatorError } from '../../kernel/operator-error.ts'
import { withRejectionHandler } from '../../kernel/promises.ts'
import { METRICS_TYPE } from '../../platform/observability/metrics.ts'
import { MAX_METRICS_CONNECTIONS, METRICS_REQUEST_TIMEOUT_MS } from '../limits.ts'

/** The server of the metrics port. */
export interface MetricsServer {
  stop: () => Promise<void>
}

/**
 * Answers GET /metrics on METRICS_PORT without authentication. Null if no port is set.
 * @throws OperatorError if it cannot listen
 */
export async function startMetricsServer(
  { host, metricsPort: port }: Pick<Config, 'host' | 'metricsPort'>,
  read: () => Promise<string>,
  log: FastifyBaseLogger,
): Promise<MetricsServer | null> {
  if (port === null) return null
  const server = createServer({ requestTimeout: METRICS_REQUEST_TIMEOUT_MS }, (request, response) => {
    const answer = (status: number, text: string) =>
      response.writeHead(status, { 'Content-Type': status === 200 ? METRICS_TYPE : 'text/plain' }).end(text)
    if (request.url?.split('?', 1)[0] !== '/metrics') return answer(404, 'There is only /metrics.\n')
    if (request.method !== 'GET') return answer(405, 'Only GET.\n')
    read().then(
      (text) => answer(200, text),
      (error) => {
        log.error({ err: error }, 'the metrics could not be read')
        answer(500, 'The metrics could not be read.\n')
      },
    )
    return undefined
  })
  server.maxConnections = MAX_METRICS_CONNECTIONS
  server.timeout = METRICS_REQUEST_TIMEOUT_MS
  server.on('clientError', (_error, socket) => socket.destroy())
  try {
    await once(server.listen({ host, port }), 'listening')
  } catch (error) {
    throw new OperatorError(
      `Cannot listen on HOST ${host}, METRICS_PORT ${port}: ${(error as Error).message}`,
    )
  }
  log.info({ host, port: (server.address() as AddressInfo).port }, 'metrics are at /metrics')
  const stop = async () => {
    const closed = withRejectionHandler(once(server, 'close'))
    server.close()
    server.closeAllConnections()
    await closed
  }
  return { stop }
}

/** Calls while a read is running share its result. */
export function singleFlight<T>(read: () => Promise<T>): () => Promise<T> {
  let inFlight: Promise<T> | null = null
  return () => {
    inFlight ??= withRejectionHandler(
      read().finally(() => {
        inFlight = null
      }),
    )
    return inFlight
  }
}
