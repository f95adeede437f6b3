import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { access, constants, mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { OperatorError } from '../kernel/operator-error.ts'
import { syncFolder } from '../platform/database/embedded/embedded-folders.ts'

/** The suffix of a file while it is written. */
const UNFINISHED_SUFFIX = '.unfinished'

interface WrittenFile {
  /** Relative to the archive's folder. */
  path: string
  /** SHA-256 of the uncompressed content, hexadecimal. */
  sha256: string
  /** Compressed size. */
  bytes: number
}

/**
 * Writes a compressed file into `folder/subfolder`, atomically: the file is written under a temporary name, synchronized,
 * read back and renamed. An existing file of the same name is written again: a server may have been killed before it
 * synchronized the folder, and a power failure would then lose the file.
 * @param fileName returns the file's name for its hash
 */
export async function writeArchiveFile(
  folder: string,
  chunks: AsyncIterable<string>,
  subfolder: string,
  fileName: (sha256: string) => string,
): Promise<WrittenFile> {
  const target = join(folder, subfolder)
  await makeFolder(folder, target)
  const unfinished = join(target, `${randomUUID()}${UNFINISHED_SUFFIX}`)
  try {
    const hash = createHash('sha256')
    const hashed = async function* () {
      for await (const chunk of chunks) {
        hash.update(chunk)
        yield chunk
      }
    }
    // `flush` synchronizes the file before it is closed.
    const file = createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true })
    await pipeline(Readable.from(hashed()), createGzip(), file)
    const sha256 = hash.digest('hex')
    const path = join(subfolder, fileName(sha256))
    await requireHash(unfinished, sha256)
    await rename(unfinished, join(folder, path))
    await syncFolder(target)
    const { size } = await stat(join(folder, path))
    return { path, sha256, bytes: size }
  } finally {
    // Best effort: an error must not replace the error of the write.
    await rm(unfinished, { force: true }).catch(() => {})
  }
}

/** Not recursive: if the disk of the archive is not mounted, nothing must be written below its mount point. */
async function makeFolder(parent: string, folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await syncFolder(parent)
}

async function readHash(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), createGunzip(), hash)
  return hash.digest('hex')
}

/** @throws OperatorError if the file is missing, cannot be read or has another hash */
export async function requireHash(file: string, sha256: string): Promise<void> {
  const found = await readHash(file).catch((error: Error) => {
    throw new OperatorError(`${file} cannot be read: ${error.message}.`, { cause: error })
  })
  if (found === sha256) return
  throw new OperatorError(
    `${file} was changed: the SHA-256 of its content (zcat ${file} | sha256sum) is ${found}, not ${sha256}.`,
  )
}

/** @throws OperatorError if the folder does not exist or this process may not write to it */
export async function requireArchiveFolder(folder: string): Promise<void> {
  try {
    if (!(await stat(folder)).isDirectory()) throw new Error('it is not a folder')
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new OperatorError(
      `The archive cannot be used: ${(error as Error).message}. CLAIMKEEPER_ARCHIVE_DIR must name an existing folder that the service may write to.`,
      { cause: error },
    )
  }
}
