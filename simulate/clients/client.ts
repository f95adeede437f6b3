import { setTimeout as pause } from 'node:timers/promises'
import { assert } from '../model/finding.ts'
import type { JsonObject } from '../model/json.ts'
import type { Random } from '../random.ts'
import { HttpConnection, type HttpRequest, type OnChunk, type Reply } from './http-connection.ts'
import type { Account, ClockRecord } from './records.ts'
import type { World } from './world.ts'

/** Milliseconds that a server may need to recover after a fault. */
const RECOVERY_MS = 20_000
/** Time for which the service retries after a lost connection, plus a margin. */
const MAX_RETRY_MS = 8_000
/** Pause before a client tries a server again that is down. */
const REFUSED_CONNECTION_DELAY_MS = 300

interface SendOptions {
  onChunk?: OnChunk
  /** The request may be refused: 400 and 401 are no findings. */
  mayBeRefused?: boolean
  /** The client may close the connection itself. */
  mayAbort?: boolean
}

/** A client of many concurrent ones. It sends one request at a time. */
export class Client {
  readonly name: string
  readonly world: World
  readonly random: Random
  readonly #urls: readonly string[]
  readonly #connection: HttpConnection
  #second: Client | null = null

  constructor(name: string, world: World, random: Random, urls: readonly string[]) {
    this.name = name
    this.world = world
    this.random = random
    this.#urls = urls
    this.#connection = new HttpConnection(world.timeoutMs)
  }

  /** Sends a request. Without faults a missing response is a finding; a 500 always is. */
  async send(
    account: Pick<Account, 'token'> | null,
    request: Omit<HttpRequest, 'token'>,
    { onChunk, mayBeRefused = false, mayAbort = false }: SendOptions = {},
  ): Promise<Reply> {
    const url = this.random.pick(this.#urls)
    const full = { token: account?.token ?? null, ...request }
    const reply = await this.#connection.send(url, full, onChunk)
    if (reply.kind !== 'answer') await pause(REFUSED_CONNECTION_DELAY_MS)
    const key = reply.kind === 'answer' ? `${reply.status}` : reply.kind
    this.world.answers.set(key, (this.world.answers.get(key) ?? 0) + 1)
    const about = () => ({ url, request: { ...request, body: request.body?.slice(0, 2_000) }, reply })
    const asked = `${request.method} ${request.path}`
    const hadFault = this.hadFault(reply.sentAt, reply.answeredAt)
    if (reply.kind === 'answer') {
      // During faults the servers' logs show the cause: see the testbed's `serverErrors`.
      assert(reply.status !== 500 || hadFault, () => `${asked} answered 500`, about)
      assert(reply.status !== 401 || mayBeRefused, () => `${asked} answered 401 to a valid token`, about)
      assert(reply.status !== 400 || mayBeRefused, () => `${asked} answered 400 to a valid request`, about)
    } else {
      assert(hadFault || mayAbort, () => `${asked} has no response, without a fault`, about)
    }
    return reply
  }

  /** Whether a fault was active during the request or shortly before. */
  hadFault(sentAt: number, answeredAt: number): boolean {
    return this.world.faultPeriods.overlaps(sentAt, answeredAt, RECOVERY_MS)
  }

  /** Whether the service may have lost its database connection during the request. */
  mayHaveLostDatabase(sentAt: number, answeredAt: number): boolean {
    return this.world.faultPeriods.overlaps(sentAt, answeredAt, MAX_RETRY_MS)
  }

  /** A clock that no client is known to have deleted. */
  pickClock({ clocks }: Account): ClockRecord | null {
    const existing = clocks.filter(({ isDeleted }) => !isDeleted).slice(-3)
    return existing.length === 0 ? null : this.random.pick(existing)
  }

  /** Another client of the same account, for concurrent requests. */
  get second(): Client {
    this.#second ??= new Client(`${this.name} (second)`, this.world, this.random.fork('second'), this.#urls)
    return this.#second
  }

  close(): void {
    this.#second?.close()
    this.#connection.close()
  }
}

export const parse = (text: string): JsonObject => JSON.parse(text) as JsonObject

/** The outcome of a request. A 503 says whether the outcome is unknown. */
export function outcomeOf(reply: Reply): 'done' | 'refused' | 'unknown' {
  if (reply.kind === 'not sent') return 'refused'
  if (reply.kind === 'lost' || reply.status === 500) return 'unknown'
  if (reply.status === 503) return /not known/.test(reply.text) ? 'unknown' : 'refused'
  return reply.status < 300 ? 'done' : 'refused'
}
