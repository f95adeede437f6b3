import { accessSync, constants, readFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Cleanup } from '../../bench/cleanup.ts'
import { RunFolders } from '../../bench/run-folders.ts'
import { destroyEmbeddedDatabase } from './source/embedded.ts'

/** A memory file system on Linux. */
const MEMORY = '/dev/shm'
/** Three times the size of a run's files. */
const ROOM_BYTES = 2 * 1024 ** 3

/** The folder of the run's database. */
export const dataDirOf = (folder: string): string => join(folder, 'data')

const runFolders = new RunFolders('claimkeeper-test-run', (folder) =>
  destroyEmbeddedDatabase(dataDirOf(folder)),
)

/**
 * Runs with a folder for all files of a test run, in memory if there is room. On a disk, creating and dropping databases of
 * hundreds of files takes a fifth of the processor time of a run. Removes the folder at the end, and folders of killed runs.
 */
export async function inRunFolder<T>(run: () => Promise<T>): Promise<T> {
  const cleanup = new Cleanup()
  try {
    const folder = await runFolders.make(isRoomInMemory() ? MEMORY : tmpdir(), cleanup)
    process.env.TMPDIR = folder
    process.env.CLAIMKEEPER_TEST_FOLDER = folder
    return await run()
  } finally {
    await cleanup.run()
  }
}

/** Whether there is room. The file system must also allow executables, which most containers forbid. */
function isRoomInMemory(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK)
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
    const mount = mounts.find((line) => line.split(' ')[1] === MEMORY)
    const { bavail, bsize } = statfsSync(MEMORY)
    const room = Math.min(bavail * bsize, process.availableMemory())
    return mount !== undefined && !/\bnoexec\b/.test(mount) && room > ROOM_BYTES
  } catch {
    return false
  }
}
