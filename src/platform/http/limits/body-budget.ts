import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply, onSendHookHandler, preParsingHookHandler } from 'fastify'
import { unavailable } from '../../../kernel/errors.ts'
import { LOOK_EVERY_MS, type Stayer, whoGivesWay } from '../../concurrency/seats.ts'
import { bodyTooLarge, CallerGone } from '../responses/error-response.ts'
import { NDJSON_TYPES } from '../responses/responses.ts'
import { breakOff } from './while-there.ts'

const MIB = 1024 * 1024
/** Bytes of bodies that may be on their way and in work at once. */
const MOST = 64 * MIB
/** What the pieces of those that were let in may take beyond that: their bytes were counted before. */
const BEYOND = 8 * MIB
const BEYOND_OF_ONE = 4 * MIB
/** A body that is no larger does not count: thousands may be on their way. */
const SMALL = 16 * 1024
/** What a piece of a body takes beside its bytes: one of a megabyte may come in as many pieces. */
const OF_A_PIECE = 256
/** What a stream counts as, which is never held whole: its lines and their answers. */
const OF_A_STREAM = 2 * MIB

/** An account that has nothing for so long, in milliseconds, has made a pause. */
const PAUSE_MS = 1_000
/** Accounts that are remembered, beside those that have something. */
const MOST_REMEMBERED = 1_000

interface Held extends Pick<Stayer, 'account'> {
  readonly reply: FastifyReply
  /** In bytes. */
  amount: number
  /** Since when its answer is on its way; null while the body is. */
  answeredAt: number | null
}

/**
 * What bodies may take of the memory as bytes; what is made of them is weighed (`work-memory.ts`). Of one account they
 * may have as much as is left: half of it for an account alone, and something for whoever comes next. Whoever is slow to
 * send one, or to read the answer, is broken off if accounts that have less find no room; and slow is, too, who sends
 * one after the other without a pause.
 */
export class BodyBudget {
  #taken = 0
  readonly #takenBy = new Map<string, number>()
  readonly #held = new Map<ServerResponse, Held>()
  /** Since when an account has had something without a pause, and until when; by performance.now(). */
  readonly #presence = new Map<string, { from: number; until: number }>()
  /** For whom it was looked who is slow, and since when that counts; by performance.now(). */
  readonly #lookedFor = new Set<string>()
  #lookedSince = 0

  /**
   * The hook of every request whose account is known, the last before its body is read.
   * @throws PAYLOAD_TOO_LARGE or UNAVAILABLE for a body that says how long it is
   */
  readonly admit: preParsingHookHandler = ({ userId, raw, headers, routeOptions }, reply, payload, done) => {
    const declared = Number(headers['content-length'] ?? 0)
    const isStream = isLines(headers['content-type'])
    // There will never be room for it.
    if (!isStream && declared > routeOptions.bodyLimit) return done(bodyTooLarge(routeOptions.bodyLimit))
    const bytes = isStream ? OF_A_STREAM : declared > SMALL ? declared : 0
    if (!this.#take(userId, bytes, reply)) return done(unavailable('Too many large bodies are on their way.'))
    if (!isStream && (bytes > 0 || headers['transfer-encoding'] !== undefined))
      this.#count(userId, raw, reply)
    done(null, payload)
  }

  /** The hook of every answer. It may be as large as the body, and is held until it is read. */
  readonly answer: onSendHookHandler = (_request, { raw }, payload, done) => {
    const held = this.#held.get(raw)
    if (held) held.answeredAt = performance.now()
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
      // Whoever waits for the body hears of an error alone.
      if (!this.#take(account, counted, reply, isDeclared)) raw.destroy(new CallerGone())
    }
    raw.on('data', count)
    // A connection holds its last request, which must not hold the answer.
    raw.once('end', () => raw.off('data', count))
  }

  /** @param arePieces of a body whose bytes were counted when it was let in */
  #take(account: string, bytes: number, reply: FastifyReply, arePieces = false): boolean {
    const { raw } = reply
    if (bytes === 0 || raw.destroyed) return true
    const held = this.#held.get(raw)
    if (held && arePieces) {
      if (!this.#mayGrow(account, bytes)) return false
    } else if (!this.#hasRoom(account, bytes)) {
      this.#clear(account, bytes)
      if (!this.#hasRoom(account, bytes)) return false
    }
    this.#add(account, bytes)
    if (held) held.amount += bytes
    else {
      this.#held.set(raw, { account, reply, amount: bytes, answeredAt: null })
      raw.once('close', () => this.#giveBack(raw))
    }
    return true
  }

  #hasRoom(account: string, bytes: number): boolean {
    return this.#takenByOf(account) + bytes <= MOST - this.#taken
  }

  /** What was let in goes on, though others came meanwhile. */
  #mayGrow(account: string, bytes: number): boolean {
    return (
      this.#taken + bytes <= MOST + BEYOND && this.#takenByOf(account) + bytes <= MOST / 2 + BEYOND_OF_ONE
    )
  }

  /** Breaks off those that are slow, of accounts that have more, until there is room. */
  #clear(account: string, bytes: number): void {
    const now = performance.now()
    if (now - this.#lookedSince >= LOOK_EVERY_MS) {
      this.#lookedSince = now
      this.#lookedFor.clear()
    }
    if (this.#lookedFor.has(account)) return
    this.#lookedFor.add(account)
    const own = this.#takenByOf(account) + bytes
    const onTheirWay = this.#held.values().filter(isOnItsWay).map(this.#toStayer)
    for (const { reply } of whoGivesWay(onTheirWay, this.#takenBy, own - (MOST - this.#taken), own)) {
      this.#giveBack(reply.raw)
      breakOff(reply.raw)
    }
  }

  /** Of bodies it counts how long their account has sent any: it may begin them anew all the time. */
  readonly #toStayer = ({ account, amount, reply, answeredAt }: Held) => ({
    account,
    amount,
    reply,
    since: answeredAt ?? (this.#presence.get(account)?.from as number),
  })

  #giveBack(raw: ServerResponse): void {
    const held = this.#held.get(raw)
    if (!held) return
    this.#held.delete(raw)
    this.#add(held.account, -held.amount)
  }

  #add(account: string, bytes: number): void {
    this.#taken += bytes
    if (!this.#takenBy.has(account)) this.#come(account)
    const ofAccount = this.#takenByOf(account) + bytes
    if (ofAccount > 0) this.#takenBy.set(account, ofAccount)
    else this.#leave(account)
  }

  #come(account: string): void {
    const now = performance.now()
    const last = this.#presence.get(account)
    const from = last && now - last.until < PAUSE_MS ? last.from : now
    this.#presence.set(account, { from, until: Number.POSITIVE_INFINITY })
  }

  #leave(account: string): void {
    this.#takenBy.delete(account)
    const now = performance.now()
    const presence = this.#presence.get(account)
    if (presence) presence.until = now
    if (this.#presence.size - this.#takenBy.size <= MOST_REMEMBERED) return
    for (const [one, { until }] of this.#presence) if (now - until >= PAUSE_MS) this.#presence.delete(one)
  }

  readonly #takenByOf = (account: string): number => this.#takenBy.get(account) ?? 0
}

/** The body, or its answer. */
const isOnItsWay = ({ reply, answeredAt }: Held): boolean =>
  answeredAt !== null || !reply.request.raw.complete

/** As the framework reads the header. Counting makes a body flow, and of lines those would be lost that flow too early. */
export const isLines = (type = ''): boolean =>
  type !== 'application/json' &&
  (NDJSON_TYPES as readonly string[]).includes((type.split(';', 1)[0] as string).trim().toLowerCase())
