const CHUNK_BITS = 16
const CHUNK_LENGTH = 1 << CHUNK_BITS

/** An array, typed or not. */
interface Chunk<Value> {
  [index: number]: Value
}

/** A list that grows by chunks: doubling an array of millions would hold it twice. */
export class GrowingColumn<Value = number> {
  readonly #create: new (
    length: number,
  ) => Chunk<Value>
  readonly #chunks: Chunk<Value>[] = []
  #length = 0

  constructor(create: new (length: number) => Chunk<Value>) {
    this.#create = create
  }

  /** Returns the index of the value. */
  push(value: Value): number {
    const index = this.#length++
    const chunk = index >>> CHUNK_BITS
    if (chunk === this.#chunks.length) this.#chunks.push(new this.#create(CHUNK_LENGTH))
    const values = this.#chunks[chunk] as Chunk<Value>
    values[index & (CHUNK_LENGTH - 1)] = value
    return index
  }

  at(index: number): Value {
    const values = this.#chunks[index >>> CHUNK_BITS] as Chunk<Value>
    return values[index & (CHUNK_LENGTH - 1)] as Value
  }
}
