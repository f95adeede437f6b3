import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { ServiceError } from '../kernel/errors.ts'
import { withRejectionHandler } from '../kernel/promises.ts'
import type { Lifecycle } from '../kernel/start-stop.ts'
import { findNews } from '../notifications/feed-store.ts'
import { partsOf } from '../notifications/read-notifications.ts'
import { SERVICE } from '../platform/database/pool/pooled-connection.ts'
import { AttemptLimit } from './attempt-limit.ts'
import { EndpointRun, manySubmissionsWait, type Sending } from './endpoint-run.ts'
import {
  ENDPOINT_POLL_INTERVAL_MS,
  FAILURE_PAUSE_MS,
  MAX_FAILING_RUNS,
  MAX_FAILURE_PAUSE_MS,
  MAX_POLL_PAUSE_MS,
  MAX_RUNS,
  MAX_RUNS_PER_ACCOUNT,
  MAX_RUNS_STARTED_PER_POLL,
  MIN_RUN_MS,
  POLL_PAUSE_FACTOR,
  STOP_GRACE_MS,
} from './limits.ts'
import { type EndpointWithWork, findFreeEndpoints, releaseEndpoints } from './sending-store.ts'
import { WebhookClient } from './webhook-client.ts'

export interface WebhookOptions extends Pick<Sending, 'app' | 'present' | 'delaysMs' | 'onDisabled'> {
  /** For development: any address will do. */
  allowPrivate: boolean
  /** Allowed ports below 1024, in addition to 80 and 443; by default none. */
  ports?: readonly number[]
  /** Milliseconds after a failure; by default a second. */
  restMs?: number
  onError: (error: unknown) => void
}

/** An endpoint that is being sent to. */
interface Turn {
  run: EndpointRun
  userId: string
  isFailing: boolean
  begunAt: number
  /** It begins nothing more, for others wait. */
  isEnding: boolean
  ended: Promise<void>
}

/** Sends webhooks. Any number of servers share the endpoints: one at a time sends to each. */
export class WebhookSender implements Lifecycle {
  readonly #options: WebhookOptions
  readonly #restMs: number
  readonly #sender = randomUUID()
  /** Null until there is something to send. */
  #sending: Sending | null = null
  /** By the endpoints' ids, in the order in which they were begun. */
  readonly #turns = new Map<string, Turn>()
  /** Those that this server has sent to, until others may. */
  readonly #taken = new Set<string>()
  readonly #resting = new Map<string, { untilMs: number; forMs: number }>()
  readonly #stopping = new AbortController()
  #looking: Promise<void> | null = null

  constructor(options: WebhookOptions) {
    this.#options = options
    this.#restMs = options.restMs ?? FAILURE_PAUSE_MS
  }

  async start(): Promise<void> {
    this.#looking = withRejectionHandler(this.#lookOnAndOn())
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#looking
    for (const { run } of this.#turns.values()) run.finish()
    const ended = withRejectionHandler(Promise.all([...this.#turns.values()].map((one) => one.ended)))
    await Promise.race([ended, pause(STOP_GRACE_MS, undefined, { ref: false })])
    await this.#sending?.client.stop()
    await ended
    const taken = [...this.#taken]
    this.#taken.clear()
    if (taken.length > 0) await releaseEndpoints(this.#options.app.db, this.#sender, taken)
  }

  async #lookOnAndOn(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const startedAt = performance.now()
      const isWell = await this.#look().then(
        () => true,
        (error) => this.#options.onError(error),
      )
      const tookMs = performance.now() - startedAt
      const restMs = isWell ? pauseAfter(tookMs) : this.#restMs
      await pause(restMs, undefined, { signal }).catch(() => {})
    }
  }

  /** Begins to send to those endpoints that have something to be sent, and whom nobody sends to. */
  async #look(): Promise<void> {
    const { app } = this.#options
    const db = app.db.reads.for(SERVICE)
    const now = performance.now()
    const free = (await findFreeEndpoints(db, this.#sender)).filter(
      ({ id }) => !this.#turns.has(id) && (this.#resting.get(id)?.untilMs ?? 0) <= now,
    )
    const idle = free.filter(({ hasDue }) => !hasDue)
    const hasNews = await findNews(db, idle.map(placeOf))
    const withWork = free.filter((one) => one.hasDue || hasNews(placeOf(one)))
    const next = this.#inTurn(withWork).slice(0, MAX_RUNS_STARTED_PER_POLL)
    const waiting = next.length > 0 ? this.#beginThese(next) : []
    this.#makeRoom(waiting)
    const { webhookEndpoints } = app.db.metrics.instruments
    webhookEndpoints.set({ state: 'sending' }, this.#turns.size)
    webhookEndpoints.set({ state: 'waiting' }, withWork.length - next.length + waiting.length)
  }

  /** Those whose accounts have the fewest first. Servers that look at the same moment want others. */
  #inTurn(endpoints: readonly EndpointWithWork[]): EndpointWithWork[] {
    const counts = new Map<string, number>()
    for (const { userId } of this.#turns.values()) counts.set(userId, (counts.get(userId) ?? 0) + 1)
    return shuffled(endpoints)
      .map((endpoint) => {
        const before = counts.get(endpoint.userId) ?? 0
        counts.set(endpoint.userId, before + 1)
        return { endpoint, before }
      })
      .sort((a, b) => a.before - b.before)
      .map(({ endpoint }) => endpoint)
  }

  /** Whether another one like these may be begun. */
  #hasRoom({ userId, isFailing }: EndpointWithWork): {
    atAll: boolean
    ofAccount: boolean
    failing: boolean
  } {
    const turns = [...this.#turns.values()]
    return {
      atAll: turns.length < MAX_RUNS,
      ofAccount: turns.filter((turn) => turn.userId === userId).length < MAX_RUNS_PER_ACCOUNT,
      failing: !isFailing || turns.filter((turn) => turn.isFailing).length < MAX_FAILING_RUNS,
    }
  }

  /** Has those end that have had their turn, if they are in the way of these. */
  #makeRoom(waiting: readonly EndpointWithWork[]): void {
    let ending = this.#turns
      .values()
      .filter((turn) => turn.isEnding)
      .toArray().length
    const before = performance.now() - MIN_RUN_MS
    for (const one of waiting) {
      if (ending >= waiting.length) return
      const room = this.#hasRoom(one)
      const oldest = this.#turns
        .values()
        .find(
          ({ userId, isFailing, isEnding, begunAt }) =>
            !isEnding &&
            begunAt < before &&
            (room.ofAccount || userId === one.userId) &&
            (room.failing || isFailing),
        )
      if (!oldest) continue
      oldest.isEnding = true
      oldest.run.finish()
      ending++
    }
  }

  /** Returns those that must wait for others to end. */
  #beginThese(endpoints: readonly EndpointWithWork[]): EndpointWithWork[] {
    this.#sending ??= this.#prepare()
    const sending = this.#sending
    return endpoints.filter((one) => !this.#begin(one, sending))
  }

  #prepare(): Sending {
    const { app, present, delaysMs, onDisabled, allowPrivate, ports = [] } = this.#options
    const client = new WebhookClient({ allowPrivate, ports })
    const attempts = new AttemptLimit(() => manySubmissionsWait(app))
    return { app, present, delaysMs, onDisabled, sender: this.#sender, client, attempts }
  }

  /** False if it must wait for others to end. */
  #begin(endpoint: EndpointWithWork, sending: Sending): boolean {
    if (this.#stopping.signal.aborted) return true
    const { atAll, ofAccount, failing } = this.#hasRoom(endpoint)
    if (!atAll || !ofAccount || !failing) return false
    const { id, userId, isFailing } = endpoint
    const run = new EndpointRun(sending, id, userId)
    this.#taken.add(id)
    const ended = withRejectionHandler(
      run
        .run()
        .then(() => {
          this.#resting.delete(id)
        })
        .catch((error) => {
          this.#rest(id, error)
          this.#options.onError(error)
        })
        .finally(() => this.#turns.delete(id)),
    )
    this.#turns.set(id, { run, userId, isFailing, begunAt: performance.now(), isEnding: false, ended })
    return true
  }

  /** A database that is away comes back; what else is wrong may stay so, and is not to be logged each second. */
  #rest(id: string, error: unknown): void {
    const isAway = error instanceof ServiceError && error.code === 'UNAVAILABLE'
    const before = this.#resting.get(id)?.forMs ?? 0
    const forMs = isAway ? this.#restMs : Math.min(MAX_FAILURE_PAUSE_MS, Math.max(this.#restMs, before * 2))
    this.#resting.set(id, { untilMs: performance.now() + forMs, forMs })
  }
}

const pauseAfter = (tookMs: number) =>
  Math.min(MAX_POLL_PAUSE_MS, Math.max(ENDPOINT_POLL_INTERVAL_MS, tookMs * POLL_PAUSE_FACTOR))

const placeOf = ({ userId, types, toldUpTo }: EndpointWithWork) => ({
  userId,
  parts: partsOf(types && new Set(types)),
  after: toldUpTo,
})

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
}
