/** Burns down with the bytes of all connections that it is asked for, and cuts the one on which it ends. */
export class ByteFuse {
  #left: number | null = null

  /** From now on; the byte of this number is the last to pass. */
  light(byte: number): void {
    this.#left = byte
  }

  putOut(): void {
    this.#left = null
  }

  get isBurning(): boolean {
    return this.#left !== null
  }

  /** What of these bytes still passes: fewer than they are if the connection is cut here. */
  pass(bytes: Buffer): Buffer {
    if (this.#left === null) return bytes
    this.#left -= bytes.length
    if (this.#left >= 0) return bytes
    const passing = bytes.subarray(0, bytes.length + this.#left)
    this.#left = null
    return passing
  }
}
