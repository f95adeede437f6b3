import type { Cleanup } from '../../bench/cleanup.ts'

/** `disconnect`: the parent process with the channel has ended. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const
const STATUS: Record<(typeof SIGNALS)[number], number> = {
  SIGHUP: 129,
  SIGINT: 130,
  SIGTERM: 143,
  disconnect: 2,
}

/**
 * Cleans up if a signal ends this process. Otherwise asynchronous work is impossible: the processes are killed, and
 * the next run removes their folders, as it does after a SIGKILL.
 */
export function cleanUpOnExit(cleanup: Cleanup, pids: () => (number | null)[]): void {
  const onSignal = (signal: (typeof SIGNALS)[number]) => {
    void cleanup.run().then(() => process.exit(STATUS[signal]))
  }
  const onExit = () => {
    for (const pid of pids()) if (pid !== null) kill(pid)
  }
  for (const signal of SIGNALS) process.once(signal, onSignal)
  process.once('exit', onExit)
  // Added first, so it runs last.
  cleanup.add(() => {
    for (const signal of SIGNALS) process.off(signal, onSignal)
    process.off('exit', onExit)
  })
}

function kill(pid: number): void {
  try {
    // PostgreSQL shuts down immediately, Node ends.
    process.kill(pid, 'SIGQUIT')
  } catch {
    // The process has ended.
  }
}
