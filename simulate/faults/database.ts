import { alwaysAvailable, type LocalFault, outageMs, seconds, wait, waitUntil } from './timing.ts'

const stopped = (how: 'fast' | 'immediate'): LocalFault => ({
  name: `database-stopped-${how}`,
  unavailable: alwaysAvailable,
  inject: (testbed, random, signal) =>
    testbed.postgres.runExclusive(async () => {
      const restart = testbed.onRecover(() => testbed.postgres.start())
      try {
        if (!(await testbed.postgres.stop(how))) return null
        const awayMs = outageMs(random)
        await wait(awayMs, signal)
        return `PostgreSQL stopped (${how}), away for ${seconds(awayMs)}`
      } finally {
        await restart()
      }
    }),
})

/** Ends all sessions and writes a checkpoint. */
export const databaseStoppedFast = stopped('fast')
/** Aborts immediately and recovers at the next start. */
export const databaseStoppedImmediate = stopped('immediate')

/** PostgreSQL treats this as a crash: it ends all sessions and recovers. */
export const backendKilled: LocalFault = {
  name: 'backend-killed',
  unavailable: alwaysAvailable,
  inject: (testbed, _, signal) =>
    testbed.postgres.runExclusive(async () => {
      const [backend] = await testbed.sql<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE application_name = 'claimkeeper'
         ORDER BY state = 'active' DESC, xact_start NULLS LAST LIMIT 1`,
      )
      if (!backend) return null
      const crashes = await testbed.postgres.watchLog(/was terminated by signal 9/)
      process.kill(backend.pid, 'SIGKILL')
      const crashed = await waitUntil(async () => (await crashes()) > 0, 5_000, signal)
      // Answers after the recovery.
      await testbed.sql('SELECT 1')
      return crashed ? 'a backend killed; PostgreSQL recovered' : null
    }),
}
