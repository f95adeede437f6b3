import { createHash, type Hash } from 'node:crypto'
import { createZstdDecompress } from 'node:zlib'
import { OperatorError } from '../kernel/operator-error.ts'
import { withRejectionHandler } from '../kernel/promises.ts'
import { damaged, type Header, readHeader } from './backup-format.ts'
import { MAX_LINE_BYTES } from './limits.ts'

const NEWLINE = 0x0a
/** The line that ends the rows, with the preceding newline. */
const ROWS_TERMINATOR = Buffer.from('\n\\.\n')

/** Reads a backup sequentially: lines, and the rows between them. */
export class BackupReader {
  readonly header: Header
  readonly #chunks: AsyncIterator<Buffer>
  /** Decompressed bytes that were not read yet. */
  #buffer: Buffer = Buffer.alloc(0)
  readonly #totalHash: Hash

  private constructor(header: Header, chunks: AsyncIterator<Buffer>, totalHash: Hash) {
    this.header = header
    this.#chunks = chunks
    this.#totalHash = totalHash
  }

  /** @throws OperatorError if the file is not a backup that this version can read */
  static async open(file: AsyncIterable<Buffer>): Promise<BackupReader> {
    const chunks = file[Symbol.asyncIterator]()
    const { line, rest } = await readHeaderLine(chunks)
    const header = readHeader(line.toString('utf8').trimEnd())
    return new BackupReader(header, decompress(rest, chunks), createHash('sha256').update(line))
  }

  /** The next line; null at the end. The caller adds it to the hash by `addToHash`. */
  async nextLine(): Promise<string | null> {
    for (;;) {
      const end = this.#buffer.indexOf(NEWLINE)
      if (end >= 0) {
        const line = this.#buffer.subarray(0, end)
        this.#buffer = this.#buffer.subarray(end + 1)
        return line.toString('utf8')
      }
      if (this.#buffer.length > MAX_LINE_BYTES) throw damaged('it contains an unknown line')
      const chunk = await this.#next()
      if (chunk === null && this.#buffer.length === 0) return null
      if (chunk === null) throw damaged('it ends in the middle of a line')
      this.#buffer = Buffer.concat([this.#buffer, chunk])
    }
  }

  /** Adds a line to the hash over the whole backup. */
  addToHash(line: string): void {
    this.#totalHash.update(`${line}\n`)
  }

  get hash(): string {
    return this.#totalHash.digest('hex')
  }

  /** The rows of a table, without the line that ends them. Adds them to both hashes. */
  async *rows(hash: Hash): AsyncGenerator<Buffer> {
    // The rows of an empty table begin with the terminator, whose newline was read with the line before.
    let buffer = Buffer.concat([Buffer.of(NEWLINE), this.#buffer])
    let isAtStart = true
    for (;;) {
      const end = buffer.indexOf(ROWS_TERMINATOR)
      const to = end >= 0 ? end + 1 : buffer.length - (ROWS_TERMINATOR.length - 1)
      const from = isAtStart ? 1 : 0
      if (to > from) {
        const chunk = buffer.subarray(from, to)
        hash.update(chunk)
        this.#totalHash.update(chunk)
        yield chunk
      }
      if (end >= 0) {
        this.#buffer = buffer.subarray(end + ROWS_TERMINATOR.length)
        this.addToHash('\\.')
        return
      }
      if (to > from) {
        buffer = buffer.subarray(to)
        isAtStart = false
      }
      const chunk = await this.#next()
      if (chunk === null) throw damaged('it ends in the middle of a table')
      buffer = Buffer.concat([buffer, chunk])
    }
  }

  async close(): Promise<void> {
    await this.#chunks.return?.()
  }

  async #next(): Promise<Buffer | null> {
    const { value, done } = await this.#chunks.next()
    return done ? null : value
  }
}

async function readHeaderLine(chunks: AsyncIterator<Buffer>): Promise<{ line: Buffer; rest: Buffer }> {
  let buffer: Buffer = Buffer.alloc(0)
  for (;;) {
    const end = buffer.indexOf(NEWLINE)
    if (end >= 0) return { line: buffer.subarray(0, end + 1), rest: buffer.subarray(end + 1) }
    const { value, done } = await chunks.next()
    if (done || buffer.length > MAX_LINE_BYTES)
      throw new OperatorError('The file is not a backup of Claimkeeper.')
    buffer = Buffer.concat([buffer, value])
  }
}

async function* decompress(first: Buffer, chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  const content = createZstdDecompress()
  const written = withRejectionHandler(
    writeAll(content, first, chunks).catch((error) => {
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
    await chunks.return?.()
  }
  await written
}

async function writeAll(
  stream: ReturnType<typeof createZstdDecompress>,
  first: Buffer,
  chunks: AsyncIterator<Buffer>,
): Promise<void> {
  let resume = () => {}
  stream.on('drain', () => resume()).on('close', () => resume())
  const write = (chunk: Buffer) =>
    stream.write(chunk) || stream.destroyed
      ? undefined
      : new Promise<void>((resolve) => {
          resume = resolve
        })
  await write(first)
  for (;;) {
    const { value, done } = await chunks.next()
    if (done || stream.destroyed) break
    await write(value)
  }
  if (!stream.destroyed) stream.end()
}
