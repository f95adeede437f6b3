/** Counts the bytes of all connections that use it, and cuts the connection on which the count ends. */
export class ByteFuse {
  #left: number | null = null

  /** Starts counting. The byte with this number is the last to pass. */
  light(byte: number): void {
    this.#left = byte
  }

  putOut(): void {
    this.#left = null
  }

  get isBurning(): boolean {
    return this.#left !== null
  }

  /** The bytes that pass: fewer than given if the connection is cut here. */
  pass(bytes: Buffer): Buffer {
    if (this.#left === null) return bytes
    this.#left -= bytes.length
    if (this.#left >= 0) return bytes
    const passing = bytes.subarray(0, bytes.length + this.#left)
    this.#left = null
    return passing
  }
}
