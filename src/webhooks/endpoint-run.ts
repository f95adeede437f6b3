import { setTimeout as pause } from 'node:timers/promises'
import type { App } from '../app.ts'
import type { WebhookEndpoint } from '../core/webhooks.ts'
import { withRejectionHandler } from '../kernel/promises.ts'
import type { Permit } from '../platform/concurrency/fair-semaphore.ts'
import type { Span, Tracing } from '../platform/observability/tracing.ts'
import type { AttemptLimit } from './attempt-limit.ts'
import { type Answered, EndpointPace, recordAnswers } from './attempt-results.ts'
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
import {
  type DueDelivery,
  disableEndpoint,
  readDueDeliveries,
  type TakenEndpoint,
  takeEndpoint,
} from './sending-store.ts'
import { deliveryHeaders } from './sign-delivery.ts'
import { type PresentNotification, tellEndpoint } from './tell-endpoint.ts'
import type { SentAnswer, WebhookClient } from './webhook-client.ts'

const isLow = (queue: readonly DueDelivery[]) =>
  queue.length < MIN_QUEUED_DELIVERIES &&
  queue.reduce((sum, { body }) => sum + body.length, 0) < MAX_QUEUED_CHARACTERS

export interface Sending {
  app: App
  /** This server's. */
  sender: string
  client: WebhookClient
  attempts: AttemptLimit
  present: PresentNotification
  /** Milliseconds before the second attempt, the third, and so on. */
  delaysMs: readonly number[]
  onDisabled: (endpoint: WebhookEndpoint, reason: 'failing' | 'gone') => void
}

/** Sends what is due to one endpoint, until there is nothing more or this server must let it be. */
export class EndpointRun {
  readonly #sending: Sending
  readonly #id: string
  readonly #userId: string
  #taken: TakenEndpoint | null = null
  #secrets: string[] = []
  #takenAt = 0
  #queue: DueDelivery[] = []
  readonly #onTheirWay = new Map<number, { due: DueDelivery; sent: Promise<void> }>()
  #answered: Answered[] = []
  readonly #pace = new EndpointPace()
  /** Nothing more is begun. */
  #isOver = false
  #mayLookAt = 0
  /** There may be more to tell, whether it is for this endpoint or not. */
  #hasMore = false
  #changed = Promise.withResolvers<void>()
  #isAcquiring = false
  readonly #ended = new AbortController()

  constructor(sending: Sending, id: string, userId: string) {
    this.#sending = sending
    this.#id = id
    this.#userId = userId
  }

  /** Begins nothing more. */
  finish(): void {
    this.#isOver = true
    this.#changed.resolve()
  }

  /** Rejects if the database fails. What was on its way has ended then, and is written down unless it fails for long. */
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
        if (!waits && this.#onTheirWay.size === 0 && this.#answered.length === 0) break
        await this.#change()
        const recorded = await this.#record()
        if (recorded.length > 0) await this.#noteHealth(recorded).catch(endWith)
      }
    } finally {
      this.#isOver = true
      this.#ended.abort()
      while (this.#onTheirWay.size > 0) {
        this.#answered = []
        await this.#change()
      }
    }
    if (failure !== null) throw failure
  }

  async #prepare(): Promise<void> {
    await letSubmissionsPass(this.#sending.app)
    if (!this.#isOver) await this.#take()
    if (!this.#isOver) await this.#fill()
  }

  /** Until an answer has come, or it is time to look again. */
  async #change(): Promise<void> {
    if (this.#answered.length > 0) return
    const timer = setTimeout(() => this.#changed.resolve(), DELIVERY_POLL_INTERVAL_MS)
    await this.#changed.promise
    clearTimeout(timer)
    this.#changed = Promise.withResolvers()
  }

  async #take(): Promise<void> {
    const now = performance.now()
    if (this.#taken !== null && now - this.#takenAt < LEASE_RENEWAL_INTERVAL_MS) return
    const { app, sender } = this.#sending
    const isFirst = this.#taken === null
    const taken = await takeEndpoint(app.db.writes.for(this.#userId), sender, this.#id, LEASE_MS)
    if (taken === null) return this.finish()
    this.#taken = taken
    this.#takenAt = now
    this.#secrets = this.#taken.secrets.map((secret) => app.webhookSecrets.decrypt(secret, this.#id))
    if (isFirst) this.#pace.begin(taken.endpoint.failingSince !== null)
  }

  /** Deliveries that are there come first: of an endpoint that takes none, no more are made. */
  async #fill(): Promise<void> {
    if (!isLow(this.#queue) || performance.now() < this.#mayLookAt) return
    // Where nothing came, nothing could be begun either.
    if (this.#mayLookAt > 0 && this.#onTheirWay.size >= this.#pace.width) return
    this.#mayLookAt = 0
    if (await this.#readDue()) return
    const { app, present } = this.#sending
    const taken = this.#taken as TakenEndpoint
    const { lastNumber } = taken.place
    do {
      const told = await tellEndpoint(app, taken, present)
      if (told === null) {
        // Somebody else has added some, a test say: they are due.
        this.#takenAt = Number.NEGATIVE_INFINITY
        return
      }
      taken.place = told.place
      this.#hasMore = told.hasMore
      // What is for others is passed over without a pause, while nothing else is to be done.
    } while (this.#hasMore && taken.place.lastNumber === lastNumber && !this.#hasOtherWork())
    if (taken.place.lastNumber !== lastNumber) await this.#readDue()
    else if (!this.#hasMore) this.#mayLookAt = performance.now() + DELIVERY_POLL_INTERVAL_MS
  }

  #hasOtherWork(): boolean {
    const mustTake = performance.now() - this.#takenAt >= LEASE_RENEWAL_INTERVAL_MS
    return this.#isOver || mustTake || this.#answered.length > 0
  }

  /** Whether there were any. */
  async #readDue(): Promise<boolean> {
    const known = [...this.#queue, ...[...this.#onTheirWay.values(), ...this.#answered].map(({ due }) => due)]
    const due = await readDueDeliveries(
      this.#sending.app.db.reads.for(this.#userId),
      this.#id,
      known.map(({ number }) => number),
    )
    this.#queue = [...this.#queue, ...due].sort((a, b) => a.number - b.number)
    return due.length > 0
  }

  /** Sends as many deliveries as may be in flight, those of a claim one after the other. */
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

  /** Much may have changed while the permit was awaited. */
  #beginNext(permit: Permit): void {
    const index = this.#nextIndex()
    if (index === -1) {
      permit.release()
      return
    }
    const [due] = this.#queue.splice(index, 1) as [DueDelivery]
    this.#onTheirWay.set(due.number, { due, sent: withRejectionHandler(this.#send(due, permit)) })
    this.#begin()
  }

  /** The place in the queue of the delivery to send now; -1 if there is none. */
  #nextIndex(): number {
    const isFull = this.#answered.length >= MAX_CONCURRENCY || this.#onTheirWay.size >= this.#pace.width
    if (this.#isOver || isFull || performance.now() - this.#takenAt > LEASE_START_MARGIN_MS) return -1
    const busy = new Set(this.#onTheirWay.values().map(({ due }) => due.subjectId))
    return this.#queue.findIndex(({ subjectId }) => !busy.has(subjectId))
  }

  async #send(due: DueDelivery, permit: Permit): Promise<void> {
    const { app, client } = this.#sending
    const { url } = (this.#taken as TakenEndpoint).endpoint
    const startedAt = performance.now()
    const span = traceAttempt(app.tracing, due, this.#id, url)
    const headers = deliveryHeaders({ id: due.notificationId, ...due }, this.#secrets, new Date())
    const answer = await client.send(
      url,
      span ? { ...headers, traceparent: span.traceparent } : headers,
      due.body,
    )
    if (span) endAttempt(span, answer)
    this.#onTheirWay.delete(due.number)
    // Broken off by the stop: it is made again.
    if (answer !== null) {
      this.#measure(answer)
      this.#note({ due, url, startedAt, answer })
    }
    permit.release()
    this.#begin()
    this.#changed.resolve()
  }

  #measure({ status, error, durationMs }: SentAnswer): void {
    const { webhookAttempts, webhookAttemptSeconds } = this.#sending.app.db.metrics.instruments
    const failure = status === null ? 'unanswered' : 'refused'
    webhookAttempts.inc({ result: error === null ? 'succeeded' : failure })
    webhookAttemptSeconds.observe(durationMs / 1_000)
  }

  #note(answered: Answered): void {
    this.#answered = [...this.#answered, answered]
    this.#pace.note(answered.answer)
    if (!this.#pace.mayGoOn) this.#isOver = true
  }

  async #record(): Promise<Answered[]> {
    const answered = this.#answered
    if (answered.length === 0) return []
    const { app, delaysMs } = this.#sending
    await recordAnswers(app.db.writes.for(this.#userId), this.#id, answered, delaysMs)
    this.#answered = this.#answered.slice(answered.length)
    return answered
  }

  async #noteHealth(answered: readonly Answered[]): Promise<void> {
    const { app, onDisabled } = this.#sending
    const db = app.db.writes.for(this.#userId)
    const verdict = await this.#pace.record(db, this.#id, answered)
    if (verdict === null) return
    this.#isOver = true
    const { endpoint } = this.#taken as TakenEndpoint
    const isNew = await disableEndpoint(db, { ...endpoint, url: verdict.url }, verdict.reason)
    if (isNew) onDisabled(endpoint, verdict.reason)
  }
}

/** At the beginning of a notification's JSON. */
const TYPE = /"type":"(?:claim|candidate)\.(\w+)"/

/** An attempt belongs to the trace of the request that it tells of, if this server had that. Null if it is not traced. */
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
  return tracing.attempt('POST webhook', attributes, { claimId: subjectId, status: () => statusIn(body) })
}

/** @param answer null if it was broken off by a stop */
function endAttempt(span: Span, answer: SentAnswer | null): void {
  const { status, error } = answer ?? { status: null, error: 'broken off' }
  const attributes = status === null ? {} : { 'http.response.status_code': status }
  span.end(attributes, error === null ? null : `${status ?? 'unanswered'}`)
}

/** Into which the claim came, if that is what it tells. */
function statusIn(body: string): string | null {
  const change = TYPE.exec(body.slice(0, TYPE_SEARCH_LENGTH))?.[1]
  if (change === undefined) return null
  return change === 'created' ? 'OPEN' : change.toUpperCase()
}

export const manySubmissionsWait = ({ submissions }: App): boolean =>
  submissions.waiting >= MANY_WAITING_SUBMISSIONS

async function letSubmissionsPass(app: App): Promise<void> {
  const deadline = performance.now() + MAX_YIELD_MS
  while (manySubmissionsWait(app) && performance.now() < deadline) await pause(1)
}
