import type { FastifyBaseLogger } from 'fastify'
import { bootstrapAccount, inviteFirstAccount, showFirstToken } from '../accounts/bootstrap-account.ts'
import { listUsers } from '../accounts/users.ts'
import type { App } from '../app.ts'
import type { Config } from '../config/config.ts'
import { connectionShortage } from '../doctor/check-server.ts'
import { unlessAborted } from '../platform/concurrency/unless-aborted.ts'
import type { Database } from '../platform/database/database.ts'
import { openDatabase } from '../platform/database/open-database.ts'
import { rateCounts } from '../platform/http/admission/rate-limit.ts'
import { metricsText } from '../platform/observability/metrics.ts'
import { createApp } from './create-app.ts'
import { STOP_TIMEOUT_MS } from './limits.ts'
import { requireFreePort } from './listening.ts'
import { singleFlight, startMetricsServer } from './metrics/metrics-server.ts'
import { startServerProcess } from './server-process.ts'

export interface Service extends FirstAccount {
  /** URL of the server. */
  url: string
  /** Accepts no more requests, finishes those in flight, and stops the database. */
  stop: () => Promise<void>
}

/** Starts the service in this process: database, HTTP server, scheduler. @throws OperatorError */
export async function startService(
  config: Config,
  log: FastifyBaseLogger,
  report: (step: string) => void,
  signal: AbortSignal,
): Promise<Service> {
  await requireFreePort(config)
  const database = await openDatabase(databaseOptions(config, report, signal))
  try {
    await warnOfConnectionShortage(database.db, config, 1, log)
    const account = await ensureFirstAccount(createApp(database.db), config, report, signal)
    const rates = rateCounts(config.rateLimitPerMinute)
    const { metrics } = database.db
    const readMetrics = singleFlight(async () => metricsText([await metrics.readValues()]))
    const server = await startServerProcess(database.db, config, { worker: null, rates, readMetrics, log })
    const metricsServer = await startMetricsServer(config, readMetrics, log).catch(async (error) => {
      await server.stop()
      throw error
    })
    await server.schedule()
    const stop = async () => {
      const deadline = performance.now() + STOP_TIMEOUT_MS
      await Promise.all([metricsServer?.stop(), server.stop()])
      await database.close(deadline - performance.now())
    }
    return { ...account, url: server.url, stop }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Options with which the service opens its database. */
export const databaseOptions = (config: Config, report: (step: string) => void, signal: AbortSignal) => ({
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

/** Logs a warning if PostgreSQL allows too few connections: the server starts, but some requests fail later. */
export async function warnOfConnectionShortage(
  db: Database,
  { databasePoolSize: poolSize }: Config,
  workers: number,
  log: FastifyBaseLogger,
): Promise<void> {
  const why = await connectionShortage(db.checks, { poolSize, workers })
  if (why !== null) log.warn(why)
}

/** The first account, for the banner of a start. */
export interface FirstAccount {
  /** Email of the account. */
  owner: string
  /** Whether this start created the account with the token from the settings. */
  isTokenFromSettings: boolean
  /** The key of a one-time sign-up link; null if the account has a password. */
  welcomeKey: string | null
  /** Calls `show` with a new first token and then stores the token. Calls `show` with null if the account needs none. */
  showFirstToken: (show: (token: string | null) => Promise<void>) => Promise<void>
}

/** Creates the first account if there is none, and a new one-time link while nobody can sign in to the account. */
export async function ensureFirstAccount(
  app: App,
  { bootstrapToken }: Config,
  report: (step: string) => void,
  signal: AbortSignal,
): Promise<FirstAccount> {
  const isNew = await unlessAborted(signal, bootstrapAccount(app, bootstrapToken))
  const welcomeKey = await unlessAborted(signal, inviteFirstAccount(app))
  const [first] = await unlessAborted(signal, listUsers(app))
  const owner = first?.email ?? ''
  if (isNew) report(`Creating the account ${owner}`)
  return {
    owner,
    isTokenFromSettings: isNew && bootstrapToken !== null,
    welcomeKey,
    showFirstToken: (show) => (bootstrapToken === null ? showFirstToken(app, show) : show(null)),
  }
}
