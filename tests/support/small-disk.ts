import { execFile } from 'node:child_process'
import { mkdtemp, open, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { destroyEmbeddedDatabase } from './source/embedded.ts'
import type { Scope } from './test-database.ts'

const execute = promisify(execFile)
const MEBIBYTE = 1024 * 1024

export interface SmallDisk {
  /** The path of a data folder on the disk. The folder does not exist yet. */
  dataDir: string
  /** Fills the disk. */
  fill: () => Promise<void>
  /** Frees the space again. */
  clear: () => Promise<void>
}

/** Mounts a file system in memory with this size in MiB. Null if the user is not allowed to mount. */
export async function mountSmallDisk(
  t: Scope,
  mebibytes: number,
  parent = tmpdir(),
): Promise<SmallDisk | null> {
  const folder = await mkdtemp(join(parent, 'claimkeeper-disk-'))
  try {
    await execute('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=755`, 'tmpfs', folder])
  } catch {
    await rmdir(folder)
    return null
  }
  const dataDir = join(folder, 'data')
  const filler = join(folder, 'filler')
  t.after(async () => {
    try {
      await rm(filler, { force: true })
      await destroyEmbeddedDatabase(dataDir)
    } finally {
      await execute('umount', ['-l', folder])
      await rmdir(folder)
    }
  })
  const fill = async () => {
    const file = await open(filler, 'w')
    try {
      // Smaller and smaller chunks fill the disk to the last page.
      for (const bytes of [32 * MEBIBYTE, MEBIBYTE, 4096]) {
        const chunk = Buffer.alloc(bytes)
        await repeatUntilFull(() => file.write(chunk))
      }
    } finally {
      await file.close()
    }
  }
  return { dataDir, fill, clear: () => rm(filler, { force: true }) }
}

async function repeatUntilFull(write: () => Promise<unknown>): Promise<void> {
  try {
    for (;;) await write()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
