import { execFile } from 'node:child_process'
import { readdir, readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { RunFolders } from '../../bench/run-folders.ts'
import { kill, killPostgres } from './kill-postgres.ts'

const DISK = /^claimkeeper-disk-/
/** Environment variable of each server: the folder of its run. */
export const RUN_FOLDER_VARIABLE = 'CLAIMKEEPER_SIMULATION'

/** Folders of the nodes of a Citus cluster besides the coordinator, beside the coordinator's folder. */
export const SHARD_NODES = ['shard-node-1', 'shard-node-2'] as const
const DATA_DIRS = ['data', ...SHARD_NODES]

/** Contain servers, databases and disks. */
export const workFolders = new RunFolders('claimkeeper-simulate', clearUp)

async function clearUp(folder: string): Promise<void> {
  for (const pid of await findProcessesOf(folder)) kill(pid)
  for (const name of DATA_DIRS) await killDatabase(join(folder, name))
  for (const name of await readdir(folder).catch(() => [])) {
    if (!DISK.test(name)) continue
    const disk = join(folder, name)
    for (const name of DATA_DIRS) await killDatabase(join(disk, name))
    await promisify(execFile)('umount', ['-l', disk]).catch(() => {})
  }
}

async function killDatabase(dataDir: string): Promise<void> {
  const dir = await realpath(join(dataDir, 'postgres')).catch(() => null)
  if (dir !== null) await killPostgres(dir)
}

/** Only Linux shows the environment of processes. Elsewhere a run must not be ended by SIGKILL. */
async function findProcessesOf(folder: string): Promise<number[]> {
  const names = await readdir('/proc').catch(() => [])
  const pids = names.map(Number).filter((pid) => pid > 0 && pid !== process.pid)
  const words = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')))
  return pids.filter((_, i) => words[i]?.split('\0').includes(`${RUN_FOLDER_VARIABLE}=${folder}`))
}
