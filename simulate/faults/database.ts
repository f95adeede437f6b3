import { possible, type RealFault, seconds, someTime, wait, waitUntil } from './moments.ts'

const stopped = (how: 'fast' | 'immediate'): RealFault => ({
  name: `database-stopped-${how}`,
  unavailable: possible,
  strike: (stage, random, signal) =>
    stage.postgres.alone(async () => {
      const comeBack = stage.untilCalm(() => stage.postgres.start())
      try {
        if (!(await stage.postgres.stop(how))) return null
        const awayMs = someTime(random)
        await wait(awayMs, signal)
        return `PostgreSQL stopped (${how}), away for ${seconds(awayMs)}`
      } finally {
        await comeBack()
      }
    }),
})

/** Ends all sessions and writes a checkpoint. */
export const databaseStoppedFast = stopped('fast')
/** Aborts immediately and recovers at the next start. */
export const databaseStoppedImmediate = stopped('immediate')

/** PostgreSQL treats this as a crash: it ends all sessions and recovers. */
export const backendKilled: RealFault = {
  name: 'backend-killed',
  unavailable: possible,
  strike: (stage, _, signal) =>
    stage.postgres.alone(async () => {
      const [backend] = await stage.sql<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE application_name = 'claimkeeper'
         ORDER BY state = 'active' DESC, xact_start NULLS LAST LIMIT 1`,
      )
      if (!backend) return null
      const crashes = await stage.postgres.watchLog(/was terminated by signal 9/)
      process.kill(backend.pid, 'SIGKILL')
      const crashed = await waitUntil(async () => (await crashes()) > 0, 5_000, signal)
      // Answers after the recovery.
      await stage.sql('SELECT 1')
      return crashed ? 'a backend killed; PostgreSQL recovered' : null
    }),
}
