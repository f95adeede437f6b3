import { claimIdOf } from '../../claims/claim-ids.ts'
import { ServiceError, unavailable } from '../../kernel/errors.ts'
import { withRejectionHandler } from '../../kernel/promises.ts'
import type { Lifecycle } from '../../kernel/start-stop.ts'
import type { AdaptiveThrottle } from '../../platform/concurrency/adaptive-throttle.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Tracing } from '../../platform/observability/tracing.ts'
import type { HeldClocks } from '../../test-clocks/held-clocks.ts'
import { SubmissionMeasures, SubmissionTraces } from '../submission-measures.ts'
import { ClaimCopies } from './claim-copies.ts'
import { type Lane, Lanes } from './lanes.ts'
import { LongLogs } from './long-logs.ts'
import {
  type EventRequest,
  notKnown,
  type OnAnswer,
  outOfPatience,
  PendingSubmission,
  type SubmittedEvent,
} from './pending-submission.ts'
import { sendGroup } from './send-group.ts'
import { type Line, SubmissionLines, type Taken } from './submission-lines.ts'
import { isRetry, OVERTAKEN, type Retry } from './submission-retry.ts'

/** For how long a submission is tried again before the caller is told to. */
const PATIENCE_MS = 5_000
/** Within this time each is answered, also if a statement of it never is. */
const LONGEST_MS = 10_000
const LOOK_EVERY_MS = 500
/** Before another try if the connection was lost; doubled each time. */
const FIRST_PAUSE_MS = 25
const LONGEST_PAUSE_MS = 1_000

/**
 * Group commit. A commit costs a flush of the disk and a way to the database and back, whether it is one event's or five
 * hundred's: so submissions that arrive while others are on their way go together in the next group, with one statement.
 * If nothing is on its way, a submission goes at once, and waits for nobody.
 *
 * The way of one: into the line of its claim (`submission-lines.ts`), from there with a group (`lanes.ts`, `send-group.ts`),
 * which is decided by copies or by what is read, and written (`record-group.ts`); back with its result, it is answered or goes
 * again. Each event is decided alone, in the order in which those to its claim came.
 */
export class SubmissionQueue implements Lifecycle {
  readonly #db: Database
  readonly #heldClocks: HeldClocks
  readonly #throttle: AdaptiveThrottle
  readonly #copies = new ClaimCopies()
  readonly #longLogs: LongLogs
  readonly #lines: SubmissionLines
  readonly #lanes: Lanes
  readonly #measures: SubmissionMeasures
  readonly #traces: SubmissionTraces | null
  #isScheduled = false
  #holding: NodeJS.Timeout | null = null
  #watching: NodeJS.Timeout | null = null
  /** Resolves when everyone is answered; null as long as it takes more. */
  #ending: PromiseWithResolvers<void> | null = null

  /**
   * @param throttle records the latency of submissions
   * @param tracing null if there are no traces
   */
  constructor(
    db: Database,
    heldClocks: HeldClocks,
    throttle: AdaptiveThrottle,
    tracing: Tracing | null = null,
  ) {
    this.#db = db
    this.#heldClocks = heldClocks
    this.#throttle = throttle
    this.#lines = new SubmissionLines(db.distribution)
    this.#lanes = new Lanes(this.#lines)
    this.#longLogs = new LongLogs(db, this.#copies)
    this.#measures = new SubmissionMeasures(db.metrics, () => this.waiting)
    this.#traces = tracing && new SubmissionTraces(tracing)
  }

  /** Takes no more, and answers all that it has: within ten seconds, as ever. */
  stop(): Promise<void> {
    this.#ending ??= Promise.withResolvers()
    this.#endIfDone()
    return this.#ending.promise
  }

  #endIfDone(): void {
    if (!this.#ending || this.#lines.waiting > 0) return
    if (this.#watching) clearTimeout(this.#watching)
    this.#watching = null
    this.#ending.resolve()
  }

  /** Submissions that wait for nothing but their turn, or are on their way. */
  get waiting(): number {
    return this.#lines.waiting - this.#lines.parked
  }

  /** Whether nothing is on its way, and nothing waits for that. */
  get isIdle(): boolean {
    return this.#lanes.isEmpty && this.waiting === 0
  }

  /**
   * Records an event and decides the claim by it, in one atomic operation (§4.3, §3). If the connection
   * breaks while the write is on its way, nobody knows whether it took effect: it is tried again, and the
   * event's id tells. The lost write cannot take effect after that one, since the version guards both.
   * @throws CLAIM_NOT_FOUND, CANDIDATE_NOT_FOUND, CLAIM_ARCHIVED, CLAIM_NOT_OPEN, EVENT_ID_CONFLICT, EVENT_LIMIT_REACHED,
   * UNAVAILABLE (its message says if the outcome is not known; at once if too many of the account are waiting)
   */
  submit(request: EventRequest): Promise<SubmittedEvent> {
    return new Promise((resolve, reject) =>
      this.take(request, (answer) => (answer instanceof Error ? reject(answer) : resolve(answer))),
    )
  }

  /** As `submit`, for one of many, which hear of their answers by one function: a promise for each would be as large as itself. */
  take(request: EventRequest, onAnswer: OnAnswer, place = 0): void {
    const one = new PendingSubmission(request, onAnswer, place)
    const { userId, address, submission } = request
    const claimId = claimIdOf(address)
    if (this.#ending) this.#refuse(one, 'The server is stopping.')
    else if (!this.#lines.hasRoom(userId, submission.payloadBytes, claimId)) {
      this.#refuse(one, 'Too many events are waiting to be recorded. This one was not.')
    } else {
      this.#lines.add(claimId, one)
      this.#watching ??= setTimeout(() => this.#endOverdue(), LOOK_EVERY_MS).unref()
      this.#schedule()
    }
  }

  #refuse(one: PendingSubmission, why: string): void {
    const refusal = unavailable(why)
    this.#measures.end(refusal, one)
    one.answer(refusal)
  }

  /** Once what has arrived by now is in its line too. */
  #schedule(): void {
    if (this.#isScheduled || this.#lanes.isFull) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#fillLanes()
    })
  }

  #fillLanes(): void {
    for (const lane of this.#lanes.fill()) void withRejectionHandler(this.#send(lane))
    if (this.#holding) clearTimeout(this.#holding)
    const heldMs = this.#lanes.heldMs()
    this.#holding = heldMs === null ? null : setTimeout(() => this.#fillLanes(), heldMs)
  }

  /** Whatever happens, each of the group is answered or back in its line, and the lane is free again. */
  async #send(lane: Lane): Promise<void> {
    const { group } = lane
    const together = group.flatMap(({ submissions }) => submissions)
    this.#measures.go(together)
    const span = this.#traces?.go(together, group.length, lane.machine)
    try {
      await this.#record(lane)
      span?.end()
      for (const taken of group) this.#settleSurely(taken)
    } finally {
      this.#lanes.leave(lane)
      this.#fillLanes()
      this.#endIfDone()
    }
  }

  async #record({ group, machine }: Lane): Promise<void> {
    try {
      const db = this.#db.submissionsTo(machine)
      await db.withConnection((connection) => sendGroup(connection, this.#copies, group.map(ofClaim)))
    } catch (error) {
      // No connection could be had; or it could not be given back, which changes nothing of what was written.
      for (const { submissions } of group) for (const one of submissions) one.result ??= error as Error
    }
  }

  /** A fault of ours is answered to those whom it meets; the answers of the others follow what was written. */
  #settleSurely(taken: Taken): void {
    try {
      this.#settle(taken)
    } catch (error) {
      for (const one of taken.submissions) this.#answer(one, error as Error)
      this.#lines.open(taken.line)
    }
  }

  #settle({ line, submissions }: Taken): void {
    const again: PendingSubmission[] = []
    let waits: Retry | null = null
    for (const one of submissions) {
      const result = one.takeResult()
      if (!isRetry(result)) this.#answer(one, result)
      else if (this.#mayTryAgain(one, result)) {
        again.push(one)
        if (result !== OVERTAKEN) waits = result
      }
    }
    if (again.length > 0) this.#lines.giveBack(line, again)
    line.goesAlone = waits?.goesAlone === true
    line.heavyBytes = waits?.bytes ?? 0
    // To be found heavy is no sign that what was in the way is gone.
    if (!waits) line.pauseMs = 0
    if (waits && line.heavyBytes === 0) this.#park(line, waits)
    else this.#lines.open(line)
  }

  #park(line: Line, { because, heldClock }: Retry): void {
    this.#lines.park(line)
    const open = () => {
      this.#lines.open(line)
      this.#schedule()
    }
    const isWanted = () => line.waiting.length > 0
    if (heldClock) void withRejectionHandler(this.#heldClocks.untilFree(heldClock).then(open))
    else if (because === 'log is long')
      void withRejectionHandler(this.#longLogs.load(line.account.userId, line.claimId, isWanted).then(open))
    else {
      line.pauseMs = Math.min(Math.max(2 * line.pauseMs, FIRST_PAUSE_MS), LONGEST_PAUSE_MS)
      setTimeout(open, line.pauseMs)
    }
  }

  #answer(one: PendingSubmission, result: SubmittedEvent | Error): void {
    this.#end(one, result)
    this.#lines.leave(one)
  }

  #end(one: PendingSubmission, result: SubmittedEvent | Error): void {
    const answer = one.answer(result)
    if (answer === null) return
    this.#measures.end(answer, one)
    if (isOfWriting(answer)) this.#throttle.record(performance.now() - one.since)
    this.#traces?.end(answer, one)
  }

  /** False if that has taken too long: it is answered. */
  #mayTryAgain(one: PendingSubmission, retry: Retry): boolean {
    if (retry.because === 'write was lost') one.lost = retry
    if (!one.isAnswered && performance.now() - one.since < PATIENCE_MS) return true
    this.#answer(one, outOfPatience(one))
    return false
  }

  /** Answers those that have waited for too long, wherever they are. */
  #endOverdue(): void {
    const now = performance.now()
    const longestIn = (line: Line) => (line.isParked ? PATIENCE_MS : LONGEST_MS)
    const overdue = this.#lines.removeWhere(({ since }, line) => now - since >= longestIn(line))
    for (const one of overdue) this.#end(one, outOfPatience(one))
    for (const one of this.#lanes.submissions) {
      if (one.isAnswered || now - one.since < LONGEST_MS) continue
      this.#end(one, notKnown(one.request))
      this.#db.markDown(one.machine)
    }
    this.#watching =
      this.#lines.waiting === 0 ? null : setTimeout(() => this.#endOverdue(), LOOK_EVERY_MS).unref()
    this.#endIfDone()
  }
}

/** Whether an event was recorded, or it took too long. Other answers take other times: repetitions and refusals write nothing. */
const isOfWriting = (answer: SubmittedEvent | Error): boolean =>
  answer instanceof Error ? answer instanceof ServiceError && answer.code === 'UNAVAILABLE' : !answer.replayed

const ofClaim = ({ line: { claimId }, submissions }: Taken) => ({ claimId, submissions })
