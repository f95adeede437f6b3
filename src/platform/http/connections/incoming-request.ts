import { IncomingMessage } from 'node:http'

/** Pieces in which a body may come: so many, so many more a second, and one more for so many bytes. */
const FREE = 1_000
const A_SECOND = 200
const BYTES_OF_ONE = 16

/**
 * A request whose body comes in pieces that are worth their cost. Each is handed on by itself: a megabyte in chunks of
 * one byte would take seconds and hundreds of megabytes.
 */
export class IncomingRequest extends IncomingMessage {
  #pieces = 0
  #bytes = 0
  #since = 0
  #isCut = false

  override push(piece: Buffer | null): boolean {
    if (this.#isCut) return false
    if (piece === null) return super.push(null)
    if (this.#isUnwanted) return true
    if (!this.#isCrumbled(piece.length)) return super.push(piece)
    this.#isCut = true
    this.socket.emit('crumbled')
    return false
  }

  /** The rest of a refused body is read only to reach the next request. It is dropped, and costs nothing. */
  get #isUnwanted(): boolean {
    return this.readableFlowing === true && this.listenerCount('data') === 0
  }

  /** Nothing more is taken up. */
  override _read(size: number): void {
    if (!this.#isCut) super._read(size)
  }

  #isCrumbled(bytes: number): boolean {
    this.#pieces++
    this.#bytes += bytes
    if (this.#pieces === 2) this.#since = performance.now()
    if (this.#pieces <= FREE) return false
    const seconds = (performance.now() - this.#since) / 1_000
    return this.#pieces > FREE + this.#bytes / BYTES_OF_ONE + seconds * A_SECOND
  }
}
