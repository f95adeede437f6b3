import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import type { Cluster } from './cluster.ts'
import {
  findPassword,
  makePasswordFile,
  PASSWORD_FILE,
  SUPERUSER_PASSWORD_FILE,
  syncFolder,
} from './password-file.ts'

/** The cluster's first role. The application's own role is not a superuser. */
export const SUPERUSER = 'postgres'

/** Beside its place until the server has taken it. */
const NEXT = `${SUPERUSER_PASSWORD_FILE}.new`

/**
 * Passwords that the superuser may have, the likeliest first: its own; one that a killed start was about to give it; and
 * the service's, which it shared in earlier versions.
 */
export async function superuserPasswords({ dir }: Cluster): Promise<string[]> {
  const found: string[] = []
  for (const name of [SUPERUSER_PASSWORD_FILE, NEXT, PASSWORD_FILE]) {
    const password = await findPassword(join(dir, name))
    if (password !== null) found.push(password)
  }
  return found
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
