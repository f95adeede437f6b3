import type { Logger } from 'pino'

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
