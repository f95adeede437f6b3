import { setTimeout as pause } from 'node:timers/promises'
import type { App } from '../app.ts'
import type { WebhookEndpoint } from '../core/webhooks.ts'
import { withRejectionHandler } from '../kernel/promises.ts'
import type { Permit } from '../platform/concurrency/fair-semaphore.ts'
import type { Span, Tracing } from '../platform/observability/tracing.ts'
import type { AttemptLimit } from './attempt-limit.ts'
import { EndpointThrottle, type FinishedAttempt, recordResults } from './attempt-results.ts'
import {
  DELIVERY_POLL_INTERVAL_MS,
  LEASE_MS,
  LEASE_RENEWAL_INTERVAL_MS,
  LEASE_START_MARGIN_MS,
  MANY_WAITING_SUBMISSIONS,
  MAX_CONCURRENCY,
  MAX_QUEUED_CHARACTERS,
  MAX_YIELD_MS,
  MIN_QUEUED_DELIVERIES,
  TYPE_SEARCH_LENGTH,
} from './limits.ts'
import { makeDeliveries, type PresentNotification } from './make-deliveries.ts'
import {
  type DueDelivery,
  disableEndpoint,
  type LeasedEndpoint,
  leaseEndpoint,
  readDueDeliveries,
} from './sending-store.ts'
import { deliveryHeaders } from './sign-delivery.ts'
import type { AttemptResult, WebhookClient } from './webhook-client.ts'

const isLow = (queue: readonly DueDelivery[]) =>
  queue.length < MIN_QUEUED_DELIVERIES &&
  queue.reduce((sum, { body }) => sum + body.length, 0) < MAX_QUEUED_CHARACTERS

export interface Sending {
  app: App
  /** Id of this server. */
  sender: string
  client: WebhookClient
  attempts: AttemptLimit
  present: PresentNotification
  /** Milliseconds before the second attempt, the third, and so on. */
  delaysMs: readonly number[]
  onDisabled: (endpoint: WebhookEndpoint, reason: 'failing' | 'gone') => void
}

/** Sends the due deliveries of one endpoint until none is left, the lease is lost, or the run is finished. */
export class EndpointRun {
  readonly #sending: Sending
  readonly #id: string
  readonly #userId: string
  #leased: LeasedEndpoint | null = null
  #secrets: string[] = []
  #leasedAt = 0
  #queue: DueDelivery[] = []
  readonly #inFlight = new Map<number, { due: DueDelivery; sent: Promise<void> }>()
  #finished: FinishedAttempt[] = []
  readonly #throttle = new EndpointThrottle()
  /** No further attempt begins. */
  #isOver = false
  #nextReadAt = 0
  /** The feed may have more notifications, for this endpoint or for others. */
  #hasMore = false
  #changed = Promise.withResolvers<void>()
  #isAcquiring = false
  readonly #ended = new AbortController()

  constructor(sending: Sending, id: string, userId: string) {
    this.#sending = sending
    this.#id = id
    this.#userId = userId
  }

  /** Begins no further attempt. */
  finish(): void {
    this.#isOver = true
    this.#changed.resolve()
  }

  /**
   * Rejects if the database fails. By then the attempts in flight have ended and are recorded, unless the database
   * fails for long.
   */
  async run(): Promise<void> {
    let failure: unknown = null
    const endWith = (error: unknown) => {
      failure ??= error
      this.#isOver = true
    }
    try {
      for (;;) {
        await this.#prepare().catch(endWith)
        this.#begin()
        const waits = (this.#queue.length > 0 || this.#hasMore) && !this.#isOver
        if (!waits && this.#inFlight.size === 0 && this.#finished.length === 0) break
        await this.#waitForChange()
        const recorded = await this.#record()
        if (recorded.length > 0) await this.#noteHealth(recorded).catch(endWith)
      }
    } finally {
      this.#isOver = true
      this.#ended.abort()
      while (this.#inFlight.size > 0) {
        this.#finished = []
        await this.#waitForChange()
      }
    }
    if (failure !== null) throw failure
  }

  async #prepare(): Promise<void> {
    await yieldToSubmissions(this.#sending.app)
    if (!this.#isOver) await this.#renewLease()
    if (!this.#isOver) await this.#fillQueue()
  }

  /** Waits for a response or for the time of the next poll. */
  async #waitForChange(): Promise<void> {
    if (this.#finished.length > 0) return
    const timer = setTimeout(() => this.#changed.resolve(), DELIVERY_POLL_INTERVAL_MS)
    await this.#changed.promise
    clearTimeout(timer)
    this.#changed = Promise.withResolvers()
  }

  async #renewLease(): Promise<void> {
    const now = performance.now()
    if (this.#leased !== null && now - this.#leasedAt < LEASE_RENEWAL_INTERVAL_MS) return
    const { app, sender } = this.#sending
    const isFirst = this.#leased === null
    const leased = await leaseEndpoint(app.db.writes.for(this.#userId), sender, this.#id, LEASE_MS)
    if (leased === null) return this.finish()
    this.#leased = leased
    this.#leasedAt = now
    this.#secrets = this.#leased.secrets.map((secret) => app.webhookSecrets.decrypt(secret, this.#id))
    if (isFirst) this.#throttle.begin(leased.endpoint.failingSince !== null)
  }

  /** Existing deliveries come first, so the queue of an endpoint that accepts nothing does not grow. */
  async #fillQueue(): Promise<void> {
    if (!isLow(this.#queue) || performance.now() < this.#nextReadAt) return
    // After an empty read, a read is useful only if another attempt could begin.
    if (this.#nextReadAt > 0 && this.#inFlight.size >= this.#throttle.concurrency) return
    this.#nextReadAt = 0
    if (await this.#readDue()) return
    const { app, present } = this.#sending
    const leased = this.#leased as LeasedEndpoint
    const { lastNumber } = leased.cursor
    do {
      const made = await makeDeliveries(app, leased, present)
      if (made === null) {
        // Another writer has appended deliveries, for example a test delivery. They are due.
        this.#leasedAt = Number.NEGATIVE_INFINITY
        return
      }
      leased.cursor = made.cursor
      this.#hasMore = made.hasMore
      // Notifications for others are skipped without a pause while no other work waits.
    } while (this.#hasMore && leased.cursor.lastNumber === lastNumber && !this.#hasOtherWork())
    if (leased.cursor.lastNumber !== lastNumber) await this.#readDue()
    else if (!this.#hasMore) this.#nextReadAt = performance.now() + DELIVERY_POLL_INTERVAL_MS
  }

  #hasOtherWork(): boolean {
    const mustRenew = performance.now() - this.#leasedAt >= LEASE_RENEWAL_INTERVAL_MS
    return this.#isOver || mustRenew || this.#finished.length > 0
  }

  /** Returns whether any delivery was due. */
  async #readDue(): Promise<boolean> {
    const known = [...this.#queue, ...[...this.#inFlight.values(), ...this.#finished].map(({ due }) => due)]
    const due = await readDueDeliveries(
      this.#sending.app.db.reads.for(this.#userId),
      this.#id,
      known.map(({ number }) => number),
    )
    this.#queue = [...this.#queue, ...due].sort((a, b) => a.number - b.number)
    return due.length > 0
  }

  /** Begins as many attempts as allowed. The deliveries of a claim are sent one after the other. */
  #begin(): void {
    if (this.#isAcquiring || this.#nextIndex() === -1) return
    this.#isAcquiring = true
    const acquired = this.#sending.attempts.acquire(this.#userId, this.#ended.signal).then(
      (permit) => {
        this.#isAcquiring = false
        this.#beginNext(permit)
      },
      () => {},
    )
    void withRejectionHandler(acquired)
  }

  /** The queue may have changed while the permit was awaited. */
  #beginNext(permit: Permit): void {
    const index = this.#nextIndex()
    if (index === -1) {
      permit.release()
      return
    }
    const [due] = this.#queue.splice(index, 1) as [DueDelivery]
    this.#inFlight.set(due.number, { due, sent: withRejectionHandler(this.#send(due, permit)) })
    this.#begin()
  }

  /** Index in the queue of the delivery to send now. -1 if there is none. */
  #nextIndex(): number {
    const isFull =
      this.#finished.length >= MAX_CONCURRENCY || this.#inFlight.size >= this.#throttle.concurrency
    if (this.#isOver || isFull || performance.now() - this.#leasedAt > LEASE_START_MARGIN_MS) return -1
    const busy = new Set(this.#inFlight.values().map(({ due }) => due.subjectId))
    return this.#queue.findIndex(({ subjectId }) => !busy.has(subjectId))
  }

  async #send(due: DueDelivery, permit: Permit): Promise<void> {
    const { app, client } = this.#sending
    const { url } = (this.#leased as LeasedEndpoint).endpoint
    const startedAt = performance.now()
    const span = traceAttempt(app.tracing, due, this.#id, url)
    const headers = deliveryHeaders({ id: due.notificationId, ...due }, this.#secrets, new Date())
    const result = await client.send(
      url,
      span ? { ...headers, traceparent: span.traceparent } : headers,
      due.body,
    )
    if (span) endAttempt(span, result)
    this.#inFlight.delete(due.number)
    // Aborted by the stop. The attempt is made again.
    if (result !== null) {
      this.#measure(result)
      this.#note({ due, url, startedAt, result })
    }
    permit.release()
    this.#begin()
    this.#changed.resolve()
  }

  #measure({ status, error, durationMs }: AttemptResult): void {
    const { webhookAttempts, webhookAttemptSeconds } = this.#sending.app.db.metrics.instruments
    const failure = status === null ? 'unanswered' : 'refused'
    webhookAttempts.inc({ result: error === null ? 'succeeded' : failure })
    webhookAttemptSeconds.observe(durationMs / 1_000)
  }

  #note(finished: FinishedAttempt): void {
    this.#finished = [...this.#finished, finished]
    this.#throttle.note(finished.result)
    if (!this.#throttle.canContinue) this.#isOver = true
  }

  async #record(): Promise<FinishedAttempt[]> {
    const finished = this.#finished
    if (finished.length === 0) return []
    const { app, delaysMs } = this.#sending
    await recordResults(app.db.writes.for(this.#userId), this.#id, finished, delaysMs)
    this.#finished = this.#finished.slice(finished.length)
    return finished
  }

  async #noteHealth(finished: readonly FinishedAttempt[]): Promise<void> {
    const { app, onDisabled } = this.#sending
    const db = app.db.writes.for(this.#userId)
    const verdict = await this.#throttle.record(db, this.#id, finished)
    if (verdict === null) return
    this.#isOver = true
    const { endpoint } = this.#leased as LeasedEndpoint
    const isNew = await disableEndpoint(db, { ...endpoint, url: verdict.url }, verdict.reason)
    if (isNew) onDisabled(endpoint, verdict.reason)
  }
}

/** Matches near the start of a notification's JSON. */
const TYPE = /"type":"(?:claim|candidate)\.(\w+)"/

/**
 * The attempt joins the trace of the request that caused the notification, if this server traced that request. Null
 * without tracing.
 */
function traceAttempt(
  tracing: Tracing | null,
  { subjectId, notificationId, attempts, body }: DueDelivery,
  endpointId: string,
  url: string,
): Span | null {
  if (tracing === null) return null
  // The path of a URL may be a secret of the receiver. The host is not.
  const attributes = {
    'http.request.method': 'POST',
    'server.address': new URL(url).hostname,
    'http.request.resend_count': attempts,
    'claimkeeper.webhook_endpoint.id': endpointId,
    'claimkeeper.notification.id': notificationId,
    'claimkeeper.subject.id': subjectId,
  }
  return tracing.startAttemptSpan('POST webhook', attributes, {
    claimId: subjectId,
    status: () => statusIn(body),
  })
}

/** @param result null if a stop aborted the attempt */
function endAttempt(span: Span, result: AttemptResult | null): void {
  const { status, error } = result ?? { status: null, error: 'broken off' }
  const attributes = status === null ? {} : { 'http.response.status_code': status }
  span.end(attributes, error === null ? null : `${status ?? 'unanswered'}`)
}

/** The claim's new status. Null if the notification is not about a status. */
function statusIn(body: string): string | null {
  const change = TYPE.exec(body.slice(0, TYPE_SEARCH_LENGTH))?.[1]
  if (change === undefined) return null
  return change === 'created' ? 'OPEN' : change.toUpperCase()
}

export const manySubmissionsWait = ({ submissions }: App): boolean =>
  submissions.waiting >= MANY_WAITING_SUBMISSIONS

async function yieldToSubmissions(app: App): Promise<void> {
  const deadline = performance.now() + MAX_YIELD_MS
  while (manySubmissionsWait(app) && performance.now() < deadline) await pause(1)
}
