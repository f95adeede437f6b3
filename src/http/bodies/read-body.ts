import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.ts'
import { CallerGone } from '../protocol/error-response.ts'
import { giveBackBytes } from './give-back-bytes.ts'

/**
 * Reads a body whole, and gives back its pieces as soon as they are copied.
 * @throws PAYLOAD_TOO_LARGE, and what broke the body off
 */
export function readBody(
  { headers, routeOptions: { bodyLimit } }: Pick<FastifyRequest, 'headers' | 'routeOptions'>,
  payload: Readable,
): Promise<Buffer> {
  const declared = Number(headers['content-length'] ?? 0)
  return new Promise((resolve, reject) => {
    if (declared > bodyLimit) return reject(tooLarge(bodyLimit))
    const body = new Body(declared)
    const add = (piece: Buffer) => {
      if (body.bytes + piece.length > bodyLimit) fail(tooLarge(bodyLimit))
      else body.add(piece)
    }
    const end = () => {
      stop()
      resolve(body.whole())
    }
    const fail = (error: unknown) => {
      stop()
      body.giveBack()
      reject(error instanceof ServiceError ? error : new CallerGone())
    }
    const stop = () => payload.off('data', add).off('end', end).off('error', fail)
    payload.on('data', add).on('end', end).on('error', fail)
  })
}

class Body {
  /** That came. */
  bytes = 0
  readonly #declared: number
  /** As large as declared, if it does not come in one piece. */
  #room: Buffer | null = null
  readonly #pieces: Buffer[] = []

  constructor(declared: number) {
    this.#declared = declared
  }

  add(piece: Buffer): void {
    const from = this.bytes
    this.bytes += piece.length
    if (piece.length >= this.#declared) {
      this.#pieces.push(piece)
      return
    }
    this.#room ??= Buffer.allocUnsafeSlow(this.#declared)
    this.#room.set(piece, from)
    giveBackBytes(piece)
  }

  whole(): Buffer {
    if (this.#room) return this.#room
    const [first] = this.#pieces
    if (first && this.#pieces.length === 1) return first
    const whole = Buffer.concat(this.#pieces, this.bytes)
    this.giveBack()
    return whole
  }

  giveBack(): void {
    if (this.#room) giveBackBytes(this.#room)
    for (const piece of this.#pieces) giveBackBytes(piece)
  }
}

export const tooLarge = (bodyLimit: number) =>
  new ServiceError('PAYLOAD_TOO_LARGE', `The body is larger than ${bytesInWords(bodyLimit)}.`)

const bytesInWords = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / 1024 / 1024} MiB`
