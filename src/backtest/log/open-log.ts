import type { Stats } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { InvalidArgumentError } from 'commander'
import { OperatorError } from '../../kernel/operator-error.ts'
import { inputName, openInput, STANDARD_INPUT, statInput } from '../../platform/terminal/input-file.ts'

const CHUNK_BYTES = 256 * 1024

/** A log that exists. `isFile`: it can be read twice. A pipe cannot. */
export interface LogFile {
  path: string
  bytes: number
  isFile: boolean
}

/** Files that are not logs, by their first bytes. */
const OTHER_FILES: [magic: string, advice: string][] = [
  ['PK\x03\x04', 'a zip archive or an Excel workbook: unpack it, or save the sheet as CSV'],
  ['\xd0\xcf\x11\xe0', 'an Excel workbook: save the sheet as CSV'],
  ['BZh', 'compressed with bzip2: unpack it, or compress it with gzip'],
  ['\xfd7zXZ', 'compressed with xz: unpack it, or compress it with gzip'],
  ['\x28\xb5\x2f\xfd', 'compressed with zstd: unpack it, or compress it with gzip'],
  ['PAR1', 'a Parquet file: write it as CSV or NDJSON'],
  ['Obj\x01', 'an Avro file: write it as NDJSON'],
]
const MAX_MAGIC_BYTES = 5

/** @throws OperatorError if there is no such file. */
export async function findLog(path: string): Promise<LogFile> {
  let found: Stats
  try {
    found = await statInput(path)
  } catch (error) {
    throw toLogError(path, error)
  }
  if (found.isDirectory()) throw new OperatorError(`the log ${inputName(path)} is a folder`)
  // Standard input cannot be read again, even if it is a file.
  return { path, bytes: found.size, isFile: found.isFile() && path !== STANDARD_INPUT }
}

/** The bytes of the log, decompressed if they are gzip. `onBytes` gets the number of bytes of the file read so far. */
export async function* readLog(path: string, onBytes: (count: number) => void): AsyncGenerator<Buffer> {
  try {
    const { head, all } = await peekHead(readFile(path, onBytes), MAX_MAGIC_BYTES)
    const start = head.toString('latin1', 0, MAX_MAGIC_BYTES)
    const other = OTHER_FILES.find(([magic]) => start.startsWith(magic))
    if (other) throw new OperatorError(`the log ${inputName(path)} is ${other[1]}`)
    yield* isGzip(head) ? decompress(path, all) : all
  } catch (error) {
    throw isSystemError(error) ? toLogError(path, error) : error
  }
}

async function* readFile(path: string, onBytes: (count: number) => void): AsyncGenerator<Buffer> {
  let count = 0
  for await (const chunk of openInput(path, CHUNK_BYTES)) {
    count += (chunk as Buffer).length
    onBytes(count)
    yield chunk as Buffer
  }
}

const isGzip = (chunk: Buffer) => chunk[0] === 0x1f && chunk[1] === 0x8b

const ZEROS = Buffer.alloc(CHUNK_BYTES)

/** Compares padding in one call: a search byte by byte is a hundred times slower. */
const lastNonZero = (chunk: Buffer): number =>
  ZEROS.subarray(0, chunk.length).equals(chunk) ? -1 : chunk.findLastIndex((byte) => byte !== 0)

async function* decompress(path: string, chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES })
  let read = 0
  /** The offset after the last byte that is not 0. */
  let end = 0
  // Not by `for await`: it would close the file when the stream ends, and the file is read to its end below.
  async function* trackContent(): AsyncGenerator<Buffer> {
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      const last = lastNonZero(next.value)
      if (last !== -1) end = read + last + 1
      read += next.value.length
      yield next.value
    }
  }
  // An error reaches the loop below too: it ends the last stream.
  pipeline(trackContent(), gunzip, () => {})
  try {
    for await (const chunk of gunzip) yield chunk as Buffer
    // Zeros may pad a file. zlib stops at the padding and ignores any data after it.
    for await (const _ of trackContent()) if (end > gunzip.bytesWritten) break
  } finally {
    chunks.return(undefined).catch(() => {})
  }
  if (end > gunzip.bytesWritten) {
    const message =
      'more data follows the zeros after its gzip data; unpack it and write it again without the zeros'
    throw new OperatorError(`the log ${inputName(path)} would be read in part: ${message}`)
  }
}

const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'code' in error && 'errno' in error

function toLogError(path: string, error: unknown): OperatorError {
  const { code, message } = error as NodeJS.ErrnoException
  const name = inputName(path)
  if (code === 'ENOENT') return new OperatorError(`there is no log ${name}`)
  if (code === 'Z_BUF_ERROR')
    return new OperatorError(`the log ${name} is cut short: its gzip data does not end`)
  if (code?.startsWith('Z_')) return new OperatorError(`the log ${name} is damaged gzip data: ${message}`)
  return new OperatorError(`the log ${name} cannot be read: ${message}`)
}

/** Reads the first `bytes` bytes of a stream, or all if it has fewer. `all` is the stream from its start. */
export async function peekHead(
  stream: AsyncIterable<Buffer>,
  bytes: number,
): Promise<{ head: Buffer; all: AsyncGenerator<Buffer> }> {
  const chunks = stream[Symbol.asyncIterator]()
  const taken: Buffer[] = []
  let length = 0
  while (length < bytes) {
    const next = await chunks.next()
    if (next.done) break
    taken.push(next.value)
    length += next.value.length
  }
  return { head: Buffer.concat(taken), all: startingWith(taken, chunks) }
}

async function* startingWith(taken: Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield* taken
  yield* { [Symbol.asyncIterator]: () => rest }
}

export const LOG_FORMATS = ['csv', 'json', 'ndjson', 'xes'] as const
export type LogFormat = (typeof LOG_FORMATS)[number]

/** The extension of the name decides, then the first character. A log that starts with "[" is a JSON array, unless it is named .csv. */
export function formatOf(path: string, head: string): LogFormat {
  const named = formatByName(path)
  const first = head.trimStart()[0]
  if (first === '[' && named !== 'csv') return 'json'
  if (named !== null) return named === 'json' ? 'ndjson' : named
  if (first === '{') return 'ndjson'
  return first === '<' ? 'xes' : 'csv'
}

function formatByName(path: string): LogFormat | null {
  const [, name = ''] = /\.(\w+)(?:\.gz)?$/.exec(path.toLowerCase()) ?? []
  if (name === 'jsonl') return 'ndjson'
  return LOG_FORMATS.find((format) => format === name) ?? null
}

/** Accepts "tab" and "\t", because a tab is hard to type in a shell. */
export function parseSeparator(text: string): string {
  if (text === '\\t' || text === 'tab') return '\t'
  if (text === '' || /["\r\n]/.test(text)) {
    throw new InvalidArgumentError('It must be one or more characters, without quotes and line breaks.')
  }
  return text
}
