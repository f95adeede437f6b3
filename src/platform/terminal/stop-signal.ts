import { OperatorError } from '../../kernel/operator-error.ts'

/** What is under way when a signal comes gets this long to put away what it has started. */
const PATIENCE_MS = 8_000

/** What ends a process. A worker is not meant by what its terminal tells all of its processes. */
const SIGNALS = { command: ['SIGINT', 'SIGTERM', 'SIGHUP'], worker: ['SIGTERM'] } as const

/**
 * Aborted by the first SIGINT, SIGTERM or SIGHUP. Ctrl-C arrives twice if npm forwards it too, so
 * further signals are ignored: the time of a stop is limited anyway. SIGHUP: the terminal was closed.
 */
export function listenForStop(as: keyof typeof SIGNALS = 'command'): AbortSignal {
  const stop = new AbortController()
  for (const signal of SIGNALS.command) {
    const isMeant = (SIGNALS[as] as readonly string[]).includes(signal)
    process.on(signal, () => isMeant && stop.abort(new OperatorError(`Stopped by ${signal}`)))
  }
  return stop.signal
}

/**
 * What does not end in its time after the signal, such as a file system that does not answer, is left where it stands.
 * Only SIGKILL does that: an exit waits for the threads that wait for files.
 */
export async function killedAfter<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const hasten = () => {
    timer = setTimeout(() => {
      process.stderr.write('claimkeeper: What was under way does not end; leaving it.\n')
      process.kill(process.pid, 'SIGKILL')
    }, PATIENCE_MS)
  }
  signal.addEventListener('abort', hasten, { once: true })
  try {
    return await work
  } finally {
    signal.removeEventListener('abort', hasten)
    clearTimeout(timer)
  }
}
