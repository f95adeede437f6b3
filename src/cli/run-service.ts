import { once } from 'node:events'
import { relative, resolve } from 'node:path'
import type { Logger } from 'pino'
import { invitationUrl } from '../accounts/invitations/invitations.ts'
import type { Config } from '../config/config.ts'
import { createLog } from '../platform/terminal/log.ts'
import { print, printProgress } from '../platform/terminal/output.ts'
import { listenForStop, withStopTimeout } from '../platform/terminal/stop-signal.ts'
import { type Service, startService } from '../service/start-service.ts'
import { runWorker } from '../service/workers/run-worker.ts'
import { startWorkers, workerCount } from '../service/workers/start-workers.ts'
import { bannerText } from './banner.ts'
import { FAULT_STOP_TIMEOUT_MS } from './limits.ts'
import { reportTo } from './run-command.ts'

/** Runs the service in this process, or with workers. */
export async function runService(config: Config): Promise<void> {
  const log = createLog(config.logLevel)
  listenForWarnings(log)
  const signal = AbortSignal.any([listenForStop(), listenForFaults(log)])
  const service = await start(config, log, signal)
  if (service !== null) {
    await aborted(signal)
    printProgress(`${signal.reason.message}: finishing requests in flight and stopping the database`)
    await service.stop()
  }
  printProgress('Stopped.')
  process.exit(signal.reason instanceof Fault ? 1 : 0)
}

/** Runs a worker of another process. It prints nothing except the log. */
export async function runServiceAsWorker(config: Config, worker: number): Promise<void> {
  const log = createLog(config.logLevel).child({ worker })
  listenForWarnings(log)
  const fault = listenForFaults(log)
  const ended = AbortSignal.any([listenForStop('worker'), fault])
  await withStopTimeout(ended, runWorker(config, worker, log, ended))
  process.exit(fault.aborted ? 1 : 0)
}

/** Returns null if the signal comes first. Then everything that was started has been stopped. */
async function start(config: Config, log: Logger, signal: AbortSignal): Promise<Service | null> {
  const startedAt = performance.now()
  try {
    const starting = workerCount(config) === 1 ? startService : startWorkers
    const service = await withStopTimeout(signal, starting(config, log, reportTo(process.stdout), signal))
    const startMs = performance.now() - startedAt
    // The service must run even if standard output cannot be written.
    await service
      .showFirstToken((token) => print(banner(service, config, startMs, token)))
      .catch((err) => log.warn({ err }, 'the banner was not shown; a later start creates the first token'))
    return service
  } catch (error) {
    if (!signal.aborted) throw error
    printProgress(`${signal.reason.message} before it was ready`)
    return null
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}

function banner(service: Service, config: Config, startMs: number, token: string | null): string {
  const { url, isTokenFromSettings, owner, welcomeKey } = service
  return bannerText({
    url,
    startMs,
    database: config.databaseUrl
      ? `PostgreSQL at ${new URL(config.databaseUrl).host}${new URL(config.databaseUrl).pathname}`
      : `embedded PostgreSQL under ${relative('', config.dataDir) || '.'}`,
    dataDir: config.databaseUrl ? null : resolve(config.dataDir),
    owner,
    token,
    isTokenFromSettings,
    welcomeUrl: welcomeKey === null ? null : invitationUrl(config.publicUrl ?? url, welcomeKey),
  })
}

/** An uncaught exception or an unhandled rejection. */
class Fault extends Error {}

/**
 * A signal that is aborted by the first uncaught exception or unhandled rejection. The state of the process is then unknown, so it
 * stops, and the supervisor restarts it. A second fault, or a stop that exceeds the timeout, ends the process at once: acknowledged
 * data is in the database.
 */
export function listenForFaults(log: Logger, timeoutMs = FAULT_STOP_TIMEOUT_MS): AbortSignal {
  const stop = new AbortController()
  // Node reports unhandled rejections here too.
  process.on('uncaughtException', (error, origin) => {
    log.fatal({ err: error, origin }, 'uncaught exception')
    if (stop.signal.aborted) process.exit(1)
    setTimeout(() => {
      log.fatal('the stop has timed out; exiting')
      process.exit(1)
    }, timeoutMs)
    stop.abort(new Fault('Uncaught exception'))
  })
  return stop.signal
}

/** Writes Node's process warnings to the log. Experimental warnings have level debug. */
function listenForWarnings(log: Logger): void {
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    if (warning.name === 'ExperimentalWarning') log.debug({ err: warning }, 'warning of Node')
    else log.warn({ err: warning }, 'warning of Node')
  })
}
