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
  copyLine,
  END_OF_ROWS,
  type Header,
  headerLine,
  noteLine,
  rowsInWords,
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
 * @param write is called with one piece after another
 * @throws OperatorError if the database cannot be read, or the claims are distributed
 */
export async function writeBackup(
  connectionString: string,
  write: (piece: Buffer) => Promise<void>,
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
      Readable.from(content.pieces(), { objectMode: true }),
      createZstdCompress(),
      async (pieces: AsyncIterable<Buffer>) => {
        for await (const piece of pieces) await write(piece)
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
  readonly #all: Hash

  constructor(snapshot: Snapshot, progress: BackupProgress, all: Hash) {
    this.#snapshot = snapshot
    this.#progress = progress
    this.#all = all
  }

  async *pieces(): AsyncGenerator<Buffer> {
    const { tables } = this.#snapshot
    this.#progress.begin(tables.reduce((sum, { bytes }) => sum + bytes, 0))
    for (const table of tables) yield* this.#table(table)
    const sequences = await this.#snapshot.readSequences()
    for (const sequence of sequences) yield this.#line(sequenceLine(sequence))
    yield Buffer.from(noteLine({ tables: tables.length, rows: this.rows, sha256: this.#all.digest('hex') }))
  }

  async *#table(table: BackupTable): AsyncGenerator<Buffer> {
    yield this.#line(copyLine(table.name, table.columns))
    const hash = createHash('sha256')
    let rows = 0
    let bytesLeft = table.bytes
    for await (const piece of this.#snapshot.rowsOf(table)) {
      hash.update(piece)
      this.#all.update(piece)
      rows += countLines(piece)
      const bytes = Math.min(piece.length, bytesLeft)
      bytesLeft -= bytes
      this.#progress.advance(bytes)
      yield piece
    }
    this.rows += rows
    this.#progress.advance(bytesLeft)
    if (rows > 0) this.#progress.note(rowsInWords(table.name, rows))
    yield this.#line(END_OF_ROWS)
    yield this.#line(noteLine({ table: table.name, rows, sha256: hash.digest('hex') }))
  }

  #line(text: string): Buffer {
    const line = Buffer.from(text)
    this.#all.update(line)
    return line
  }
}

const NEWLINE = 0x0a

/** Each line is a row: COPY escapes newlines within rows. */
function countLines(piece: Buffer): number {
  let lines = 0
  for (let at = piece.indexOf(NEWLINE); at >= 0; at = piece.indexOf(NEWLINE, at + 1)) lines++
  return lines
}

export interface BackupTarget {
  write: (piece: Buffer) => Promise<void>
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
    write: (piece) => withPath(path, () => writeAll(file, piece)),
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

async function writeAll(file: FileHandle, piece: Buffer): Promise<void> {
  for (let written = 0; written < piece.length; ) {
    written += (await file.write(piece, written)).bytesWritten
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
