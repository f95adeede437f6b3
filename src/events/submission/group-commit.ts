import { CalendarTimes } from '../../calendars/calendar-times.ts'
import { ServiceError, unavailable } from '../../kernel/errors.ts'
import type { Lifecycle } from '../../kernel/start-stop.ts'
import type { AdaptiveThrottle } from '../../platform/concurrency/adaptive-throttle.ts'
import { Batcher, type BatcherFailure } from '../../platform/concurrency/batcher.ts'
import { Linger } from '../../platform/concurrency/linger.ts'
import type { Database } from '../../platform/database/database.ts'
import { MAX_SUBMISSION_GROUPS_PER_NODE } from '../../platform/database/limits.ts'
import { DATABASE_BATCH_ERRORS } from '../../platform/database/statement-batcher.ts'
import type { Tracing } from '../../platform/observability/tracing.ts'
import type { LockedClocks } from '../../test-clocks/locked-clocks.ts'
import {
  GROUP_STALL_AFTER_MS,
  MAX_BATCH_PAYLOAD_BYTES,
  MAX_BATCH_SUBMISSIONS,
  MAX_PENDING_PAYLOAD_BYTES,
  MAX_PENDING_SUBMISSIONS,
  SUBMISSION_RETRY_TIMEOUT_MS,
  SUBMISSION_TIMEOUT_MS,
} from '../limits.ts'
import { SubmissionMetrics, SubmissionTraces } from '../submission-metrics.ts'
import { ClaimCache, LongLogLoader } from './claim-cache.ts'
import { commitBatch } from './decide-batch.ts'
import {
  type EventRequest,
  type OnAnswer,
  PendingSubmission,
  type SubmittedEvent,
} from './pending-submission.ts'

/*
 * Group commit of event submissions, on a Batcher.
 *
 * Why: a commit costs a flush of the disk and a round trip to the database, for one event or for five hundred.
 * Path of a submission: queued by account and claim (`Batcher`); decided in a batch, by the claim cache or by what is read, and
 * written with one statement (`decide-batch.ts`); answered, or run again before the later submissions to its claim.
 * Invariants:
 * - The submissions of an account to a claim are decided in the order of arrival, each on its own.
 * - If a connection breaks during a write, the submission runs again, and the event id shows whether the write took effect.
 *   The lost write cannot take effect later, because the version of the claim guards both.
 * - A batch has claims of one Citus node. A node that does not answer delays no claim of another.
 * - Each submission is answered within SUBMISSION_TIMEOUT_MS.
 * Limits: `events/limits.ts`.
 */
export class GroupCommit implements Lifecycle {
  readonly #db: Database
  readonly #throttle: AdaptiveThrottle
  readonly #batcher: Batcher<PendingSubmission, SubmittedEvent>
  readonly #metrics: SubmissionMetrics
  readonly #traces: SubmissionTraces | null

  /**
   * @param throttle records the latency of submissions
   * @param tracing null if there are no traces
   */
  constructor(
    db: Database,
    lockedClocks: LockedClocks,
    throttle: AdaptiveThrottle,
    tracing: Tracing | null = null,
    calendarTimes = new CalendarTimes(),
  ) {
    const { distribution } = db
    this.#db = db
    this.#throttle = throttle
    this.#metrics = new SubmissionMetrics(db.metrics, () => this.waiting)
    this.#traces = tracing && new SubmissionTraces(tracing)
    const cache = new ClaimCache()
    const longLogs = new LongLogLoader(db, cache)
    const context = {
      db,
      cache,
      longLogs,
      lockedClocks,
      calendarTimes,
      metrics: this.#metrics,
      traces: this.#traces,
    }
    this.#batcher = new Batcher({
      run: (submissions, node) => commitBatch(context, submissions, node),
      maxPending: MAX_PENDING_SUBMISSIONS,
      maxPendingWeight: MAX_PENDING_PAYLOAD_BYTES,
      maxItems: MAX_BATCH_SUBMISSIONS,
      maxWeight: MAX_BATCH_PAYLOAD_BYTES,
      weightOf: ({ request }) => request.submission.payloadBytes,
      maxInFlight: MAX_SUBMISSION_GROUPS_PER_NODE,
      stallAfterMs: distribution.isOn ? GROUP_STALL_AFTER_MS.distributed : GROUP_STALL_AFTER_MS.onePostgres,
      partitionOf: ({ claimId }) => distribution.nodeOf(claimId),
      orderKeyOf: ({ claimId }) => claimId,
      isDegraded: (node) => distribution.isDown(node),
      queueTimeoutMs: SUBMISSION_TIMEOUT_MS,
      retryTimeoutMs: SUBMISSION_RETRY_TIMEOUT_MS,
      runTimeoutMs: SUBMISSION_TIMEOUT_MS,
      createError: (reason, submission, node) => this.#createError(reason, submission, node),
      ...DATABASE_BATCH_ERRORS,
      ...(distribution.isOn && { newLinger: () => new Linger() }),
    })
  }

  /** Refuses further submissions. Resolves when all others are answered. */
  stop(): Promise<void> {
    return this.#batcher.stop()
  }

  /** Submissions that are queued or in flight, without those that wait before a retry. */
  get waiting(): number {
    return this.#batcher.active
  }

  get isIdle(): boolean {
    return this.#batcher.isIdle
  }

  /**
   * Records an event and decides the claim by it, in one atomic operation (§4.3, §3).
   * @throws CLAIM_NOT_FOUND, CANDIDATE_NOT_FOUND, CLAIM_ARCHIVED, CLAIM_NOT_OPEN, EVENT_ID_CONFLICT, EVENT_LIMIT_REACHED,
   * UNAVAILABLE (the message says if the outcome is not known; at once if too many submissions of the account are pending)
   */
  submit(request: EventRequest): Promise<SubmittedEvent> {
    return new Promise((resolve, reject) =>
      this.enqueue(request, (answer) => (answer instanceof Error ? reject(answer) : resolve(answer))),
    )
  }

  /** As `submit`, with one callback for many submissions: a promise takes as much memory as a submission. */
  enqueue(request: EventRequest, onAnswer: OnAnswer, index = 0): void {
    const submission = new PendingSubmission(request, onAnswer, index)
    const refusal = this.#batcher.enqueue(request.userId, submission, this.#onDone)
    if (refusal) this.#metrics.end(submission.answer(refusal), submission)
  }

  readonly #onDone = (result: SubmittedEvent | Error, submission: PendingSubmission): void => {
    const answer = submission.answer(result)
    this.#metrics.end(answer, submission)
    if (isAboutWrite(answer)) this.#throttle.record(performance.now() - submission.since)
    this.#traces?.end(answer, submission)
  }

  #createError(reason: BatcherFailure, submission: PendingSubmission, node: number): Error {
    switch (reason) {
      case 'stopping':
        return unavailable('The server is stopping.')
      case 'queue full':
        return unavailable('Too many events are waiting to be recorded. This one was not.')
      case 'queue timeout':
        return submission.timeoutError
      case 'run timeout':
        this.#db.markDown(node)
        return submission.outcomeUnknown()
    }
  }
}

/** An event was recorded, or could not be recorded in time. Other answers take other times: replays and refusals write nothing. */
const isAboutWrite = (answer: SubmittedEvent | Error): boolean =>
  answer instanceof Error ? answer instanceof ServiceError && answer.code === 'UNAVAILABLE' : !answer.replayed
