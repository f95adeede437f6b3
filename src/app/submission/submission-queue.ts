import { ServiceError, unavailable } from '../../errors.ts'
import { owned } from '../../owned-promise.ts'
import { candidateId } from '../../storage/claims/candidate-id.ts'
import type { Database } from '../../storage/database/database.ts'
import { DatabaseAway } from '../../storage/database/database-away.ts'
import type { HeldClocks } from '../test-clocks/held-clocks.ts'
import { ClaimCopies } from './claim-copies.ts'
import { LongLogs } from './long-logs.ts'
import { type Kind, type Line, SubmissionLines, type Taken, type Waiting } from './submission-lines.ts'
import { type Again, type Outcome, OVERTAKEN } from './submission-outcome.ts'
import { submitApart } from './submit-apart.ts'
import type { EventRequest, SubmittedEvent } from './submit-event.ts'

/** For how long a submission is tried again before the caller is told to. */
const PATIENCE_MS = 5_000
/** Within this time each is answered, also where a statement of it never is. */
const LONGEST_MS = 10_000
const LOOK_EVERY_MS = 500
/** Before another try where the connection was lost; doubled each time. */
const FIRST_PAUSE_MS = 25
const LONGEST_PAUSE_MS = 1_000
/** Groups on their way at once: while one is being committed, another is decided and sent. */
const LANES = 2
/** For so many claims another group goes while one is on its way; fewer wait for it, but not long: it may be stuck. */
const WORTH_ANOTHER = 8
const LONGEST_HOLD_MS = 10

/**
 * Group commit: submissions that arrive while others are on their way to the database go together in the next
 * group. Where nothing is on its way, a submission goes at once.
 */
export class SubmissionQueue {
  readonly #db: Database
  readonly #heldClocks: HeldClocks
  readonly #copies = new ClaimCopies()
  readonly #longLogs: LongLogs
  readonly #lines = new SubmissionLines()
  /** The groups on their way. */
  readonly #lanes: Lane[] = []
  #isScheduled = false
  #holding: NodeJS.Timeout | null = null
  #watching: NodeJS.Timeout | null = null

  constructor(db: Database, heldClocks: HeldClocks) {
    this.#db = db
    this.#heldClocks = heldClocks
    this.#longLogs = new LongLogs(db, this.#copies)
  }

  /** Submissions that wait for nothing but their turn, or are on their way. */
  get waiting(): number {
    return this.#lines.waiting - this.#lines.parked
  }

  /** @throws UNAVAILABLE at once where too many of the account are waiting, and all that `submitEvent` throws */
  submit(request: EventRequest): Promise<SubmittedEvent> {
    if (!this.#lines.hasRoom(request.userId, request.submission.payloadBytes)) {
      return Promise.reject(unavailable('Too many events are waiting to be recorded. This one was not.'))
    }
    const { address } = request
    const claimId = address.kind === 'claim' ? address.id : candidateId(address.alias)
    return new Promise((resolve, reject) => {
      const since = performance.now()
      this.#lines.add(claimId, { request, since, lost: null, isAnswered: false, resolve, reject })
      this.#watching ??= setTimeout(() => this.#endOverdue(), LOOK_EVERY_MS).unref()
      this.#schedule()
    })
  }

  /** Once what has arrived by now is in its line too. */
  #schedule(): void {
    if (this.#isScheduled || !this.#hasLane) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#fillLanes()
    })
  }

  #fillLanes(worthAnother = WORTH_ANOTHER): void {
    // One lane at most: what is read for it takes long, and the other is everyone else's.
    const mayBeHeavy = this.#hasLane && !this.#isUnderWay('heavy')
    if (mayBeHeavy && this.#lines.openCount('heavy') > 0) this.#send('heavy')
    while (
      this.#hasLane &&
      this.#lines.openCount('light') >= (this.#isUnderWay('light') ? worthAnother : 1)
    ) {
      this.#send('light')
    }
    if (this.#hasLane && this.#lines.openCount('light') > 0) this.#holdNoLonger()
  }

  get #hasLane(): boolean {
    return this.#lanes.length < LANES
  }

  #isUnderWay(kind: Kind): boolean {
    return this.#lanes.some((lane) => lane.kind === kind)
  }

  #send(kind: Kind): void {
    void owned(this.#run({ kind, group: this.#lines.take(kind) }))
  }

  /** Those that are held back now go at last. */
  #holdNoLonger(): void {
    this.#holding ??= setTimeout(() => {
      this.#holding = null
      this.#fillLanes(1)
    }, LONGEST_HOLD_MS)
  }

  /** Whatever happens, each of the group is answered or back in its line, and the lane is free again. */
  async #run(lane: Lane): Promise<void> {
    const { group } = lane
    this.#lanes.push(lane)
    try {
      const outcomes = await this.#submit(group)
      for (const [i, taken] of group.entries()) this.#settleSurely(taken, outcomes[i] ?? [])
    } finally {
      this.#lanes.splice(this.#lanes.indexOf(lane), 1)
      this.#fillLanes()
    }
  }

  /** A fault of ours is answered to those whom it meets; the answers of the others follow what was written. */
  #settleSurely(taken: Taken, outcomes: readonly Outcome[]): void {
    try {
      this.#settle(taken, outcomes)
    } catch (error) {
      try {
        this.#settle(taken, allOf(taken, error as Error))
      } catch {
        for (const one of taken.waiting) one.reject(error)
      }
    }
  }

  async #submit(group: readonly Taken[]): Promise<Outcome[][]> {
    const submitted: { outcomes?: Outcome[][] } = {}
    try {
      await this.#db.submissions.withConnection(async (connection) => {
        submitted.outcomes = await submitApart(connection, this.#copies, group.map(toClaimSubmissions))
      })
    } catch (error) {
      // No connection could be had; or it could not be given back, which changes nothing of what was written.
      submitted.outcomes ??= group.map((taken) => allOf(taken, error as Error))
    }
    return submitted.outcomes ?? []
  }

  #settle({ line, waiting }: Taken, outcomes: readonly Outcome[]): void {
    const again: Waiting[] = []
    let waits: Again | null = null
    // Faults of ours show here, where nothing is done yet.
    if (outcomes.length !== waiting.length) throw new Error('a submission is without an outcome')
    const fates = waiting.map((one, i) => fateAfterLoss(one, outcomes[i] as Outcome))
    for (const [i, one] of waiting.entries()) {
      const fate = fates[i] as Outcome
      if (!('again' in fate)) this.#answer(one, fate)
      else if (this.#mayTryAgain(one, fate)) {
        again.push(one)
        if (fate !== OVERTAKEN) waits = fate
      }
    }
    if (again.length > 0) this.#lines.giveBack(line, again)
    line.goesAlone = waits?.goesAlone === true
    line.heavyBytes = waits?.bytes ?? 0
    if (waits && line.heavyBytes === 0) this.#park(line, waits)
    else {
      line.pauseMs = 0
      this.#lines.open(line)
    }
  }

  #park(line: Line, { again, heldClock }: Again): void {
    this.#lines.park(line)
    const open = () => {
      this.#lines.open(line)
      this.#schedule()
    }
    const isWanted = () => line.waiting.length > 0
    if (heldClock) void owned(this.#heldClocks.untilFree(heldClock).then(open))
    else if (again === 'log is long')
      void owned(this.#longLogs.load(line.account.userId, line.claimId, isWanted).then(open))
    else {
      line.pauseMs = Math.min(Math.max(2 * line.pauseMs, FIRST_PAUSE_MS), LONGEST_PAUSE_MS)
      setTimeout(open, line.pauseMs)
    }
  }

  #answer(one: Waiting, outcome: SubmittedEvent | Error): void {
    if (outcome instanceof Error) one.reject(outcome)
    else one.resolve(one.lost ? { ...outcome, replayed: false } : outcome)
    this.#lines.leave(one.request)
  }

  /** False where that has taken too long: it is answered. */
  #mayTryAgain(one: Waiting, again: Again): boolean {
    if (again.again === 'write was lost') one.lost = again
    if (!one.isAnswered && performance.now() - one.since < PATIENCE_MS) return true
    this.#answer(one, outOfPatience(one))
    return false
  }

  /** Answers those that have waited for too long, wherever they are. */
  #endOverdue(): void {
    const now = performance.now()
    const longestIn = (line: Line) => (line.isParked ? PATIENCE_MS : LONGEST_MS)
    const overdue = this.#lines.removeWhere(({ since }, line) => now - since >= longestIn(line))
    for (const one of overdue) one.reject(outOfPatience(one))
    for (const one of this.#lanes.flatMap(({ group }) => group).flatMap(({ waiting }) => waiting)) {
      if (one.isAnswered || now - one.since < LONGEST_MS) continue
      one.isAnswered = true
      one.reject(notKnown(one.request))
    }
    this.#watching =
      this.#lines.waiting === 0 ? null : setTimeout(() => this.#endOverdue(), LOOK_EVERY_MS).unref()
  }
}

/** A group on its way. */
interface Lane {
  readonly kind: Kind
  readonly group: readonly Taken[]
}

const allOf = ({ waiting }: Taken, fate: Outcome): Outcome[] => waiting.map(() => fate)

const toClaimSubmissions = ({ line, waiting }: Taken) => ({
  claimId: line.claimId,
  heavyBytes: line.heavyBytes,
  requests: waiting.map(({ request }) => request),
})

/** Where an earlier write may have taken effect, the answer has to be found out: no failure tells. */
function fateAfterLoss({ lost }: Waiting, outcome: Outcome): Outcome {
  if (!lost || !(outcome instanceof Error)) return outcome
  const isVerdict = outcome instanceof ServiceError && !(outcome instanceof DatabaseAway)
  return isVerdict ? outcome : lost
}

function outOfPatience({ request, lost }: Waiting): ServiceError {
  if (lost) return notKnown(request, lost.cause)
  return unavailable(
    `Too much happens at once to this ${request.address.kind}, to its test clock or to the service. The event was not recorded.`,
  )
}

const notKnown = ({ submission }: EventRequest, cause?: unknown) =>
  unavailable(
    `The connection to the database was lost while the event was being recorded, and whether it was is not known. Send it again with the id ${JSON.stringify(submission.id)}: that is safe.`,
    cause,
  )
