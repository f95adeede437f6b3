/** Fault injection: counts the bytes of all connections that use it, and cuts the connection at which a limit is reached. */
export class ConnectionCutter {
  #bytesLeft: number | null = null

  /** Starts counting. After this many bytes, the connection that sends the next one is cut. */
  arm(bytes: number): void {
    this.#bytesLeft = bytes
  }

  disarm(): void {
    this.#bytesLeft = null
  }

  /** False after a cut. */
  get isArmed(): boolean {
    return this.#bytesLeft !== null
  }

  /** Returns the bytes to forward. If there are fewer than given, the caller cuts the connection after them. */
  pass(bytes: Buffer): Buffer {
    if (this.#bytesLeft === null) return bytes
    this.#bytesLeft -= bytes.length
    if (this.#bytesLeft >= 0) return bytes
    const passing = bytes.subarray(0, bytes.length + this.#bytesLeft)
    this.#bytesLeft = null
    return passing
  }
}
