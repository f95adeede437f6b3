import { createHash, type Hash, randomBytes } from 'node:crypto'
import { type FileHandle, link, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress } from 'node:zlib'
import packageJson from '../../package.json' with { type: 'json' }
import { OperatorError } from '../kernel/operator-error.ts'
import { syncFolder } from '../platform/database/embedded/embedded-folders.ts'
import {
  commentLine,
  copyLine,
  END_OF_ROWS,
  formatRowCount,
  type Header,
  headerLine,
  sequenceLine,
} from './backup-format.ts'
import { type BackupTable, openSnapshot, type Snapshot } from './snapshot-store.ts'

interface BackupProgress {
  /** @param bytes the estimated total */
  begin: (bytes: number) => void
  /** @param bytes written since the last call */
  advance: (bytes: number) => void
  /** Called after each table. */
  note: (text: string) => void
}

export interface WrittenBackup extends Header {
  rows: number
}

/**
 * Writes a backup of the database at this moment (`backup-format.ts`). Servers may work on the database meanwhile.
 * @param write is called with each chunk, in order
 * @throws OperatorError if the database cannot be read, or the claims are distributed
 */
export async function writeBackup(
  connectionString: string,
  write: (chunk: Buffer) => Promise<void>,
  progress: BackupProgress,
  signal: AbortSignal,
): Promise<WrittenBackup> {
  const snapshot = await openSnapshot(connectionString)
  try {
    signal.throwIfAborted()
    const header = { claimkeeper: packageJson.version, ...snapshot.contents }
    const line = Buffer.from(headerLine(header))
    await write(line)
    const content = new Content(snapshot, progress, createHash('sha256').update(line))
    await pipeline(
      Readable.from(content.chunks(), { objectMode: true }),
      createZstdCompress(),
      async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) await write(chunk)
      },
      { signal },
    )
    return { ...header, rows: content.rows }
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    await snapshot.close()
  }
}

/** The part of the backup that is compressed. */
class Content {
  rows = 0
  readonly #snapshot: Snapshot
  readonly #progress: BackupProgress
  readonly #totalHash: Hash

  constructor(snapshot: Snapshot, progress: BackupProgress, totalHash: Hash) {
    this.#snapshot = snapshot
    this.#progress = progress
    this.#totalHash = totalHash
  }

  async *chunks(): AsyncGenerator<Buffer> {
    const { tables } = this.#snapshot
    this.#progress.begin(tables.reduce((sum, { bytes }) => sum + bytes, 0))
    for (const table of tables) yield* this.#table(table)
    const sequences = await this.#snapshot.readSequences()
    for (const sequence of sequences) yield this.#line(sequenceLine(sequence))
    yield Buffer.from(
      commentLine({ tables: tables.length, rows: this.rows, sha256: this.#totalHash.digest('hex') }),
    )
  }

  async *#table(table: BackupTable): AsyncGenerator<Buffer> {
    yield this.#line(copyLine(table.name, table.columns))
    const hash = createHash('sha256')
    let rows = 0
    let bytesLeft = table.bytes
    for await (const chunk of this.#snapshot.rowsOf(table)) {
      hash.update(chunk)
      this.#totalHash.update(chunk)
      rows += countLines(chunk)
      const bytes = Math.min(chunk.length, bytesLeft)
      bytesLeft -= bytes
      this.#progress.advance(bytes)
      yield chunk
    }
    this.rows += rows
    this.#progress.advance(bytesLeft)
    if (rows > 0) this.#progress.note(formatRowCount(table.name, rows))
    yield this.#line(END_OF_ROWS)
    yield this.#line(commentLine({ table: table.name, rows, sha256: hash.digest('hex') }))
  }

  #line(text: string): Buffer {
    const line = Buffer.from(text)
    this.#totalHash.update(line)
    return line
  }
}

const NEWLINE = 0x0a

/** Each line is a row: COPY escapes newlines within rows. */
function countLines(chunk: Buffer): number {
  let lines = 0
  for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) lines++
  return lines
}

export interface BackupTarget {
  write: (chunk: Buffer) => Promise<void>
  /** Completes the backup. */
  finish: () => Promise<void>
  /** Removes what was written. */
  discard: () => Promise<void>
}

/** Readable only by the owner: a backup contains hashes of passwords and tokens, and the keys of webhooks. */
const FILE_MODE = 0o600

/**
 * Creates a file that gets its name only once all of it is on the disk.
 * @throws OperatorError if the file cannot be created, or exists and may not be replaced
 */
export async function createBackupFile(path: string, mayReplace: boolean): Promise<BackupTarget> {
  await requireWritable(path, mayReplace)
  const partial = `${path}.partial-${randomBytes(4).toString('hex')}`
  const file = await withPath(path, () => open(partial, 'wx', FILE_MODE))
  return {
    write: (chunk) => withPath(path, () => writeAll(file, chunk)),
    finish: () =>
      withPath(path, async () => {
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

async function requireWritable(path: string, mayReplace: boolean): Promise<void> {
  const found = await stat(path).catch(() => null)
  if (found === null) return
  if (!found.isFile()) throw new OperatorError(`The backup cannot be written to ${path}: it is not a file.`)
  if (!mayReplace) throw alreadyThere(path)
}

const alreadyThere = (path: string) =>
  new OperatorError(`The file ${path} exists already. Give another name, or --force to replace the file.`)

async function writeAll(file: FileHandle, chunk: Buffer): Promise<void> {
  for (let written = 0; written < chunk.length; ) {
    written += (await file.write(chunk, written)).bytesWritten
  }
}

/** Fails if the file exists: of two concurrent backups with the same name, the second must not replace the first. */
async function moveWithoutReplacing(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw alreadyThere(to)
    // Some file systems do not support hard links.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error
    return rename(from, to)
  }
  await rm(from)
}

/** Turns an error of the file system into an OperatorError that names the file. */
async function withPath<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof OperatorError || (error as { code?: unknown }).code === undefined) throw error
    throw new OperatorError(`The backup cannot be written to ${path}: ${(error as Error).message}`, {
      cause: error,
    })
  }
}
