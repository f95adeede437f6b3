/** Takes the beginning off chunks, at least so many bytes of it if there are, and gives them all out again. */
export async function peekHead(
  chunks: AsyncGenerator<Buffer>,
  bytes: number,
): Promise<{ head: Buffer; all: AsyncGenerator<Buffer> }> {
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

async function* startingWith(taken: Buffer[], rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield* taken
  yield* rest
}
