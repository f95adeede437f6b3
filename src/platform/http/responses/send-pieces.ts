import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { acquireResponsePermit } from '../admission/in-progress.ts'
import { resetConnection } from '../admission/while-connected.ts'
import { CHUNK_BYTES, inChunks, isWhole, type Whole } from './shared-answer.ts'

/** Characters, or bytes, that are handed to a connection in one go, if all are there: they move within the patience for answers. */
const AT_ONCE = 4 * CHUNK_BYTES
/** Pieces without text, one after the other, that are waited for before the answer begins: what is looked for is not found soon. */
const EMPTY_AT_ONCE = 4

type Pieces = AsyncGenerator<readonly string[], undefined>

/**
 * Sends text that is made piece by piece, as fast as the caller reads it. What fits into a few chunks is sent whole;
 * until then a failure is answered as an error. Later it breaks the connection, so that no part is taken for the whole.
 */
export async function sendPieces(reply: FastifyReply, pieces: Pieces): Promise<FastifyReply> {
  const begun = new Texts()
  let hasEnded = false
  let empty = 0
  while (!hasEnded && begun.length <= AT_ONCE && empty < EMPTY_AT_ONCE && !reply.raw.destroyed) {
    const before = begun.length
    const { done, value } = await pieces.next()
    if (done) hasEnded = true
    else begun.addAll(value)
    empty = begun.length === before ? empty + 1 : 0
  }
  // The hook of all answers looks after those that are large.
  if (hasEnded) return reply.send(toBytes(begun.all))
  // For HEAD the framework would read the whole body after the response, without a permit.
  if (reply.request.method === 'HEAD') {
    await pieces.return(undefined)
    return reply.send(Readable.from([]))
  }
  try {
    await acquireResponsePermit(reply)
  } catch (error) {
    await pieces.return(undefined)
    throw error
  }
  if (reply.raw.destroyed) {
    await pieces.return(undefined)
    return reply.send('')
  }
  return reply.send(Readable.from(toChunks(reply, begun.all, pieces)))
}

/** An answer that was made in one piece, and is too large to be kept by any number of callers who do not read it. */
export async function inPieces(reply: FastifyReply, answer: Whole): Promise<Readable | Whole> {
  await acquireResponsePermit(reply)
  if (answer.length <= AT_ONCE || reply.raw.destroyed) return answer
  const bytes = typeof answer === 'string' ? Buffer.from(answer) : answer
  reply.header('Content-Length', bytes.length)
  return inChunks(bytes)
}

export const isLarge = (answer: unknown): answer is Whole => isWhole(answer) && answer.length > CHUNK_BYTES

/** There are many short ones, and each would be a step. */
function joined(texts: readonly string[]): readonly string[] {
  const parts = new JoinedTexts()
  parts.addAll(texts)
  return parts.all
}

/** Each is copied once. Joined, all would be copied again, and once more behind the answer's head. */
function toBytes(texts: readonly string[]): Buffer {
  const bytes = Buffer.allocUnsafeSlow(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0))
  let at = 0
  for (const text of texts) at += bytes.write(text, at)
  // Nothing that was not written goes out.
  return bytes.subarray(0, at)
}

/**
 * Between two chunks others get their turn. A failure resets the connection: who speaks HTTP/1.0 would take its mere end
 * for that of the answer.
 */
async function* toChunks(
  { raw }: FastifyReply,
  begun: readonly string[],
  rest: Pieces,
): AsyncGenerator<Buffer> {
  const chunks = new TextChunks()
  try {
    for (const text of joined(begun)) yield* chunks.add(text)
    for await (const texts of rest) {
      // Pieces without text make no chunk, at which the stream would hear that nobody reads it any more.
      if (raw.destroyed) return
      // Nor is what was found before kept back while others are looked for.
      if (texts.every((text) => text === '')) yield* chunks.end()
      for (const text of joined(texts)) {
        for (const chunk of chunks.add(text)) {
          yield chunk
          await nextTurn()
        }
      }
    }
    yield* chunks.end()
  } catch (error) {
    resetConnection(raw)
    throw error
  } finally {
    await rest.return(undefined)
  }
}

/** Characters of a text that stays by itself. */
const LONG = 4 * 1024
/** Bytes that any character fits into. */
const CHARACTER = 4

/** Texts on their way into an answer, each by itself: what is sent whole is copied once, into bytes. */
export class Texts {
  readonly all: string[] = []
  length = 0

  add(text: string): void {
    this.all.push(text)
    this.length += text.length
  }

  addAll(texts: Iterable<string>): void {
    for (const text of texts) this.add(text)
  }
}

/** The same with fewer, longer ones. What is long already is not joined to what stands beside it: it is copied once. */
export class JoinedTexts extends Texts {
  #isOpen = false

  override add(text: string): void {
    const isLong = text.length >= LONG
    if (isLong || !this.#isOpen) this.all.push(text)
    else this.all[this.all.length - 1] += text
    this.#isOpen = !isLong
    this.length += text.length
  }
}

/** Writes texts, one behind the other, into pieces of memory of the size that a connection takes in one go. */
class TextChunks {
  readonly #encoder = new TextEncoder()
  #chunk = newChunk()
  #at = 0

  /** What was begun, if anything. */
  end(): Buffer[] {
    const last = this.#chunk.subarray(0, this.#at)
    this.#chunk = newChunk()
    this.#at = 0
    return last.length === 0 ? [] : [last]
  }

  /** @returns the chunks that became full */
  *add(text: string): Generator<Buffer> {
    for (let rest = text; rest !== ''; ) {
      const { read, written } = this.#encoder.encodeInto(rest, this.#chunk.subarray(this.#at))
      this.#at += written
      rest = rest.slice(read)
      if (this.#at > CHUNK_BYTES - CHARACTER) yield* this.end()
    }
  }
}

const newChunk = () => Buffer.allocUnsafeSlow(CHUNK_BYTES)
