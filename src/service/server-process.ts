import { hostname } from 'node:os'
import type { FastifyBaseLogger } from 'fastify'
import packageJson from '../../package.json' with { type: 'json' }
import { requireArchiveFolder } from '../archive/archive-file.ts'
import type { ArchiveSettings } from '../archive/claim-archive.ts'
import type { Config } from '../config/config.ts'
import { withTimeout } from '../kernel/promises.ts'
import { type Lifecycle, startAll, stopAll } from '../kernel/start-stop.ts'
import { presentNotification } from '../notifications/notification-bodies.ts'
import type { Database } from '../platform/database/database.ts'
import { CODE_VERSION } from '../platform/database/migrate/migration-files.ts'
import { readSchemaVersion } from '../platform/database/migrate/schema-version.ts'
import type { RateCounter } from '../platform/http/admission/rate-limit.ts'
import { type Job, Scheduler } from '../platform/jobs/scheduler.ts'
import type { Tracing } from '../platform/observability/tracing.ts'
import { WebhookSender } from '../webhooks/webhook-sender.ts'
import { createApp, lifecyclesOf } from './create-app.ts'
import { createServer } from './http/server.ts'
import { jobsOf } from './jobs.ts'
import { DRAIN_TIMEOUT_MS, LIFECYCLES_STOP_TIMEOUT_MS } from './limits.ts'
import { listen } from './listening.ts'
import { ProcessMetrics } from './metrics/process-metrics.ts'

/** One process that serves requests. */
export interface ServerProcess {
  url: string
  /** Starts the periodic jobs. A second call, or a call after the stop, changes nothing. */
  schedule: () => Promise<void>
  /**
   * Accepts no more requests, finishes requests in flight, and leaves the database open. Takes `DRAIN_TIMEOUT_MS` and
   * `LIFECYCLES_STOP_TIMEOUT_MS` at most.
   */
  stop: () => Promise<void>
}

/** What a server process gets from the process that started it. */
export interface Surroundings {
  /** Number of the worker; null if the server has no workers. */
  worker: number | null
  /** Null for no rate limit. */
  rates: RateCounter | null
  /** Metrics of all processes of this server, in the format of Prometheus. */
  readMetrics: () => Promise<string>
  log: FastifyBaseLogger
}

/**
 * Starts an HTTP server on the database, with all parts that it needs.
 * @throws OperatorError
 */
export async function startServerProcess(
  db: Database,
  config: Config,
  { worker, rates, readMetrics, log }: Surroundings,
): Promise<ServerProcess> {
  const archive = archiveSettings(config)
  const tracing = await startTracing(config, worker, log)
  const app = createApp(db, config.webhookKey, tracing)
  const webhooks = new WebhookSender({
    app,
    present: (notification) => presentNotification(notification).text,
    delaysMs: config.webhookRetries.map((seconds) => seconds * 1_000),
    allowPrivate: config.webhookAllowPrivate,
    ports: config.webhookPorts ?? [],
    // A URL may contain a secret of the receiver.
    onDisabled: ({ id, url }, reason) =>
      log.warn({ endpoint: id, host: new URL(url).host, reason }, 'webhook endpoint disabled'),
    onError: (error) => log.error({ err: error }, 'sending webhooks failed'),
  })
  const parts = [...lifecyclesOf(app), webhooks, new ProcessMetrics(db.metrics)]
  const end = () => withTimeout(LIFECYCLES_STOP_TIMEOUT_MS, stopEverything(parts, tracing, log))
  try {
    if (archive !== null) await requireArchiveFolder(archive.folder)
    await startAll(parts)
    const server = await createServer(app, {
      log,
      publicUrl: config.publicUrl ?? '',
      rates,
      openSignUp: config.openSignUp,
      trustedProxies: config.trustedProxies,
      maxConnections: config.maxConnections,
      maxSchemas: config.maxSchemas,
      maxCalendars: config.maxCalendars,
      allowPrivateWebhooks: config.webhookAllowPrivate,
      webhookPorts: config.webhookPorts ?? [],
      requestLog: config.requestLog,
      metrics: config.metricsToken === null ? null : { token: config.metricsToken, read: readMetrics },
    })
    await warnIfNewer(db, log)
    const url = await listen(server, config)

    const onError = (error: unknown, job: Job) => log.error({ err: error }, `${job.name} failed`)
    const scheduler = new Scheduler(jobsOf(app, config, archive, log), onError)

    let maySchedule = true
    const schedule = async () => {
      if (!maySchedule) return
      maySchedule = false
      await scheduler.start()
    }
    const stop = async () => {
      maySchedule = false
      await withTimeout(DRAIN_TIMEOUT_MS, Promise.allSettled([server.close(), scheduler.stop()]))
      server.cutConnections()
      server.server.closeAllConnections()
      await end()
    }
    return { url, schedule, stop }
  } catch (error) {
    await end()
    throw error
  }
}

/** During a roll-out, a server of the older version may be restarted. */
async function warnIfNewer(db: Database, log: FastifyBaseLogger): Promise<void> {
  const { version, worksFrom } = await readSchemaVersion(db)
  if (version <= CODE_VERSION) return
  const facts = { databaseMigration: version, ownMigration: CODE_VERSION, worksFrom }
  log.warn(facts, 'the database is newer than this server, and works with it')
}

/** Traces last: they contain what the other parts do at the end. */
async function stopEverything(
  parts: readonly Lifecycle[],
  tracing: Tracing | null,
  log: FastifyBaseLogger,
): Promise<void> {
  await stopAll(parts, (error) => log.error({ err: error }, 'a part of the service failed to stop'))
  await tracing?.stop()
}

/** Null if nothing is archived. */
const archiveSettings = ({ archiveDays: days, archiveDir: folder }: Config): ArchiveSettings | null =>
  days === 0 || folder === null ? null : { days, folder }

/**
 * Null if there is no collector. The packages of OpenTelemetry are loaded only if there is one.
 * @param worker which of the workers this process is, if it is one
 */
async function startTracing(
  { otlpEndpoint, otlpHeaders, serviceName, traceShare }: Config,
  worker: number | null,
  log: FastifyBaseLogger,
): Promise<Tracing | null> {
  if (otlpEndpoint === null) return null
  const { OpenTelemetry } = await import('../platform/observability/open-telemetry.ts')
  return new OpenTelemetry({
    url: otlpEndpoint,
    headers: otlpHeaders ?? {},
    serviceName,
    version: packageJson.version,
    instance: `${hostname()}/${process.pid}${worker === null ? '' : `/${worker}`}`,
    share: traceShare,
    // The URL may contain a password.
    onLost: (spans, reason) =>
      log.warn(
        { spans, reason, collector: new URL(otlpEndpoint).host },
        'the trace collector accepted no spans',
      ),
  })
}
