import type { LocalTestbed } from '../testbed/local-testbed.ts'
import { alwaysAvailable, type LocalFault, seconds, wait } from './timing.ts'

/** Terminates all or some backends of the servers. */
export const backendsTerminated: LocalFault = {
  name: 'backends-terminated',
  unavailable: alwaysAvailable,
  inject: async (testbed, random) => {
    const share = random.pick([0.1, 0.5, 1])
    const ended = await testbed.sql<{ was_there: boolean }>(
      `SELECT pg_terminate_backend(pid) AS was_there FROM pg_stat_activity
       WHERE application_name = 'claimkeeper' AND random() <= $1`,
      [share],
    )
    const count = ended.filter(({ was_there }) => was_there).length
    return count === 0 ? null : `${count} backends terminated`
  },
}

/** Suspends a process of PostgreSQL for about a second: a backend or a background process. */
export const processPaused: LocalFault = {
  name: 'database-process-paused',
  unavailable: () => (process.platform === 'win32' ? 'Windows has no SIGSTOP' : null),
  inject: async (testbed, random, signal) => {
    const [paused] = await findProcess(testbed, random.chance(0.7))
    if (!paused) return null
    const goOn = testbed.onRecover(() => send(paused.pid, 'SIGCONT'))
    const ms = random.int(300, 1_500)
    if (!send(paused.pid, 'SIGSTOP')) return null
    try {
      await wait(ms, signal)
      return `${paused.type} paused for ${seconds(ms)}`
    } finally {
      await goOn()
    }
  },
}

function findProcess(testbed: LocalTestbed, isSession: boolean): Promise<{ pid: number; type: string }[]> {
  // The busiest session has the greatest effect.
  return testbed.sql(
    `SELECT pid, backend_type AS type FROM pg_stat_activity
     WHERE CASE WHEN $1 THEN application_name = 'claimkeeper'
       ELSE backend_type IN ('walwriter', 'checkpointer', 'background writer') END
     ORDER BY state = 'active' DESC NULLS LAST, xact_start NULLS LAST, random() LIMIT 1`,
    [isSession],
  )
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    // The process has ended.
    return false
  }
}
