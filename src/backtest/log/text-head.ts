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
