import { OperatorError } from '../../kernel/operator-error.ts'
import { MAX_ROW_BYTES } from '../limits.ts'

const NEWLINE = 10

/** Reads the lines that are not empty. @throws OperatorError if a line does not end. */
export async function readLines(
  chunks: AsyncIterable<Buffer>,
  onLine: (text: string, line: number) => void,
): Promise<void> {
  let rest: Buffer = Buffer.alloc(0)
  let line = 0
  const take = (bytes: Buffer) => {
    line++
    const text = bytes.toString('utf8').trim()
    if (text !== '') onLine(text, line)
  }
  for await (const chunk of chunks) {
    rest = takeLines(rest.length === 0 ? chunk : Buffer.concat([rest, chunk]), take)
    if (rest.length > MAX_ROW_BYTES) {
      throw new OperatorError(`line ${line + 1} of the log does not end within ${MAX_ROW_BYTES} bytes`)
    }
  }
  if (rest.length > 0) take(rest)
}

/** Returns what follows the last newline. */
function takeLines(bytes: Buffer, take: (line: Buffer) => void): Buffer {
  let start = 0
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
    take(bytes.subarray(start, end))
    start = end + 1
  }
  return bytes.subarray(start)
}
