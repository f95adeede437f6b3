import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Cleanup } from '../../bench/cleanup.ts'
import { kill, killPostgres } from './kill-postgres.ts'

/** With the process id of the run that made it. */
const OURS = /^claimkeeper-simulate-(\d+)-/
const DISK = /^claimkeeper-disk-/
/** In the environment of each server: the folder of its run. */
export const MARK = 'CLAIMKEEPER_SIMULATION'

/** A new folder in `place` that goes at the end. What runs that were killed left behind goes first. */
export async function makeWorkFolder(place: string, cleanup: Cleanup): Promise<string> {
  await removeLeftovers(place)
  const folder = await mkdtemp(join(place, `claimkeeper-simulate-${process.pid}-`))
  cleanup.add(() => clearUp(folder))
  // Started by root, PostgreSQL runs as another user, who must be able to enter.
  await chmod(folder, 0o755)
  return folder
}

/** Servers, databases, disks and folders of runs whose process is no more. */
export async function removeLeftovers(place: string): Promise<void> {
  for (const name of await readdir(place)) {
    const pid = Number(OURS.exec(name)?.[1])
    // Another run may be clearing up the same.
    if (pid && !isAlive(pid)) await clearUp(join(place, name)).catch(() => {})
  }
}

async function clearUp(folder: string): Promise<void> {
  for (const pid of await findMarked(folder)) kill(pid)
  await killDatabase(join(folder, 'data'))
  for (const name of await readdir(folder).catch(() => [])) {
    if (!DISK.test(name)) continue
    const disk = join(folder, name)
    await killDatabase(join(disk, 'data'))
    await promisify(execFile)('umount', ['-l', disk]).catch(() => {})
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

async function killDatabase(dataDir: string): Promise<void> {
  const dir = await realpath(join(dataDir, 'postgres')).catch(() => null)
  if (dir !== null) await killPostgres(dir)
}

/** Elsewhere than on Linux nobody tells; there a run must be ended otherwise than by SIGKILL. */
async function findMarked(folder: string): Promise<number[]> {
  const names = await readdir('/proc').catch(() => [])
  const pids = names.map(Number).filter((pid) => pid > 0 && pid !== process.pid)
  const words = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')))
  return pids.filter((_, i) => words[i]?.split('\0').includes(`${MARK}=${folder}`))
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
