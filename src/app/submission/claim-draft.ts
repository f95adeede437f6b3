import type { Claim, ClaimAddress } from '../../domain/claims/claim.ts'
import { decideSubmission, judgeRepeat } from '../../domain/claims/decide-submission.ts'
import type { LogEvent, Submission } from '../../domain/claims/event.ts'
import { eventOf } from '../../domain/claims/late-submission.ts'
import { type Change, type Status, stateAt } from '../../domain/claims/lifecycle.ts'
import { ServiceError } from '../../errors.ts'
import type { Append } from '../../storage/claim-writes/append-events.ts'
import { claimNotFound } from '../not-found.ts'
import { addId, type ClaimCopy } from './claim-copies.ts'
import type { EventRequest, SubmittedEvent } from './submit-event.ts'

/** What is decided about a submission, before anything is written. `settled`: the claim is, by this one or before. */
type Verdict =
  | { kind: 'append'; settled: boolean }
  /** Its id is in the log, or gets there by this draft. `isSame` once they were compared. */
  | { kind: 'repeat'; settled: boolean; isSame?: boolean }
  | { kind: 'refused'; error: ServiceError }

/** Events of a claim's log by their ids; null for one that differs from what was sent. */
export type RecordedEvents = ReadonlyMap<string, LogEvent | null>

/** In bytes. */
const SMALL_PAYLOAD = 1024
/** Of what is not written. */
export const AT_NO_TIME = new Date(0)

/** Submissions to one claim, decided in their order by a copy of it. */
export class ClaimDraft {
  readonly copy: ClaimCopy
  readonly requests: readonly EventRequest[]
  #verdicts: Verdict[] = []
  readonly #recorded: ReadonlySet<string>
  readonly #added = new Map<string, EventRequest>()
  /** As it is once the draft is written. */
  readonly #after: Pick<Claim, 'status' | 'eventCount' | 'logBytes' | 'contract'>
  /** What the claim becomes by this draft, if anything. */
  #becomes: Change | null = null

  private constructor(copy: ClaimCopy, requests: readonly EventRequest[], recorded: ReadonlySet<string>) {
    this.copy = copy
    this.requests = requests
    this.#recorded = recorded
    const { status, eventCount, logBytes, contract } = copy.claim
    this.#after = { status, eventCount, logBytes, contract }
  }

  /**
   * Decides them, a step for each whose payload is not small: a condition may look for thousands of keys in it. The
   * copy's log takes the events that are to be appended: it is good no more where they are not written.
   * @param recorded ids of events in the log, at least those that the requests name
   */
  static *of(
    copy: ClaimCopy,
    requests: readonly EventRequest[],
    recorded: ReadonlySet<string>,
  ): Generator<void, ClaimDraft> {
    const draft = new ClaimDraft(copy, requests, recorded)
    for (const request of requests) {
      draft.#verdicts.push(draft.#decide(request))
      if (request.submission.payloadBytes > SMALL_PAYLOAD) yield
    }
    return draft
  }

  /** The same in one go; null where a payload is not small. Most are, and a generator costs more than they do. */
  static atOnce(
    copy: ClaimCopy,
    requests: readonly EventRequest[],
    recorded: ReadonlySet<string>,
  ): ClaimDraft | null {
    if (requests.some(({ submission }) => submission.payloadBytes > SMALL_PAYLOAD)) return null
    const draft = new ClaimDraft(copy, requests, recorded)
    draft.#verdicts = requests.map((request) => draft.#decide(request))
    return draft
  }

  /** Whether anything is to be written. */
  get writes(): boolean {
    return this.#added.size > 0
  }

  /** Drafts of one home are written together: all live claims, and an account's claims on test clocks. */
  get home(): string | null {
    const { testClockId, userId } = this.copy.claim
    return testClockId === null ? null : userId
  }

  /** What is to be written, where anything is. */
  get append(): Append {
    return {
      seen: this.copy.claim,
      lastAt: this.copy.lastAt,
      events: this.#added
        .values()
        .map(({ submission, payloadJson }) => ({ ...submission, payload: payloadJson }))
        .toArray(),
      bytes: this.#after.logBytes - this.copy.claim.logBytes,
      becomes: this.#becomes,
    }
  }

  get hasRepeats(): boolean {
    return this.#verdicts.some(({ kind }) => kind === 'repeat')
  }

  /** Those that repeat an event of the log, whose recorded form is needed for the answer: one of each id and size. */
  get repeats(): Submission[] {
    const repeats = this.requests
      .map(({ submission }) => submission)
      .filter(({ id }, i) => this.#verdicts[i]?.kind === 'repeat' && !this.#added.has(id))
    return [...new Map(repeats.map((one) => [`${one.payloadBytes} ${one.id}`, one])).values()]
  }

  /**
   * Compares repeats with what they repeat, a step for each whose payload is not small. To be done before `answers`.
   * @param recorded the events named by `repeats`, by their ids; null for one that surely differs
   */
  *judgeRepeats(recorded: RecordedEvents): Generator<void, void> {
    for (const [i, { submission }] of this.requests.entries()) {
      const verdict = this.#verdicts[i] as Verdict
      if (verdict.kind !== 'repeat') continue
      const event = this.#eventAdded(submission.id, AT_NO_TIME) ?? recorded.get(submission.id)
      if (!event) continue
      verdict.isSame = judgeRepeat(event, submission) === 'replay'
      if (submission.payloadBytes > SMALL_PAYLOAD) yield
    }
  }

  /** Whether the write is what the answer to this submission stands on. */
  isAppended(index: number): boolean {
    return this.#verdicts[index]?.kind === 'append'
  }

  /**
   * The answers, in order, once the draft is written. A repeat of an event that is recorded no more, since its claim is
   * gone, has none.
   * @param at when it was; any time where there was nothing to write
   * @param recorded the events named by `repeats`, by their ids; null for one that surely differs
   */
  answers(at: Date, recorded: RecordedEvents): (SubmittedEvent | ServiceError | null)[] {
    const settled = this.#becomes ? { ...this.copy.claim, ...stateAt(this.#becomes, at) } : this.copy.claim
    const { contractBytes } = this.copy
    return this.requests.map(({ submission }, i) => {
      const verdict = this.#verdicts[i] as Verdict
      if (verdict.kind === 'refused') return verdict.error
      const claim = verdict.settled ? settled : this.copy.claim
      const event = this.#eventAdded(submission.id, at) ?? recorded.get(submission.id)
      if (event === undefined) return null
      if (event === null) return idConflict(submission.id)
      if (verdict.kind === 'append') return { event, claim, contractBytes, replayed: false }
      return verdict.isSame ? { event, claim, contractBytes, replayed: true } : idConflict(submission.id)
    })
  }

  /**
   * Brings the copy up to what was written, if anything was. False: the claim takes no more events, so no copy is
   * needed.
   */
  updateCopy(at: Date | undefined): boolean {
    if (this.#after.status !== 'OPEN') return false
    for (const id of this.#added.keys()) addId(this.copy, id)
    Object.assign(this.copy.claim, this.#after)
    this.copy.lastAt = at ?? this.copy.lastAt
    return true
  }

  /** Settled by this draft, that is. */
  get #isSettled(): boolean {
    return this.#becomes !== null
  }

  #decide(request: EventRequest): Verdict {
    const { userId, address, submission } = request
    const { claim, log } = this.copy
    if (claim.userId !== userId || !isAt(claim, address)) return refused(claimNotFound(address))
    if (this.#recorded.has(submission.id) || this.#added.has(submission.id)) {
      return { kind: 'repeat', settled: this.#isSettled }
    }
    const decision = decideSubmission(this.#after, log, submission)
    switch (decision.kind) {
      case 'append':
        this.#add(request, decision.becomes)
        return { kind: 'append', settled: this.#isSettled }
      case 'not-open':
        return refused(claimNotOpen(address, this.#after.status))
      case 'log-full':
        return refused(new ServiceError('EVENT_LIMIT_REACHED', decision.message))
    }
  }

  #add(request: EventRequest, becomes: Change | null): void {
    const { id, payloadBytes } = request.submission
    this.#added.set(id, request)
    this.#becomes = becomes
    if (becomes) this.#after.status = becomes.status
    this.#after.eventCount++
    this.#after.logBytes += payloadBytes
  }

  #eventAdded(id: string, createdAt: Date): LogEvent | null {
    const added = this.#added.get(id)
    return added ? eventOf(added.submission, createdAt) : null
  }
}

/** A claim is not reached by the address of a candidate, nor a candidate by its id. */
const isAt = (claim: Claim, address: ClaimAddress) =>
  address.kind === 'claim' ? claim.candidateAlias === null : claim.candidateAlias === address.alias

const refused = (error: ServiceError): Verdict => ({ kind: 'refused', error })

const claimNotOpen = (address: ClaimAddress, status: Status) =>
  new ServiceError('CLAIM_NOT_OPEN', `The ${address.kind} is ${status}, not OPEN: it takes no events.`)

const idConflict = (id: string) =>
  new ServiceError(
    'EVENT_ID_CONFLICT',
    `The log holds an event with the id ${JSON.stringify(id)} and other content.`,
  )
