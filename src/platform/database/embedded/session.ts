import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { OperatorError } from '../../../kernel/operator-error.ts'
import { CONNECT_TIMEOUT_MS } from '../limits.ts'
import { type Cluster, DATABASE } from './cluster.ts'
import { SUPERUSER } from './create-cluster.ts'
import {
  findPassword,
  makePasswordFile,
  PASSWORD_FILE,
  SUPERUSER_PASSWORD_FILE,
  syncFolder,
} from './embedded-folders.ts'

/**
 * Options of every session. The driver reads PGOPTIONS of the caller only if there are none. Sessions that hold locks must not end
 * because they are idle.
 */
const SESSION_OPTIONS = '-c idle_session_timeout=0'

/** Connects as the superuser to the database postgres. */
export async function connectAsSuperuser(cluster: Cluster, port: number): Promise<pg.Client> {
  // Two attempts: another process may change the password while the known passwords are tried.
  const session = (await tryPasswords(cluster, port)) ?? (await tryPasswords(cluster, port))
  if (!session) throw wrongPassword(cluster, SUPERUSER, SUPERUSER_PASSWORD_FILE)
  return session
}

/** Returns null if all known passwords are wrong. */
async function tryPasswords(cluster: Cluster, port: number): Promise<pg.Client | null> {
  const tried = new Set<string>()
  for (;;) {
    // Read again in each round: another process may be setting a new password.
    const password = (await superuserPasswords(cluster)).find((one) => !tried.has(one))
    if (password === undefined) return null
    tried.add(password)
    try {
      return await connect({ port, user: SUPERUSER, database: 'postgres', password })
    } catch (error) {
      if (!isWrongPassword(error)) throw error
    }
  }
}

/** Connects with the role of the service. */
export async function connectAsOwner(cluster: Cluster, port: number): Promise<pg.Client> {
  try {
    return await connect({ port, user: DATABASE, database: DATABASE, password: cluster.password })
  } catch (error) {
    throw isWrongPassword(error) ? wrongPassword(cluster, DATABASE, PASSWORD_FILE, error) : error
  }
}

/** The service's address, complete so that no variable of the environment changes its meaning. */
export function connectionString(cluster: Cluster, port: number): string {
  const url = new URL(`postgres://${DATABASE}:${cluster.password}@127.0.0.1:${port}/${DATABASE}`)
  url.search = `sslmode=disable&options=${encodeURIComponent(SESSION_OPTIONS)}`
  return url.href
}

/** Whether a later attempt may succeed: the server starts, recovers, stops, has no free connection, or was lost. */
export function isTransientFailure(error: unknown): boolean {
  if (error instanceof OperatorError) return false
  const code = (error as { code?: unknown }).code
  // The driver's own "Connection terminated unexpectedly" and "timeout expired" have no code.
  if (typeof code !== 'string') return /connection|timeout|not queryable/i.test(String(error))
  return code.startsWith('57P') || code.startsWith('08') || code === '53300' || /^E[A-Z]+$/.test(code)
}

async function connect(to: {
  port: number
  user: string
  database: string
  password: string
}): Promise<pg.Client> {
  const client = new pg.Client({
    ...to,
    host: '127.0.0.1',
    ssl: false,
    options: SESSION_OPTIONS,
    application_name: `${DATABASE} presence`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  })
  // Without a listener this event would end the process. The next query and the event 'end' report a lost connection.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

const isWrongPassword = (error: unknown) => /^28(P01|000)$/.test(String((error as { code?: unknown }).code))

function wrongPassword({ dir }: Cluster, role: string, file: string, cause?: unknown): OperatorError {
  return new OperatorError(
    `The database in ${dir} rejects the password in its file ${file} for the role ${role}. Restore the file or the role's password.`,
    { cause },
  )
}

/** The file of a new password until the server has accepted it. */
const NEXT = `${SUPERUSER_PASSWORD_FILE}.new`

/**
 * The possible passwords of the superuser, the most probable first: its own, a new one that a killed start may have set, and the
 * service's, which earlier versions used for both roles.
 */
export async function superuserPasswords({ dir }: Pick<Cluster, 'dir'>): Promise<string[]> {
  const read = (name: string) => findPassword(join(dir, name))
  // Read first, because the file may be renamed at any moment.
  const next = await read(NEXT)
  const passwords = [await read(SUPERUSER_PASSWORD_FILE), next, await read(PASSWORD_FILE)]
  return passwords.filter((password) => password !== null)
}

/**
 * Gives the superuser a password of its own, which clusters of earlier versions lack. If the process is killed, the next start continues.
 * The caller holds a lock.
 */
export async function ensureOwnPassword({ dir, runAs }: Cluster, session: pg.Client): Promise<void> {
  const place = join(dir, SUPERUSER_PASSWORD_FILE)
  if ((await findPassword(place)) !== null) return
  const next = join(dir, NEXT)
  if ((await findPassword(next)) === null) {
    await rm(next, { force: true })
    await makePasswordFile(next, runAs)
    await syncFolder(dir)
  }
  await session.query(`ALTER ROLE ${SUPERUSER} PASSWORD '${await findPassword(next)}'`)
  await rename(next, place)
  await syncFolder(dir)
}
