import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { destroyEmbeddedDatabase } from '../src/storage/embedded/destroy-embedded-database.ts'
import type { Cleanup } from './cleanup.ts'

const OURS = /^claimkeeper-bench-(\d+)-/

export const dataDirOf = (folder: string): string => join(folder, 'data')

/** Its first line is the process id of PostgreSQL's main process. */
export const postmasterFileOf = (folder: string): string =>
  join(dataDirOf(folder), 'postgres', 'postmaster.pid')

/** A new folder in `place` that goes at the end, with the database in it. */
export async function makeWorkFolder(place: string, cleanup: Cleanup): Promise<string> {
  await removeLeftovers(place)
  const folder = await mkdtemp(join(place, `claimkeeper-bench-${process.pid}-`))
  cleanup.add(() => destroy(folder))
  // Started by root, PostgreSQL runs as another user, who must be able to enter.
  await chmod(folder, 0o755)
  return folder
}

/** A run that was killed could not stop its database, which may still be running. */
async function removeLeftovers(place: string): Promise<void> {
  for (const name of await readdir(place)) {
    const pid = Number(OURS.exec(name)?.[1])
    if (pid && !isAlive(pid)) await destroy(join(place, name)).catch(() => {})
  }
}

async function destroy(folder: string): Promise<void> {
  await destroyEmbeddedDatabase(dataDirOf(folder))
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
