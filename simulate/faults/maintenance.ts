import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { alwaysAvailable, type LocalFault } from './timing.ts'

const TABLES = ['claims', 'claim_events', 'customers', 'test_clocks', 'api_tokens'] as const

/** Rewrites a table under an exclusive lock. */
export const vacuumFull: LocalFault = {
  name: 'vacuum-full',
  unavailable: alwaysAvailable,
  inject: async (testbed, random) => {
    const table = random.pick(TABLES)
    await testbed.sql(`VACUUM (FULL, ANALYZE) ${table}`)
    return `${table} rewritten by VACUUM FULL`
  },
}

/** Runs a migration while servers run, like a deployment. */
export const migration: LocalFault = {
  name: 'migration',
  unavailable: alwaysAvailable,
  inject: async (testbed) => {
    const child = spawn(process.execPath, [testbed.program, 'migrate'], {
      env: { ...process.env, DATABASE_URL: testbed.postgres.url, NO_COLOR: '1' },
      stdio: 'ignore',
      timeout: 60_000,
      killSignal: 'SIGKILL',
    })
    const end = testbed.onRecover(() => child.kill('SIGKILL'))
    const [status] = await once(child, 'exit')
    await end()
    return status === 0 ? 'migrations run' : null
  },
}
