import type pg from 'pg'
import { CLUSTER_SETUP } from '../advisory-locks.ts'
import type { Cluster } from './cluster.ts'
import type { Server } from './find-server.ts'
import { DATABASE } from './names.ts'
import { connectAsOwner, mayPass } from './session.ts'
import { ensureOwnPassword } from './superuser-password.ts'

/**
 * Makes the service's role and database if they lack: at the first start, or when that was killed in between. The
 * role is no superuser and cannot become one: a fault in the service must not reach the machine's files.
 */
export async function ensureOwnedDatabase(cluster: Cluster, { session, port }: Server): Promise<void> {
  await session.query(`SELECT pg_advisory_lock${CLUSTER_SETUP}`)
  try {
    // A failing statement is quoted in the log, and some of these hold a password.
    await session.query('SET log_min_error_statement = panic; SET log_statement = none')
    await session.query('SET log_min_duration_statement = -1')
    await ensureOwnPassword(cluster, session)
    await ensureRole(cluster, session)
    await ensureDatabase(session)
  } finally {
    await session.query(`SELECT pg_advisory_unlock${CLUSTER_SETUP}`)
  }
  await checkOwnerIsTaken(cluster, port)
}

async function ensureRole(cluster: Cluster, session: pg.Client): Promise<void> {
  const { rows } = await session.query<{ is_mighty: boolean }>(
    `SELECT rolsuper OR rolcreaterole OR rolreplication OR rolbypassrls AS is_mighty FROM pg_roles WHERE rolname = $1`,
    [DATABASE],
  )
  const [role] = rows
  if (!role) {
    await session.query(`CREATE ROLE ${DATABASE} LOGIN CREATEDB PASSWORD '${cluster.password}'`)
  } else if (role.is_mighty) {
    await session.query(`ALTER ROLE ${DATABASE} NOSUPERUSER NOCREATEROLE NOREPLICATION NOBYPASSRLS`)
  }
  // Some of PostgreSQL's own roles read files and run programs.
  const { rows: memberships } = await session.query<{ role: string }>(
    'SELECT roleid::regrole::text AS role FROM pg_auth_members WHERE member = $1::regrole',
    [DATABASE],
  )
  for (const membership of memberships) await session.query(`REVOKE ${membership.role} FROM ${DATABASE}`)
}

async function ensureDatabase(session: pg.Client): Promise<void> {
  const { rows } = await session.query<{ owner: string }>(
    'SELECT datdba::regrole::text AS owner FROM pg_database WHERE datname = $1',
    [DATABASE],
  )
  const [database] = rows
  if (!database) await session.query(`CREATE DATABASE ${DATABASE} OWNER ${DATABASE}`)
  else if (database.owner !== DATABASE) await session.query(`ALTER DATABASE ${DATABASE} OWNER TO ${DATABASE}`)
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
