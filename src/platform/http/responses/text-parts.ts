import { CHUNK_BYTES } from './shared-answer.ts'

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
export class TextChunks {
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
