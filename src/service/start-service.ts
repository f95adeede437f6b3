import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config/config.ts'
import { openDatabase } from '../platform/database/open-database.ts'
import { rateCounts } from '../platform/http/limits/rate-counts.ts'
import { metricsText } from '../platform/observability/metrics.ts'
import { createApp } from './create-app.ts'
import { type FirstAccount, welcomeFirstAccount } from './first-account.ts'
import { requireFreePort } from './listening.ts'
import { startMetricsServer } from './metrics/metrics-server.ts'
import { shareReading } from './metrics/share-reading.ts'
import { startServerProcess } from './server-process.ts'
import { warnOfConnections } from './warn-of-connections.ts'

export interface Service extends FirstAccount {
  /** Where it listens. */
  url: string
  /** Takes no more requests, finishes those in flight, stops the database. */
  stop: () => Promise<void>
}

/** A stop takes no longer, the database's own time included: whoever supervises the server waits for 10 s. */
export const STOP_MS = 9_000

/** Starts the service in this process: database, HTTP server, scheduler. @throws OperatorError */
export async function startService(
  config: Config,
  log: FastifyBaseLogger,
  report: (step: string) => void,
  signal: AbortSignal,
): Promise<Service> {
  await requireFreePort(config)
  const database = await openDatabase(ofService(config, report, signal))
  try {
    await warnOfConnections(database.db, config, 1, log)
    const account = await welcomeFirstAccount(createApp(database.db), config, report, signal)
    const rates = rateCounts(config.rateLimitPerMinute)
    const { metrics } = database.db
    const readMetrics = shareReading(async () => metricsText([await metrics.measured()]))
    const server = await startServerProcess(database.db, config, { worker: null, rates, readMetrics, log })
    const metricsServer = await startMetricsServer(config, readMetrics, log).catch(async (error) => {
      await server.stop()
      throw error
    })
    await server.schedule()
    const stop = async () => {
      const deadline = performance.now() + STOP_MS
      await Promise.all([metricsServer?.stop(), server.stop()])
      await database.close(deadline - performance.now())
    }
    return { ...account, url: server.url, stop }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** How the service opens its database. */
export const ofService = (config: Config, report: (step: string) => void, signal: AbortSignal) => ({
  databaseUrl: config.databaseUrl,
  dataDir: config.dataDir,
  poolSize: config.databasePoolSize,
  role: 'service' as const,
  allowUnsafe: config.allowUnsafeDatabase,
  distribute: config.distribute,
  mayCreate: true,
  report,
  signal,
})
