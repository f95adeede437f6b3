import { once } from 'node:events'
import { relative, resolve } from 'node:path'
import type { Logger } from 'pino'
import { invitationUrl } from '../accounts/invitations/invitations.ts'
import type { Config } from '../config/config.ts'
import { createLog } from '../platform/terminal/log.ts'
import { print, tell } from '../platform/terminal/output.ts'
import { killedAfter, listenForStop } from '../platform/terminal/stop-signal.ts'
import { type Service, startService } from '../service/start-service.ts'
import { runWorker } from '../service/workers/run-worker.ts'
import { startWorkers, workerCount } from '../service/workers/start-workers.ts'
import { bannerText } from './banner.ts'
import { reportTo } from './run-command.ts'

/** In this process, or with workers. */
export async function runService(config: Config): Promise<void> {
  const log = createLog(config.logLevel)
  listenForWarnings(log)
  const signal = AbortSignal.any([listenForStop(), listenForFaults(log)])
  const service = await start(config, log, signal)
  if (service !== null) {
    await aborted(signal)
    tell(`${signal.reason.message}: finishing requests in flight and stopping the database`)
    await service.stop()
  }
  tell('Stopped.')
  process.exit(signal.reason instanceof Fault ? 1 : 0)
}

/** As one of the processes that another has started: it says nothing but what the log has. */
export async function runServiceAsWorker(config: Config, worker: number): Promise<void> {
  const log = createLog(config.logLevel).child({ worker })
  listenForWarnings(log)
  const fault = listenForFaults(log)
  const ended = AbortSignal.any([listenForStop('worker'), fault])
  await killedAfter(ended, runWorker(config, worker, log, ended))
  process.exit(fault.aborted ? 1 : 0)
}

/** Null if the signal came first; then what was started has been stopped again. */
async function start(config: Config, log: Logger, signal: AbortSignal): Promise<Service | null> {
  const startedAt = performance.now()
  try {
    const starting = workerCount(config) === 1 ? startService : startWorkers
    const service = await killedAfter(signal, starting(config, log, reportTo(process.stdout), signal))
    const startMs = performance.now() - startedAt
    // The service must run even if standard output cannot be written.
    await service
      .showFirstToken((token) => print(banner(service, config, startMs, token)))
      .catch((err) => log.warn({ err }, 'the banner was not shown; a first token is made by a later start'))
    return service
  } catch (error) {
    if (!signal.aborted) throw error
    tell(`${signal.reason.message} before it was ready`)
    return null
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}

function banner(service: Service, config: Config, startMs: number, token: string | null): string {
  const { url, hasGivenToken, owner, welcomeKey } = service
  return bannerText({
    url,
    startMs,
    database: config.databaseUrl
      ? `PostgreSQL at ${new URL(config.databaseUrl).host}${new URL(config.databaseUrl).pathname}`
      : `embedded PostgreSQL under ${relative('', config.dataDir) || '.'}`,
    dataDir: config.databaseUrl ? null : resolve(config.dataDir),
    owner,
    token,
    hasGivenToken,
    welcomeUrl: welcomeKey === null ? null : invitationUrl(config.publicUrl ?? url, welcomeKey),
  })
}

/** A stop is over by then; see DRAIN_MS in service/server-process.ts, and what a database takes to stop. */
const PATIENCE_MS = 15_000

/** An exception that nobody caught, or a rejected promise that nobody awaits. */
export class Fault extends Error {}

/**
 * Aborted by the first exception or rejection that nobody caught. What it interrupted is left as it stands, so nothing
 * may be begun on top of it: the process stops, and the supervisor restarts it. Another one while that goes
 * on, or a stop that does not end in time, ends the process where it stands, as SIGKILL would: what was acknowledged is
 * in the database.
 */
export function listenForFaults(log: Logger, patienceMs = PATIENCE_MS): AbortSignal {
  const stop = new AbortController()
  // An unhandled rejection comes here too.
  process.on('uncaughtException', (error, origin) => {
    log.fatal({ err: error, origin }, 'a fault that nobody caught')
    if (stop.signal.aborted) process.exit(1)
    setTimeout(() => {
      log.fatal('the stop does not end; leaving it')
      process.exit(1)
    }, patienceMs)
    stop.abort(new Fault('A fault that nobody caught'))
  })
  return stop.signal
}

/** Writes Node's process warnings to the log. Experimental warnings have level debug. */
export function listenForWarnings(log: Logger): void {
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    if (warning.name === 'ExperimentalWarning') log.debug({ err: warning }, 'Node warns')
    else log.warn({ err: warning }, 'Node warns')
  })
}
