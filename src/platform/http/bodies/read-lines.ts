import { runCooperatively } from '../../concurrency/cooperative.ts'
import { MAX_LINE_PIECES, MAX_LINES_PER_SCAN } from '../limits.ts'

const NEWLINE = 0x0a

/** Stands for a line that was skipped because it is too long. */
export const TOO_LONG = Symbol('too long')
export type Line = Buffer | typeof TOO_LONG

/**
 * The lines of a stream of bytes, without their line ends. A line over `longest` bytes becomes `TOO_LONG`. Blank
 * lines are skipped.
 */
export async function* readLines(chunks: AsyncIterable<Buffer>, longest: number): AsyncGenerator<Line> {
  const begun = new BegunLine(longest)
  // Cooperatively: a chunk may have thousands of lines, and the next one may be there already.
  for await (const chunk of chunks) yield* await runCooperatively(endLines(begun, chunk))
  const last = begun.end(Buffer.alloc(0))
  if (!isBlank(last)) yield last
}

/** The lines that end in the chunk. */
function* endLines(begun: BegunLine, chunk: Buffer): Generator<void, Line[]> {
  const lines: Line[] = []
  let from = 0
  for (let end = chunk.indexOf(NEWLINE), i = 1; end >= 0; end = chunk.indexOf(NEWLINE, from), i++) {
    const line = begun.end(chunk.subarray(from, end))
    if (!isBlank(line)) lines.push(line)
    from = end + 1
    if (i % MAX_LINES_PER_SCAN === 0) yield
  }
  begun.add(chunk.subarray(from))
  return lines
}

/** A line without its end so far. */
class BegunLine {
  readonly #longest: number
  #pieces: Buffer[] = []
  #size = 0

  constructor(longest: number) {
    this.#longest = longest
  }

  add(piece: Buffer): void {
    this.#size += piece.length
    // Nothing of a line that is too long is kept.
    if (this.#size > this.#longest) this.#pieces = []
    else this.#pieces.push(piece)
    if (this.#pieces.length > MAX_LINE_PIECES) this.#pieces = [Buffer.concat(this.#pieces)]
  }

  end(rest: Buffer): Line {
    const size = this.#size + rest.length
    const line = this.#pieces.length === 0 ? rest : Buffer.concat([...this.#pieces, rest])
    this.#pieces = []
    this.#size = 0
    return size > this.#longest ? TOO_LONG : line
  }
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff')

/** Only spaces, tabs and the \r of a Windows line break, with or without a byte order mark before them. */
const isBlank = (line: Line) =>
  line !== TOO_LONG &&
  line
    .subarray(line.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0)
    .every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)
