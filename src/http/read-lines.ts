const NEWLINE = 0x0a
/** Pieces of a line that are held before they are joined. */
const MOST_PIECES = 64

/** A line that was passed over for its length. */
export const TOO_LONG = Symbol('too long')
export type Line = Buffer | typeof TOO_LONG

/** The lines of a stream of bytes, without their ends; of at most `longest` bytes each. Blank lines are left out. */
export async function* readLines(chunks: AsyncIterable<Buffer>, longest: number): AsyncGenerator<Line> {
  let begun: Buffer[] = []
  let size = 0
  const endLine = (rest: Buffer): Line => {
    const line = size + rest.length > longest ? TOO_LONG : Buffer.concat([...begun, rest])
    begun = []
    size = 0
    return line
  }
  for await (const chunk of chunks) {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const line = endLine(chunk.subarray(from, end))
      if (!isBlank(line)) yield line
      from = end + 1
    }
    size += chunk.length - from
    // Of a line that is too long nothing needs to be kept.
    if (size > longest) begun = []
    else begun.push(chunk.subarray(from))
    if (begun.length > MOST_PIECES) begun = [Buffer.concat(begun)]
  }
  const last = endLine(Buffer.alloc(0))
  if (!isBlank(last)) yield last
}

/** Spaces, tabs and the \r of a Windows line end. */
const isBlank = (line: Line) =>
  line !== TOO_LONG && line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)
