import { randomBytes } from 'node:crypto'
import { type FileHandle, link, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { OperatorError } from '../kernel/operator-error.ts'
import { syncFolder } from '../platform/database/embedded/machine/sync-folder.ts'

/** Where a backup goes. */
export interface BackupTarget {
  write: (piece: Buffer) => Promise<void>
  /** Now it is whole. */
  finish: () => Promise<void>
  /** Whatever was written goes. */
  discard: () => Promise<void>
}

/** It holds hashes of passwords and tokens, and the keys of webhooks. */
const OWNER_ALONE = 0o600

/**
 * A file that appears under its name once all of it is on the disk.
 * @throws OperatorError if it cannot be made there, or there is one already that may not be replaced
 */
export async function createBackupFile(path: string, mayReplace: boolean): Promise<BackupTarget> {
  await requirePlace(path, mayReplace)
  const partial = `${path}.partial-${randomBytes(4).toString('hex')}`
  const file = await explained(path, () => open(partial, 'wx', OWNER_ALONE))
  return {
    write: (piece) => explained(path, () => writeAll(file, piece)),
    finish: () =>
      explained(path, async () => {
        await file.sync()
        await file.close()
        await (mayReplace ? rename(partial, path) : moveWithoutReplacing(partial, path))
        await syncFolder(dirname(resolve(path)))
      }),
    discard: async () => {
      await file.close().catch(() => {})
      await rm(partial, { force: true })
    },
  }
}

async function requirePlace(path: string, mayReplace: boolean): Promise<void> {
  const found = await stat(path).catch(() => null)
  if (found === null) return
  if (!found.isFile()) throw new OperatorError(`The backup cannot be written to ${path}: it is no file.`)
  if (!mayReplace) throw alreadyThere(path)
}

const alreadyThere = (path: string) =>
  new OperatorError(`There is a file ${path} already: give another name, or --force to replace it.`)

async function writeAll(file: FileHandle, piece: Buffer): Promise<void> {
  for (let written = 0; written < piece.length; ) {
    written += (await file.write(piece, written)).bytesWritten
  }
}

/** Two backups of one name that are made at once: the second must not take the first one's place. */
async function moveWithoutReplacing(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw alreadyThere(to)
    // Some file systems know no links.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error
    return rename(from, to)
  }
  await rm(from)
}

async function explained<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof OperatorError || (error as { code?: unknown }).code === undefined) throw error
    throw new OperatorError(`The backup cannot be written to ${path}: ${(error as Error).message}`, {
      cause: error,
    })
  }
}
