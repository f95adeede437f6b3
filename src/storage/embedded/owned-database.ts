import type { Cluster } from './cluster.ts'
import type { Server } from './find-server.ts'
import { connectAsOwner, DATABASE, mayPass } from './session.ts'

const SETUP = '(17227, 3)'

/**
 * Makes the service's role and database where they lack: at the first start, or when that was killed in between. The
 * role is no superuser: a fault in the service must not reach the machine's files.
 */
export async function ensureOwnedDatabase(cluster: Cluster, { session, port }: Server): Promise<void> {
  await session.query(`SELECT pg_advisory_lock${SETUP}`)
  try {
    if (!(await exists('SELECT FROM pg_roles WHERE rolname = $1'))) {
      // A failing statement is quoted in the log, and this one holds the password.
      await session.query('SET log_min_error_statement = panic')
      await session.query(`CREATE ROLE ${DATABASE} LOGIN CREATEDB PASSWORD '${cluster.password}'`)
    }
    if (!(await exists('SELECT FROM pg_database WHERE datname = $1'))) {
      await session.query(`CREATE DATABASE ${DATABASE} OWNER ${DATABASE}`)
    }
  } finally {
    await session.query(`SELECT pg_advisory_unlock${SETUP}`)
  }
  await checkOwnerIsTaken(cluster, port)

  async function exists(query: string): Promise<boolean> {
    return (await session.query(query, [DATABASE])).rowCount === 1
  }
}

/** What the connection string promises. A server too busy for one more is not a fault of the password. */
async function checkOwnerIsTaken(cluster: Cluster, port: number): Promise<void> {
  try {
    const session = await connectAsOwner(cluster, port)
    await session.end()
  } catch (error) {
    if (!mayPass(error)) throw error
  }
}
