import { availableParallelism } from 'node:os'
import type { FastifyBaseLogger } from 'fastify'
import { type Config, MAX_WORKERS } from '../../config/config.ts'
import { OperatorError } from '../../kernel/operator-error.ts'
import { unlessAborted } from '../../platform/concurrency/unless-aborted.ts'
import { openDatabase } from '../../platform/database/open-database.ts'
import { rateCounts } from '../../platform/http/admission/rate-limit.ts'
import { createApp } from '../create-app.ts'
import {
  CONNECTIONS_BESIDE_POOL,
  EMBEDDED_CONNECTIONS_FOR_WORKERS,
  MAX_PORT_ATTEMPTS,
  STOP_TIMEOUT_MS,
  WORKERS_STOP_TIMEOUT_MS,
} from '../limits.ts'
import { PortTaken, requireFreePort } from '../listening.ts'
import { startMetricsServer } from '../metrics/metrics-server.ts'
import {
  databaseOptions,
  ensureFirstAccount,
  type Service,
  warnOfConnectionShortage,
} from '../start-service.ts'
import { Workers } from './workers.ts'

/**
 * The number of worker processes.
 * @throws OperatorError if the embedded database has too few connections for them
 */
export function workerCount({ workers, databaseUrl, databasePoolSize }: Config): number {
  const maxWorkers =
    databaseUrl === null
      ? Math.floor(EMBEDDED_CONNECTIONS_FOR_WORKERS / (databasePoolSize + CONNECTIONS_BESIDE_POOL))
      : Infinity
  if (workers === 'auto') return Math.max(1, Math.min(availableParallelism(), maxWorkers, MAX_WORKERS))
  if (workers > 1 && workers > maxWorkers) {
    throw new OperatorError(
      `CLAIMKEEPER_WORKERS must be at most ${maxWorkers} on the embedded database with a DATABASE_POOL_SIZE of ${databasePoolSize}: it has too few connections for more workers. Lower CLAIMKEEPER_WORKERS or DATABASE_POOL_SIZE.`,
    )
  }
  return workers
}

/**
 * Starts the service in several processes. This process opens the database, creates the first account, counts rate limits for all
 * workers, and serves no requests.
 * @throws OperatorError
 */
export async function startWorkers(
  config: Config,
  log: FastifyBaseLogger,
  report: (step: string) => void,
  signal: AbortSignal,
): Promise<Service> {
  const count = workerCount(config)
  const port = await requireFreePort(config)
  const database = await openDatabase(databaseOptions(config, report, signal))
  try {
    await warnOfConnectionShortage(database.db, config, count, log)
    const account = await ensureFirstAccount(createApp(database.db), config, report, signal)
    const { connectionString } = database
    const rates = rateCounts(config.rateLimitPerMinute)
    const { url, workers } = await startOnPort(config, port, signal, (onPort) => {
      return new Workers({ count, connectionString, port: onPort, rates, log })
    })
    const metricsServer = await startMetricsServer(config, workers.readMetrics, log).catch(async (error) => {
      await workers.stop(WORKERS_STOP_TIMEOUT_MS)
      throw error
    })
    const stop = async () => {
      const deadline = performance.now() + STOP_TIMEOUT_MS
      await Promise.all([metricsServer?.stop(), workers.stop(WORKERS_STOP_TIMEOUT_MS)])
      await database.close(deadline - performance.now())
    }
    return { ...account, url, stop }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** With PORT 0, another program may take the free port before the workers listen on it. Then tries another port. */
async function startOnPort(
  config: Config,
  firstPort: number,
  signal: AbortSignal,
  make: (port: number) => Workers,
) {
  let port = firstPort
  for (let attempt = 1; ; attempt++) {
    const workers = make(port)
    try {
      return { url: await unlessAborted(signal, workers.start()), workers }
    } catch (error) {
      await workers.stop(WORKERS_STOP_TIMEOUT_MS)
      if (!(error instanceof PortTaken) || config.port !== 0 || attempt === MAX_PORT_ATTEMPTS) throw error
      port = await requireFreePort(config)
    }
  }
}
