import type { Cleanup } from '../../bench/cleanup.ts'

/** The last one: who started this process, with a channel to it, is no more. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const
const STATUS: Record<(typeof SIGNALS)[number], number> = {
  SIGHUP: 129,
  SIGINT: 130,
  SIGTERM: 143,
  disconnect: 2,
}

/**
 * Cleans up where a signal ends this process. Where it ends otherwise before its clean-up, nothing can be waited for:
 * the processes are killed, and their folders go with the next run's start; so does all of a process that is killed.
 */
export function endWithUs(cleanup: Cleanup, pids: () => (number | null)[]): void {
  const onSignal = (signal: (typeof SIGNALS)[number]) => {
    void cleanup.run().then(() => process.exit(STATUS[signal]))
  }
  const onExit = () => {
    for (const pid of pids()) if (pid !== null) kill(pid)
  }
  for (const signal of SIGNALS) process.once(signal, onSignal)
  process.once('exit', onExit)
  // Added first, so done last.
  cleanup.add(() => {
    for (const signal of SIGNALS) process.off(signal, onSignal)
    process.off('exit', onExit)
  })
}

function kill(pid: number): void {
  try {
    // To PostgreSQL an immediate shutdown, to Node the end.
    process.kill(pid, 'SIGQUIT')
  } catch {
    // It has ended.
  }
}
