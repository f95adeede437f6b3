import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { ServiceError } from '../kernel/errors.ts'
import { withRejectionHandler } from '../kernel/promises.ts'
import type { Lifecycle } from '../kernel/start-stop.ts'
import { findNews } from '../notifications/feed-store.ts'
import { partsOf } from '../notifications/read-notifications.ts'
import { SERVICE_ACCOUNT } from '../platform/database/pool/pooled-connection.ts'
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
  /** Allows any address, for development. */
  allowPrivate: boolean
  /** Allowed ports below 1024, in addition to 80 and 443; by default none. */
  ports?: readonly number[]
  /** Milliseconds of the pause after a failure. Default: one second. */
  restMs?: number
  onError: (error: unknown) => void
}

/** An endpoint to which this server sends. */
interface ActiveRun {
  run: EndpointRun
  userId: string
  isFailing: boolean
  begunAt: number
  /** The run begins no further attempts, because other endpoints wait. */
  isEnding: boolean
  ended: Promise<void>
}

/** Sends webhooks. The servers share the endpoints; one server at a time sends to each. */
export class WebhookSender implements Lifecycle {
  readonly #options: WebhookOptions
  readonly #failurePauseMs: number
  readonly #sender = randomUUID()
  /** Null until the first endpoint has work. */
  #sending: Sending | null = null
  /** By endpoint id, in the order of their start. */
  readonly #runs = new Map<string, ActiveRun>()
  /** Ids of the endpoints that this server has leased. */
  readonly #leased = new Set<string>()
  readonly #paused = new Map<string, { untilMs: number; forMs: number }>()
  readonly #stopping = new AbortController()
  #polling: Promise<void> | null = null

  constructor(options: WebhookOptions) {
    this.#options = options
    this.#failurePauseMs = options.restMs ?? FAILURE_PAUSE_MS
  }

  async start(): Promise<void> {
    this.#polling = withRejectionHandler(this.#pollRepeatedly())
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#polling
    for (const { run } of this.#runs.values()) run.finish()
    const ended = withRejectionHandler(Promise.all([...this.#runs.values()].map((one) => one.ended)))
    await Promise.race([ended, pause(STOP_GRACE_MS, undefined, { ref: false })])
    await this.#sending?.client.stop()
    await ended
    const leased = [...this.#leased]
    this.#leased.clear()
    if (leased.length > 0) await releaseEndpoints(this.#options.app.db, this.#sender, leased)
  }

  async #pollRepeatedly(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const startedAt = performance.now()
      const succeeded = await this.#poll().then(
        () => true,
        (error) => this.#options.onError(error),
      )
      const tookMs = performance.now() - startedAt
      const pauseMs = succeeded ? pauseAfter(tookMs) : this.#failurePauseMs
      await pause(pauseMs, undefined, { signal }).catch(() => {})
    }
  }

  /** Starts runs for endpoints that have work and no lease. */
  async #poll(): Promise<void> {
    const { app } = this.#options
    const db = app.db.reads.for(SERVICE_ACCOUNT)
    const now = performance.now()
    const free = (await findFreeEndpoints(db, this.#sender)).filter(
      ({ id }) => !this.#runs.has(id) && (this.#paused.get(id)?.untilMs ?? 0) <= now,
    )
    const idle = free.filter(({ hasDue }) => !hasDue)
    const hasNews = await findNews(db, idle.map(positionOf))
    const withWork = free.filter((one) => one.hasDue || hasNews(positionOf(one)))
    const next = this.#fairOrder(withWork).slice(0, MAX_RUNS_STARTED_PER_POLL)
    const waiting = next.length > 0 ? this.#beginAll(next) : []
    this.#endRunsFor(waiting)
    const { webhookEndpoints } = app.db.metrics.instruments
    webhookEndpoints.set({ state: 'sending' }, this.#runs.size)
    webhookEndpoints.set({ state: 'waiting' }, withWork.length - next.length + waiting.length)
  }

  /**
   * Endpoints of accounts with the fewest runs first. Shuffled, so that servers that poll at the same time choose
   * different endpoints.
   */
  #fairOrder(endpoints: readonly EndpointWithWork[]): EndpointWithWork[] {
    const counts = new Map<string, number>()
    for (const { userId } of this.#runs.values()) counts.set(userId, (counts.get(userId) ?? 0) + 1)
    return shuffled(endpoints)
      .map((endpoint) => {
        const before = counts.get(endpoint.userId) ?? 0
        counts.set(endpoint.userId, before + 1)
        return { endpoint, before }
      })
      .sort((a, b) => a.before - b.before)
      .map(({ endpoint }) => endpoint)
  }

  /** Whether a run for this endpoint may start. */
  #hasRoom({ userId, isFailing }: EndpointWithWork): {
    atAll: boolean
    ofAccount: boolean
    failing: boolean
  } {
    const runs = [...this.#runs.values()]
    return {
      atAll: runs.length < MAX_RUNS,
      ofAccount: runs.filter((active) => active.userId === userId).length < MAX_RUNS_PER_ACCOUNT,
      failing: !isFailing || runs.filter((active) => active.isFailing).length < MAX_FAILING_RUNS,
    }
  }

  /** Finishes the oldest runs that block the waiting endpoints and have lasted at least `MIN_RUN_MS`. */
  #endRunsFor(waiting: readonly EndpointWithWork[]): void {
    let ending = this.#runs
      .values()
      .filter((active) => active.isEnding)
      .toArray().length
    const before = performance.now() - MIN_RUN_MS
    for (const one of waiting) {
      if (ending >= waiting.length) return
      const room = this.#hasRoom(one)
      const oldest = this.#runs
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

  /** Returns the endpoints that must wait for other runs to end. */
  #beginAll(endpoints: readonly EndpointWithWork[]): EndpointWithWork[] {
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

  /** Returns false if the endpoint must wait for other runs to end. */
  #begin(endpoint: EndpointWithWork, sending: Sending): boolean {
    if (this.#stopping.signal.aborted) return true
    const { atAll, ofAccount, failing } = this.#hasRoom(endpoint)
    if (!atAll || !ofAccount || !failing) return false
    const { id, userId, isFailing } = endpoint
    const run = new EndpointRun(sending, id, userId)
    this.#leased.add(id)
    const ended = withRejectionHandler(
      run
        .run()
        .then(() => {
          this.#paused.delete(id)
        })
        .catch((error) => {
          this.#pauseAfterError(id, error)
          this.#options.onError(error)
        })
        .finally(() => this.#runs.delete(id)),
    )
    this.#runs.set(id, { run, userId, isFailing, begunAt: performance.now(), isEnding: false, ended })
    return true
  }

  /** A failure of the database is temporary. Any other error may be permanent, so its pause doubles and the log stays short. */
  #pauseAfterError(id: string, error: unknown): void {
    const isAway = error instanceof ServiceError && error.code === 'UNAVAILABLE'
    const before = this.#paused.get(id)?.forMs ?? 0
    const forMs = isAway
      ? this.#failurePauseMs
      : Math.min(MAX_FAILURE_PAUSE_MS, Math.max(this.#failurePauseMs, before * 2))
    this.#paused.set(id, { untilMs: performance.now() + forMs, forMs })
  }
}

const pauseAfter = (tookMs: number) =>
  Math.min(MAX_POLL_PAUSE_MS, Math.max(ENDPOINT_POLL_INTERVAL_MS, tookMs * POLL_PAUSE_FACTOR))

const positionOf = ({ userId, types, processedUpTo }: EndpointWithWork) => ({
  userId,
  parts: partsOf(types && new Set(types)),
  after: processedUpTo,
})

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
}
