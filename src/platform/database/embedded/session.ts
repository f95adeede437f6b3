import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { OperatorError } from '../../../kernel/operator-error.ts'
import { DATABASE, SUPERUSER } from './binaries.ts'
import type { Cluster } from './cluster.ts'
import {
  findPassword,
  makePasswordFile,
  PASSWORD_FILE,
  SUPERUSER_PASSWORD_FILE,
  syncFolder,
} from './embedded-folders.ts'

/**
 * Said to every session: it keeps the caller's PGOPTIONS out (the driver reads it only if nothing is given), and
 * a presence must not end for being idle.
 */
const SESSION_OPTIONS = '-c idle_session_timeout=0'
const CONNECT_TIMEOUT_MS = 5_000

/** Connects as the superuser to the database postgres, where presences are kept. */
export async function connectAsSuperuser(cluster: Cluster, port: number): Promise<pg.Client> {
  // Twice: one password may have been tried before another process gave it to the server, and the other one after.
  const session = (await tryPasswords(cluster, port)) ?? (await tryPasswords(cluster, port))
  if (!session) throw wrongPassword(cluster, SUPERUSER, SUPERUSER_PASSWORD_FILE)
  return session
}

/** Null if none is right. */
async function tryPasswords(cluster: Cluster, port: number): Promise<pg.Client | null> {
  const tried = new Set<string>()
  for (;;) {
    // Another process may be giving it a password of its own just now: then there is one that was not tried.
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

/** Connects as the application does. */
export async function connectAsOwner(cluster: Cluster, port: number): Promise<pg.Client> {
  try {
    return await connect({ port, user: DATABASE, database: DATABASE, password: cluster.password })
  } catch (error) {
    throw isWrongPassword(error) ? wrongPassword(cluster, DATABASE, PASSWORD_FILE, error) : error
  }
}

/** Complete in itself: nothing in the environment of who uses it changes where it leads. */
export function connectionString(cluster: Cluster, port: number): string {
  const url = new URL(`postgres://${DATABASE}:${cluster.password}@127.0.0.1:${port}/${DATABASE}`)
  url.search = `sslmode=disable&options=${encodeURIComponent(SESSION_OPTIONS)}`
  return url.href
}

/** Whether the server may well take us in a moment: it starts, recovers, stops, is full, or has just gone. */
export function mayPass(error: unknown): boolean {
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
  // A lost connection shows in the next query and in the event 'end'; unheard, this event would end the process.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

const isWrongPassword = (error: unknown) => /^28(P01|000)$/.test(String((error as { code?: unknown }).code))

function wrongPassword({ dir }: Cluster, role: string, file: string, cause?: unknown): OperatorError {
  return new OperatorError(
    `The database in ${dir} does not take the password of ${file} in it for the role ${role}: restore that file or that role's password.`,
    { cause },
  )
}

/** Beside its place until the server has taken it. */
const NEXT = `${SUPERUSER_PASSWORD_FILE}.new`

/**
 * Passwords that the superuser may have, the likeliest first: its own; one that a killed start was about to give it; and
 * the service's, which it shared in earlier versions.
 */
export async function superuserPasswords({ dir }: Pick<Cluster, 'dir'>): Promise<string[]> {
  const read = (name: string) => findPassword(join(dir, name))
  // First, since it may be moved to its place at any moment.
  const next = await read(NEXT)
  const passwords = [await read(SUPERUSER_PASSWORD_FILE), next, await read(PASSWORD_FILE)]
  return passwords.filter((password) => password !== null)
}

/**
 * Gives the superuser of an earlier version's cluster a password of its own. Killed in between, the next start finds the
 * one that it has and finishes this. One process at a time.
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
