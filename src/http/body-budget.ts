import type { IncomingMessage } from 'node:http'
import type { FastifyReply, preParsingHookHandler } from 'fastify'
import { unavailable } from '../errors.ts'

const MIB = 1024 * 1024
/** Bytes of bodies that may be on their way and in work at once, in all and of one account. */
const MOST = 128 * MIB
const MOST_OF_ONE = 64 * MIB
/** A body that is no larger does not count. */
const SMALL = 64 * 1024
/** What a stream counts as, which is never held whole: its lines and their answers. */
const OF_A_STREAM = 2 * MIB

/**
 * What bodies may take of the memory. Whoever sends large ones, slowly or many at once, is refused before they are
 * read; half of it is always left for others.
 */
export class BodyBudget {
  #taken = 0
  readonly #takenBy = new Map<string, number>()

  /**
   * The hook of every request whose account is known, the last before its body is read.
   * @throws UNAVAILABLE for a body that says how long it is
   */
  readonly admit: preParsingHookHandler = ({ userId, raw, headers }, reply, payload, done) => {
    const declared = Number(headers['content-length'] ?? 0)
    const isStream = `${headers['content-type']}`.startsWith('application/x-ndjson')
    const bytes = isStream ? OF_A_STREAM : declared > SMALL ? declared : 0
    if (!this.#take(userId, bytes, reply)) return done(unavailable('Too many large bodies are on their way.'))
    if (!isStream && headers['transfer-encoding'] !== undefined) this.#count(userId, raw, reply)
    done(null, payload)
  }

  /** A body that does not say how long it is counts as it comes, and is cut off. */
  #count(account: string, raw: IncomingMessage, reply: FastifyReply): void {
    let bytes = 0
    raw.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      const counted = Math.min(chunk.length, Math.max(0, bytes - SMALL))
      if (!this.#take(account, counted, reply)) raw.destroy()
    })
  }

  /** Until the request is answered. */
  #take(account: string, bytes: number, { raw }: FastifyReply): boolean {
    const ofAccount = (this.#takenBy.get(account) ?? 0) + bytes
    if (bytes === 0 || raw.destroyed) return true
    if (this.#taken + bytes > MOST || ofAccount > MOST_OF_ONE) return false
    this.#taken += bytes
    this.#takenBy.set(account, ofAccount)
    raw.once('close', () => this.#giveBack(account, bytes))
    return true
  }

  #giveBack(account: string, bytes: number): void {
    this.#taken -= bytes
    const left = (this.#takenBy.get(account) ?? 0) - bytes
    if (left > 0) this.#takenBy.set(account, left)
    else this.#takenBy.delete(account)
  }
}
