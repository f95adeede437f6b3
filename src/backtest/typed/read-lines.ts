import { OperatorError } from '../../kernel/operator-error.ts'
import { MAX_ROW_BYTES } from '../limits.ts'

const [NEWLINE, CARRIAGE_RETURN] = [10, 13]

/**
 * Reads the lines that are not empty. Lines end with LF, CRLF or CR. JSON strings contain neither LF nor CR unescaped.
 * @throws OperatorError if a line is too long
 */
export async function readLines(
  chunks: AsyncIterable<Buffer>,
  onLine: (text: string, line: number) => void,
): Promise<void> {
  let rest: Buffer = Buffer.alloc(0)
  let line = 0
  const decodeLine = (bytes: Buffer) => {
    line++
    const text = bytes.toString('utf8').trim()
    if (text !== '') onLine(text, line)
  }
  for await (const chunk of chunks) {
    rest = splitLines(rest.length === 0 ? chunk : Buffer.concat([rest, chunk]), decodeLine)
    if (rest.length > MAX_ROW_BYTES) {
      throw new OperatorError(`line ${line + 1} of the log does not end within ${MAX_ROW_BYTES} bytes`)
    }
  }
  if (rest.length > 0) decodeLine(rest)
}

/** Returns the bytes of the last, incomplete line. A CR at the end belongs to them: an LF may follow. */
function splitLines(bytes: Buffer, onLine: (line: Buffer) => void): Buffer {
  let start = 0
  let nextReturn = bytes.indexOf(CARRIAGE_RETURN)
  let nextNewline = bytes.indexOf(NEWLINE)
  while (nextReturn !== -1 || nextNewline !== -1) {
    const isReturn = nextReturn !== -1 && (nextNewline === -1 || nextReturn < nextNewline)
    const end = isReturn ? nextReturn : nextNewline
    if (isReturn && end === bytes.length - 1) break
    onLine(bytes.subarray(start, end))
    start = isReturn && nextNewline === end + 1 ? end + 2 : end + 1
    if (isReturn) nextReturn = bytes.indexOf(CARRIAGE_RETURN, start)
    if (nextNewline !== -1 && nextNewline < start) nextNewline = bytes.indexOf(NEWLINE, start)
  }
  return bytes.subarray(start)
}
