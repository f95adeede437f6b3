import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply, preParsingHookHandler } from 'fastify'
import { unavailable } from '../errors.ts'

const MIB = 1024 * 1024
/** Bytes of bodies that may be on their way and in work at once, in all and of one account. */
const MOST = 64 * MIB
const MOST_OF_ONE = 32 * MIB
/** A body that is no larger does not count: thousands may be on their way. */
const SMALL = 16 * 1024
/** What a piece of a body takes beside its bytes: one of a megabyte may come in as many pieces. */
const OF_A_PIECE = 256
/** What a stream counts as, which is never held whole: its lines and their answers. */
const OF_A_STREAM = 2 * MIB

/**
 * What bodies may take of the memory as bytes; what is made of them is weighed (`work-memory.ts`). Whoever sends large
 * ones, slowly or many at once, is refused before they are read; half of it is always left for others.
 */
export class BodyBudget {
  #taken = 0
  readonly #takenBy = new Map<string, number>()
  readonly #takenFor = new WeakMap<ServerResponse, number>()

  /**
   * The hook of every request whose account is known, the last before its body is read.
   * @throws UNAVAILABLE for a body that says how long it is
   */
  readonly admit: preParsingHookHandler = ({ userId, raw, headers }, reply, payload, done) => {
    const declared = Number(headers['content-length'] ?? 0)
    const isStream = isLines(headers['content-type'])
    const bytes = isStream ? OF_A_STREAM : declared > SMALL ? declared : 0
    if (!this.#take(userId, bytes, reply)) return done(unavailable('Too many large bodies are on their way.'))
    if (!isStream && (bytes > 0 || headers['transfer-encoding'] !== undefined))
      this.#count(userId, raw, reply)
    done(null, payload)
  }

  /** A body that does not say how long it is counts as it comes, as do all pieces, and is cut off. */
  #count(account: string, raw: IncomingMessage, reply: FastifyReply): void {
    const isDeclared = raw.headers['content-length'] !== undefined
    let bytes = 0
    const count = (chunk: Buffer) => {
      const more = OF_A_PIECE + (isDeclared ? 0 : chunk.length)
      bytes += more
      const counted = Math.min(more, Math.max(0, bytes - SMALL))
      if (!this.#take(account, counted, reply)) raw.destroy()
    }
    raw.on('data', count)
    // A connection holds its last request, which must not hold the answer.
    raw.once('end', () => raw.off('data', count))
  }

  /** Until the request is answered. */
  #take(account: string, bytes: number, { raw }: FastifyReply): boolean {
    if (bytes === 0 || raw.destroyed) return true
    const ofAccount = (this.#takenBy.get(account) ?? 0) + bytes
    if (this.#taken + bytes > MOST || ofAccount > MOST_OF_ONE) return false
    this.#taken += bytes
    this.#takenBy.set(account, ofAccount)
    const before = this.#takenFor.get(raw)
    if (before === undefined) raw.once('close', () => this.#giveBack(account, this.#takenFor.get(raw) ?? 0))
    this.#takenFor.set(raw, (before ?? 0) + bytes)
    return true
  }

  #giveBack(account: string, bytes: number): void {
    this.#taken -= bytes
    const left = (this.#takenBy.get(account) ?? 0) - bytes
    if (left > 0) this.#takenBy.set(account, left)
    else this.#takenBy.delete(account)
  }
}

/** As the framework reads the header. Counting makes a body flow, and of lines those would be lost that flow too early. */
const isLines = (type = ''): boolean =>
  type !== 'application/json' && type.trimStart().toLowerCase().startsWith('application/x-ndjson')
