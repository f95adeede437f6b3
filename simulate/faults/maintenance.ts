import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { possible, type RealFault } from './moments.ts'

const TABLES = ['claims', 'claim_events', 'customers', 'test_clocks', 'api_tokens'] as const

/** Rewrites a table under an exclusive lock. */
export const vacuumFull: RealFault = {
  name: 'vacuum-full',
  unavailable: possible,
  strike: async (stage, random) => {
    const table = random.pick(TABLES)
    await stage.sql(`VACUUM (FULL, ANALYZE) ${table}`)
    return `${table} written anew by VACUUM FULL`
  },
}

/** Runs a migration while servers run, like a deployment. */
export const migration: RealFault = {
  name: 'migration',
  unavailable: possible,
  strike: async (stage) => {
    const child = spawn(process.execPath, [stage.program, 'migrate'], {
      env: { ...process.env, DATABASE_URL: stage.postgres.url, NO_COLOR: '1' },
      stdio: 'ignore',
      timeout: 60_000,
      killSignal: 'SIGKILL',
    })
    const end = stage.untilCalm(() => child.kill('SIGKILL'))
    const [status] = await once(child, 'exit')
    await end()
    return status === 0 ? 'the migrations were looked through' : null
  },
}
