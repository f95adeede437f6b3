const NEWLINE = 0x0a

/**
 * The lines of a stream of bytes, without their ends; null for a line of more than `longest` bytes, which is passed
 * over. Blank lines are left out.
 */
export async function* readLines(
  chunks: AsyncIterable<Buffer>,
  longest: number,
): AsyncGenerator<Buffer | null> {
  let begun: Buffer[] = []
  let size = 0
  const endLine = (rest: Buffer): Buffer | null => {
    const line = size + rest.length > longest ? null : Buffer.concat([...begun, rest])
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
    if (size <= longest) begun.push(chunk.subarray(from))
    else begun = []
  }
  const last = endLine(Buffer.alloc(0))
  if (!isBlank(last)) yield last
}

/** Spaces, tabs and the \r of a Windows line end. */
const isBlank = (line: Buffer | null) =>
  line?.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)
