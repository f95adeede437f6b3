import { createHash, type Hash } from 'node:crypto'
import { createZstdDecompress } from 'node:zlib'
import { OperatorError } from '../kernel/operator-error.ts'
import { withRejectionHandler } from '../kernel/promises.ts'
import { damaged, type Header, readHeader } from './backup-format.ts'
import { MAX_LINE_BYTES } from './limits.ts'

const NEWLINE = 0x0a
/** The line that ends the rows, with the newline before it. */
const AFTER_ROWS = Buffer.from('\n\\.\n')

/** Reads a backup sequentially: lines, and the rows between them. */
export class BackupReader {
  readonly header: Header
  readonly #pieces: AsyncIterator<Buffer>
  /** Decompressed bytes that were not read yet. */
  #held: Buffer = Buffer.alloc(0)
  readonly #all: Hash

  private constructor(header: Header, pieces: AsyncIterator<Buffer>, all: Hash) {
    this.header = header
    this.#pieces = pieces
    this.#all = all
  }

  /** @throws OperatorError if the file is not a backup that this version can read */
  static async open(file: AsyncIterable<Buffer>): Promise<BackupReader> {
    const pieces = file[Symbol.asyncIterator]()
    const { line, rest } = await takeHeader(pieces)
    const header = readHeader(line.toString('utf8').trimEnd())
    return new BackupReader(header, decompressed(rest, pieces), createHash('sha256').update(line))
  }

  /** The next line; null at the end. `addToHash` adds it to the hash. */
  async nextLine(): Promise<string | null> {
    for (;;) {
      const end = this.#held.indexOf(NEWLINE)
      if (end >= 0) {
        const line = this.#held.subarray(0, end)
        this.#held = this.#held.subarray(end + 1)
        return line.toString('utf8')
      }
      if (this.#held.length > MAX_LINE_BYTES) throw damaged('it contains an unknown line')
      const piece = await this.#next()
      if (piece === null && this.#held.length === 0) return null
      if (piece === null) throw damaged('it ends in the middle of a line')
      this.#held = Buffer.concat([this.#held, piece])
    }
  }

  /** Adds a line to the hash over the whole backup. */
  addToHash(line: string): void {
    this.#all.update(`${line}\n`)
  }

  get hash(): string {
    return this.#all.digest('hex')
  }

  /** The rows of a table, without the line that ends them. Adds them to both hashes. */
  async *rows(hash: Hash): AsyncGenerator<Buffer> {
    // A newline before the rows: without rows, the end follows directly.
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
        this.addToHash('\\.')
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
    if (done || held.length > MAX_LINE_BYTES)
      throw new OperatorError('The file is not a backup of Claimkeeper.')
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
    // An error of zlib means damage. Other errors are about reading the file.
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
  let resume = () => {}
  to.on('drain', () => resume()).on('close', () => resume())
  const put = (piece: Buffer) =>
    to.write(piece) || to.destroyed
      ? undefined
      : new Promise<void>((resolve) => {
          resume = resolve
        })
  await put(first)
  for (;;) {
    const { value, done } = await pieces.next()
    if (done || to.destroyed) break
    await put(value)
  }
  if (!to.destroyed) to.end()
}
