import type { Logger } from 'pino'

/**
 * What Node would write to the console goes into the log. That something of it is experimental is known where it is
 * used (`app/memory/allocator.ts`).
 */
export function listenForWarnings(log: Logger): void {
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    if (warning.name === 'ExperimentalWarning') log.debug({ err: warning }, 'Node warns')
    else log.warn({ err: warning }, 'Node warns')
  })
}
