import { createHash, type Hash } from 'node:crypto'
import { createZstdDecompress } from 'node:zlib'
import { OperatorError } from '../kernel/operator-error.ts'
import { withRejectionHandler } from '../kernel/promises.ts'
import { damaged, type Header, LONGEST_LINE, readHeader } from './backup-format.ts'

const NEWLINE = 0x0a
/** A line that ends the rows, and the end of the line before it. */
const AFTER_ROWS = Buffer.from('\n\\.\n')

/** Reads a backup from its beginning to its end: lines and rows by turns. */
export class BackupReader {
  readonly header: Header
  readonly #pieces: AsyncIterator<Buffer>
  /** That were taken, but not read. */
  #held: Buffer = Buffer.alloc(0)
  readonly #all: Hash

  private constructor(header: Header, pieces: AsyncIterator<Buffer>, all: Hash) {
    this.header = header
    this.#pieces = pieces
    this.#all = all
  }

  /** @throws OperatorError if it is no backup that this version can read */
  static async open(file: AsyncIterable<Buffer>): Promise<BackupReader> {
    const pieces = file[Symbol.asyncIterator]()
    const { line, rest } = await takeHeader(pieces)
    const header = readHeader(line.toString('utf8').trimEnd())
    return new BackupReader(header, decompressed(rest, pieces), createHash('sha256').update(line))
  }

  /** The next line; null at the end. Its bytes do not go into the hash before `passed`. */
  async nextLine(): Promise<string | null> {
    for (;;) {
      const end = this.#held.indexOf(NEWLINE)
      if (end >= 0) {
        const line = this.#held.subarray(0, end)
        this.#held = this.#held.subarray(end + 1)
        return line.toString('utf8')
      }
      if (this.#held.length > LONGEST_LINE) throw damaged('it has a line that no backup has')
      const piece = await this.#next()
      if (piece === null && this.#held.length === 0) return null
      if (piece === null) throw damaged('it ends in the middle of a line')
      this.#held = Buffer.concat([this.#held, piece])
    }
  }

  /** A line that was read belongs to what the hash at the end is of. */
  passed(line: string): void {
    this.#all.update(`${line}\n`)
  }

  get hash(): string {
    return this.#all.digest('hex')
  }

  /** Rows up to the line that ends them, which is passed. */
  async *rows(hash: Hash): AsyncGenerator<Buffer> {
    // If there are none, the end follows the line before.
    let held = Buffer.concat([Buffer.of(NEWLINE), this.#held])
    let isFirst = true
    for (;;) {
      const end = held.indexOf(AFTER_ROWS)
      const upTo = end >= 0 ? end + 1 : held.length - (AFTER_ROWS.length - 1)
      const from = isFirst ? 1 : 0
      if (upTo > from) {
        const piece = held.subarray(from, upTo)
        hash.update(piece)
        this.#all.update(piece)
        yield piece
      }
      if (end >= 0) {
        this.#held = held.subarray(end + AFTER_ROWS.length)
        this.passed('\\.')
        return
      }
      if (upTo > from) {
        held = held.subarray(upTo)
        isFirst = false
      }
      const piece = await this.#next()
      if (piece === null) throw damaged('it ends in the middle of a table')
      held = Buffer.concat([held, piece])
    }
  }

  async close(): Promise<void> {
    await this.#pieces.return?.()
  }

  async #next(): Promise<Buffer | null> {
    const { value, done } = await this.#pieces.next()
    return done ? null : value
  }
}

async function takeHeader(pieces: AsyncIterator<Buffer>): Promise<{ line: Buffer; rest: Buffer }> {
  let held: Buffer = Buffer.alloc(0)
  for (;;) {
    const end = held.indexOf(NEWLINE)
    if (end >= 0) return { line: held.subarray(0, end + 1), rest: held.subarray(end + 1) }
    const { value, done } = await pieces.next()
    if (done || held.length > LONGEST_LINE) throw new OperatorError('The file is no backup of Claimkeeper.')
    held = Buffer.concat([held, value])
  }
}

async function* decompressed(first: Buffer, pieces: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  const content = createZstdDecompress()
  const feeding = withRejectionHandler(
    feed(content, first, pieces).catch((error) => {
      content.destroy(error)
      throw error
    }),
  )
  try {
    yield* content
  } catch (error) {
    // What zlib says of it is about its format, not about the file.
    const code = String((error as { code?: unknown }).code)
    if (/^Z(STD|_)|ERR_TRAILING_JUNK|UNKNOWN/.test(code))
      throw damaged(`it cannot be decompressed (${(error as Error).message})`)
    throw error
  } finally {
    content.destroy()
    await pieces.return?.()
  }
  await feeding
}

async function feed(
  to: ReturnType<typeof createZstdDecompress>,
  first: Buffer,
  pieces: AsyncIterator<Buffer>,
): Promise<void> {
  let goOn = () => {}
  to.on('drain', () => goOn()).on('close', () => goOn())
  const put = (piece: Buffer) =>
    to.write(piece) || to.destroyed
      ? undefined
      : new Promise<void>((resolve) => {
          goOn = resolve
        })
  await put(first)
  for (;;) {
    const { value, done } = await pieces.next()
    if (done || to.destroyed) break
    await put(value)
  }
  if (!to.destroyed) to.end()
}
