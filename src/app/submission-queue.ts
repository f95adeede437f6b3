import { ServiceError, unavailable } from '../errors.ts'
import { candidateId } from '../storage/candidate-id.ts'
import type { Database } from '../storage/database.ts'
import { DatabaseAway } from '../storage/database-away.ts'
import { ClaimCopies } from './claim-copies.ts'
import { type Line, SubmissionLines, type Taken, type Waiting } from './submission-lines.ts'
import { submitApart } from './submit-apart.ts'
import type { EventRequest, SubmittedEvent } from './submit-event.ts'
import type { Outcome } from './submit-group.ts'

/** How long a submission may take before the caller is told to try again. */
const PATIENCE_MS = 5_000
/** Before another try where the connection was lost or a test clock is being advanced; doubled each time. */
const FIRST_PAUSE_MS = 25
const LONGEST_PAUSE_MS = 1_000
/** Groups on their way at once: while one is being committed, another is decided and sent. */
const LANES = 2
/** For so many claims another group goes while one is on its way; fewer wait for it, but not long: it may be stuck. */
const WORTH_ANOTHER = 8
const LONGEST_HOLD_MS = 10
/** What may wait; more is answered 503 at once rather than made to wait. */
const MOST_WAITING = 10_000
const MOST_WAITING_BYTES = 32 * 1024 * 1024

/**
 * Group commit: submissions that arrive while others are on their way to the database go together in the next
 * group. Where nothing is on its way, a submission goes at once.
 */
export class SubmissionQueue {
  readonly #db: Database
  readonly #copies = new ClaimCopies()
  readonly #lines = new SubmissionLines()
  #waiting = 0
  #waitingBytes = 0
  #busyLanes = 0
  #isScheduled = false
  #holding: NodeJS.Timeout | null = null

  constructor(db: Database) {
    this.#db = db
  }

  /** Submissions that are not answered yet. */
  get waiting(): number {
    return this.#waiting
  }

  /** @throws UNAVAILABLE at once where too many are waiting, and all that `submitEvent` throws */
  submit(request: EventRequest): Promise<SubmittedEvent> {
    const { payloadBytes } = request.submission
    if (this.#waiting >= MOST_WAITING || this.#waitingBytes + payloadBytes > MOST_WAITING_BYTES) {
      return Promise.reject(unavailable('Too many events are waiting to be recorded. This one was not.'))
    }
    this.#waiting++
    this.#waitingBytes += payloadBytes
    const { address } = request
    const claimId = address.kind === 'claim' ? address.id : candidateId(address.alias)
    return new Promise((resolve, reject) => {
      const deadline = performance.now() + PATIENCE_MS
      this.#lines.add(claimId, { request, deadline, lost: null, resolve, reject })
      this.#schedule()
    })
  }

  /** Once what has arrived by now is in its line too. */
  #schedule(): void {
    if (this.#isScheduled || this.#busyLanes === LANES) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#fillLanes()
    })
  }

  #fillLanes(worthAnother = WORTH_ANOTHER): void {
    while (this.#busyLanes < LANES && this.#lines.openCount >= (this.#busyLanes === 0 ? 1 : worthAnother)) {
      void this.#run(this.#lines.take())
    }
    if (this.#busyLanes < LANES && this.#lines.openCount > 0) this.#holdNoLonger()
  }

  /** Those that are held back now go at last. */
  #holdNoLonger(): void {
    this.#holding ??= setTimeout(() => {
      this.#holding = null
      this.#fillLanes(1)
    }, LONGEST_HOLD_MS)
  }

  async #run(group: readonly Taken[]): Promise<void> {
    this.#busyLanes++
    try {
      const outcomes = await this.#submit(group)
      for (const [i, taken] of group.entries()) this.#settle(taken, outcomes[i] as Outcome[])
    } finally {
      this.#busyLanes--
      this.#fillLanes()
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
      submitted.outcomes ??= group.map(({ waiting }) => waiting.map(() => error as Error))
    }
    return submitted.outcomes as Outcome[][]
  }

  #settle({ line, waiting }: Taken, outcomes: readonly Outcome[]): void {
    const fates = waiting.map((one, i) => fateAfterLoss(one, outcomes[i] as Outcome))
    const again = waiting.filter((one, i) => !this.#answer(one, fates[i] as Outcome))
    this.#lines.giveBack(line, again)
    const mustPause = fates.some((fate) => 'again' in fate && fate.again !== 'overtaken')
    line.pauseMs = mustPause ? Math.min(Math.max(2 * line.pauseMs, FIRST_PAUSE_MS), LONGEST_PAUSE_MS) : 0
    if (mustPause) setTimeout(() => this.#open(line), line.pauseMs)
    else this.#lines.open(line)
  }

  #open(line: Line): void {
    this.#lines.open(line)
    this.#schedule()
  }

  /** False where it must be tried again. */
  #answer(one: Waiting, outcome: Outcome): boolean {
    if ('again' in outcome) {
      if (outcome.again === 'write was lost') one.lost = outcome
      if (performance.now() < one.deadline) return false
      one.reject(outOfPatience(one))
    } else if (outcome instanceof Error) one.reject(outcome)
    else one.resolve(one.lost ? { ...outcome, replayed: false } : outcome)
    this.#waiting--
    this.#waitingBytes -= one.request.submission.payloadBytes
    return true
  }
}

const toClaimSubmissions = ({ line, waiting }: Taken) => ({
  claimId: line.claimId,
  requests: waiting.map(({ request }) => request),
})

/** Where an earlier write may have taken effect, the answer has to be found out: no failure tells. */
function fateAfterLoss({ lost }: Waiting, outcome: Outcome): Outcome {
  const isVerdict = outcome instanceof ServiceError && !(outcome instanceof DatabaseAway)
  return lost && outcome instanceof Error && !isVerdict ? lost : outcome
}

function outOfPatience({ request, lost }: Waiting): ServiceError {
  const { address, submission } = request
  if (!lost)
    return unavailable(`Too much happens to this ${address.kind} at once. The event was not recorded.`)
  return unavailable(
    `The connection to the database was lost while the event was being recorded, and whether it was is not known. Send it again with the id ${JSON.stringify(submission.id)}: that is safe.`,
    lost.cause,
  )
}
