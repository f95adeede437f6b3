import { existsSync, readFileSync, statfsSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where Linux has files in memory. */
const MEMORY = '/dev/shm'
/** Three times what a run takes. */
const ROOM_BYTES = 2 * 1024 ** 3

/**
 * Runs with a folder for all that a test run writes, in memory where there is room: to make and drop databases, hundreds of files each, costs
 * a disk's file system a fifth of a run's processor time. Removed at the end.
 */
export async function inRunFolder<T>(run: () => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(isRoomInMemory() ? MEMORY : tmpdir(), 'claimkeeper-test-run-'))
  // Root's PostgreSQL runs as another user, who must get in.
  await chmod(folder, 0o755)
  process.env.TMPDIR = folder
  process.env.CLAIMKEEPER_TEST_FOLDER = folder
  try {
    return await run()
  } finally {
    // What was killed last may still write for a moment.
    await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** Programs run from there too, which containers mostly forbid. */
function isRoomInMemory(): boolean {
  if (!existsSync(MEMORY)) return false
  const { bavail, bsize } = statfsSync(MEMORY)
  const mount = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .find((line) => line.split(' ')[1] === MEMORY)
  return mount !== undefined && !/\bnoexec\b/.test(mount) && bavail * bsize > ROOM_BYTES
}
