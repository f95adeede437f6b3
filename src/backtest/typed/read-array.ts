import { OperatorError } from '../../kernel/operator-error.ts'
import { MAX_ROW_BYTES } from '../limits.ts'

const [NEWLINE, QUOTE, COMMA, BACKSLASH] = [10, 34, 44, 92]
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [91, 93, 123, 125]

/** Reads the items of a JSON array, each as text with its first line. @throws OperatorError if the array does not end. */
export async function readArray(
  chunks: AsyncIterable<Buffer>,
  onItem: (text: string, line: number) => void,
): Promise<void> {
  const splitter = new ArraySplitter(onItem)
  for await (const chunk of chunks) splitter.add(chunk)
  splitter.finish()
}

/** Finds the ends of items by brackets and quotes. Does not check that the items are JSON. */
class ArraySplitter {
  readonly #onItem: (text: string, line: number) => void
  #parts: Buffer[] = []
  #bytes = 0
  #depth = 0
  #isInString = false
  #isEscaped = false
  #line = 1
  #items = 0
  /** The first line of the item; 0 before it begins. */
  #itemLine = 0

  constructor(onItem: (text: string, line: number) => void) {
    this.#onItem = onItem
  }

  add(chunk: Buffer): void {
    let start = 0
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i] as number
      if (byte === NEWLINE) this.#line++
      if (this.#isInString) {
        this.#skipInString(byte)
        continue
      }
      if (byte <= 32) continue
      if (this.#depth === 0) {
        this.#openArray(byte)
        start = i + 1
        continue
      }
      const isItemEnd = this.#depth === 1 && (byte === COMMA || byte === CLOSING_BRACKET)
      if (this.#itemLine === 0) this.#itemLine = this.#line
      if (isItemEnd) {
        this.#parts.push(chunk.subarray(start, i))
        this.#endItem(byte === CLOSING_BRACKET)
        start = i + 1
      } else this.#trackDepth(byte)
    }
    if (this.#depth > 0) this.#keep(chunk.subarray(start))
  }

  /** @throws OperatorError if the array did not end */
  finish(): void {
    if (this.#depth > 0 || this.#isInString)
      throw new OperatorError(`the JSON array does not end: the log is cut short on line ${this.#line}`)
  }

  #skipInString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === BACKSLASH) this.#isEscaped = true
    else if (byte === QUOTE) this.#isInString = false
  }

  #openArray(byte: number): void {
    if (byte !== OPENING_BRACKET || this.#items > 0)
      throw new OperatorError(`line ${this.#line} of the log: something follows the end of the JSON array`)
    this.#depth = 1
  }

  #trackDepth(byte: number): void {
    if (byte === QUOTE) this.#isInString = true
    else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) this.#depth++
    else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) this.#depth--
    // The later items would be ignored.
    if (this.#depth === 0)
      throw new OperatorError(`line ${this.#line} of the log: a "}" closes a "[", so items may be missing`)
  }

  #keep(bytes: Buffer): void {
    this.#parts.push(bytes)
    this.#bytes += bytes.length
    if (this.#bytes > MAX_ROW_BYTES)
      throw new OperatorError(
        `the item of the JSON array that begins on line ${this.#itemLine} does not end within ${MAX_ROW_BYTES} bytes`,
      )
  }

  #endItem(isLast: boolean): void {
    const text = Buffer.concat(this.#parts).toString('utf8').trim()
    if (text !== '' || !isLast || this.#items > 0) this.#onItem(text, this.#itemLine)
    this.#items++
    this.#parts = []
    this.#bytes = 0
    this.#itemLine = 0
    if (isLast) this.#depth = 0
  }
}
