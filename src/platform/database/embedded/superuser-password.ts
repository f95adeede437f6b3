import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import type { Cluster } from './cluster.ts'
import {
  findPassword,
  makePasswordFile,
  PASSWORD_FILE,
  SUPERUSER_PASSWORD_FILE,
} from './machine/password-file.ts'
import { syncFolder } from './machine/sync-folder.ts'
import { SUPERUSER } from './names.ts'

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
