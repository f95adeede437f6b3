import { createHash, type Hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress } from 'node:zlib'
import packageJson from '../../package.json' with { type: 'json' }
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

/** What hears how far it has come. */
export interface BackupProgress {
  /** So many bytes are about to come, as far as can be told. */
  begin: (bytes: number) => void
  /** So many have come. */
  advance: (bytes: number) => void
  /** A table is done. */
  note: (what: string) => void
}

export interface WrittenBackup extends Header {
  rows: number
}

/**
 * Writes a backup of the database as it is at this moment (`backup-format.ts`); others read and write it meanwhile.
 * @param write takes one piece after the other
 * @throws OperatorError if it cannot be read to the end, or the claims are distributed
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

/** What is compressed. */
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

/** A row is a line: within one, COPY writes \n. */
function countLines(piece: Buffer): number {
  let lines = 0
  for (let at = piece.indexOf(NEWLINE); at >= 0; at = piece.indexOf(NEWLINE, at + 1)) lines++
  return lines
}
