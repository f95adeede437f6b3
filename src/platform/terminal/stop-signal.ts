import { OperatorError } from '../../kernel/operator-error.ts'
import { STOP_TIMEOUT_MS } from './limits.ts'

/** The signals that end a process. A worker ignores those that its terminal sends to all processes. */
const SIGNALS = { command: ['SIGINT', 'SIGTERM', 'SIGHUP'], worker: ['SIGTERM'] } as const

/**
 * A signal that is aborted by the first SIGINT, SIGTERM or SIGHUP (the terminal was closed). Ctrl-C arrives twice if npm forwards it
 * too, so further signals are ignored: the time of a stop is limited anyway.
 */
export function listenForStop(as: keyof typeof SIGNALS = 'command'): AbortSignal {
  const stop = new AbortController()
  for (const signal of SIGNALS.command) {
    const isHandled = (SIGNALS[as] as readonly string[]).includes(signal)
    process.on(signal, () => isHandled && stop.abort(new OperatorError(`Stopped by ${signal}`)))
  }
  return stop.signal
}

/**
 * Waits for the work. If it does not end within STOP_TIMEOUT_MS after the signal, for example because a file system does not answer,
 * the process kills itself: an exit would wait for threads that wait for files.
 */
export async function withStopTimeout<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const startTimer = () => {
    timer = setTimeout(() => {
      process.stderr.write('claimkeeper: The stop has timed out; ending the process.\n')
      process.kill(process.pid, 'SIGKILL')
    }, STOP_TIMEOUT_MS)
  }
  signal.addEventListener('abort', startTimer, { once: true })
  try {
    return await work
  } finally {
    signal.removeEventListener('abort', startTimer)
    clearTimeout(timer)
  }
}
