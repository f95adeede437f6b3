import { setTimeout as pause } from 'node:timers/promises'
import { demand } from '../model/finding.ts'
import type { JsonObject } from '../model/json.ts'
import type { Random } from '../random.ts'
import { type Exchange, type Hear, type Reply, Wire } from './exchange.ts'
import type { Account, ClockRecord } from './records.ts'
import type { World } from './world.ts'

/** How long a server may need to be itself again after harm. */
const AFTERMATH_MS = 20_000
/** How long the service looks for what it lost, and a little. */
const LOST_FOR_MS = 8_000
/** Before somebody tries a server again that is down: what it is asked for meanwhile shows little. */
const NOBODY_THERE_MS = 300

interface SendOptions {
  hear?: Hear
  /** The request may be wrong by then: 400 and 401 are no findings. */
  mayBeRefused?: boolean
  /** The connection may be broken off by ourselves. */
  mayLeave?: boolean
}

/** One of many who use the service at the same time; it does one thing after the other. */
export class Client {
  readonly name: string
  readonly world: World
  readonly random: Random
  readonly #urls: readonly string[]
  readonly #wire: Wire
  #second: Client | null = null

  constructor(name: string, world: World, random: Random, urls: readonly string[]) {
    this.name = name
    this.world = world
    this.random = random
    this.#urls = urls
    this.#wire = new Wire(world.patienceMs)
  }

  /** An answer, or none: but never a fault of the service, and none in calm weather. */
  async send(
    account: Pick<Account, 'token'> | null,
    exchange: Omit<Exchange, 'token'>,
    { hear, mayBeRefused = false, mayLeave = false }: SendOptions = {},
  ): Promise<Reply> {
    const url = this.random.pick(this.#urls)
    const whole = { token: account?.token ?? null, ...exchange }
    const reply = await this.#wire.send(url, whole, hear)
    if (reply.is !== 'answer') await pause(NOBODY_THERE_MS)
    const said = reply.is === 'answer' ? `${reply.status}` : reply.is
    this.world.answers.set(said, (this.world.answers.get(said) ?? 0) + 1)
    const about = () => ({ url, exchange: { ...exchange, body: exchange.body?.slice(0, 2_000) }, reply })
    const asked = `${exchange.method} ${exchange.path}`
    const isRough = this.isRough(reply.sentAt, reply.answeredAt)
    if (reply.is === 'answer') {
      // In rough weather the servers' own logs tell whose fault it is: see the stage's complaints.
      demand(reply.status !== 500 || isRough, () => `${asked} answered 500`, about)
      demand(reply.status !== 401 || mayBeRefused, () => `${asked} answered 401 to a good token`, about)
      demand(reply.status !== 400 || mayBeRefused, () => `${asked} answered 400 to a good request`, about)
    } else {
      demand(
        isRough || mayLeave,
        () => `${asked} was not answered, and nothing was done to the service`,
        about,
      )
    }
    return reply
  }

  /** Whether harm was done meanwhile, or shortly before. */
  isRough(sentAt: number, answeredAt: number): boolean {
    return this.world.weather.isRough(sentAt, answeredAt, AFTERMATH_MS)
  }

  /** Whether the service may have lost its connection to the database meanwhile. */
  mayHaveLost(sentAt: number, answeredAt: number): boolean {
    return this.world.weather.isRough(sentAt, answeredAt, LOST_FOR_MS)
  }

  /** A clock that nobody has deleted, as far as is known. */
  pickClock({ clocks }: Account): ClockRecord | null {
    const there = clocks.filter(({ isDeleted }) => !isDeleted).slice(-3)
    return there.length === 0 ? null : this.random.pick(there)
  }

  /** Another one of the same people, for what is done at the same moment. */
  get second(): Client {
    this.#second ??= new Client(`${this.name} too`, this.world, this.random.fork('second'), this.#urls)
    return this.#second
  }

  close(): void {
    this.#second?.close()
    this.#wire.close()
  }
}

export const parse = (text: string): JsonObject => JSON.parse(text) as JsonObject

/** What an answer tells of what it was asked to do; a 503 says so where nobody knows. */
export function outcomeOf(reply: Reply): 'done' | 'refused' | 'unknown' {
  if (reply.is === 'not sent') return 'refused'
  if (reply.is === 'lost' || reply.status === 500) return 'unknown'
  if (reply.status === 503) return /not known/.test(reply.text) ? 'unknown' : 'refused'
  return reply.status < 300 ? 'done' : 'refused'
}
