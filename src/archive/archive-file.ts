import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { access, constants, mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { OperatorError } from '../kernel/operator-error.ts'
import { syncFolder } from '../platform/database/embedded/embedded-folders.ts'

/** Ends the name of a file that is being written. */
const UNFINISHED = '.unfinished'

export interface WrittenFile {
  /** Below the folder. */
  path: string
  /** SHA-256 of what is in it, uncompressed, hexadecimal. */
  sha256: string
  /** Compressed. */
  bytes: number
}

/**
 * Writes a file into a folder below `folder`, compressed. It gets its name, which has a part of the hash, only when all of it
 * is on the disk, and is read back. If there is one already, since a server was killed before it went on, it takes its place:
 * whether that one's name is on the disk, nobody knows.
 * @param nameOf the path below `folder`, by the hash
 */
export async function writeArchiveFile(
  folder: string,
  pieces: AsyncIterable<string>,
  place: string,
  nameOf: (sha256: string) => string,
): Promise<WrittenFile> {
  const home = join(folder, place)
  await makeFolder(home, folder)
  const unfinished = join(home, `${randomUUID()}${UNFINISHED}`)
  try {
    const hash = createHash('sha256')
    const hashed = async function* () {
      for await (const piece of pieces) {
        hash.update(piece)
        yield piece
      }
    }
    // Synchronised before it is closed.
    const file = createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true })
    await pipeline(Readable.from(hashed()), createGzip(), file)
    const sha256 = hash.digest('hex')
    const path = join(place, nameOf(sha256))
    await requireHash(unfinished, sha256)
    await rename(unfinished, join(folder, path))
    await syncFolder(home)
    const { size } = await stat(join(folder, path))
    return { path, sha256, bytes: size }
  } finally {
    await rm(unfinished, { force: true }).catch(() => {})
  }
}

/** The folder of the archive itself is not made: if a disk is not mounted, its place must not be filled. */
async function makeFolder(home: string, folder: string): Promise<void> {
  await mkdir(home, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await syncFolder(folder)
}

async function readHash(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), createGunzip(), hash)
  return hash.digest('hex')
}

/** @throws OperatorError if the file is gone, cannot be read, or is not what was written */
export async function requireHash(file: string, sha256: string): Promise<void> {
  const found = await readHash(file).catch((error: Error) => {
    throw new OperatorError(`${file} cannot be read: ${error.message}.`, { cause: error })
  })
  if (found === sha256) return
  throw new OperatorError(
    `${file} was changed: the SHA-256 of what is in it (zcat ${file} | sha256sum) is ${found}, not ${sha256}.`,
  )
}

/** @throws OperatorError if there is no such folder, or this process may not write to it */
export async function requireArchiveFolder(folder: string): Promise<void> {
  try {
    if (!(await stat(folder)).isDirectory()) throw new Error('it is no folder')
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new OperatorError(
      `The archive cannot be used: ${(error as Error).message}. CLAIMKEEPER_ARCHIVE_DIR must name a folder that is there and that the service may write to.`,
      { cause: error },
    )
  }
}
