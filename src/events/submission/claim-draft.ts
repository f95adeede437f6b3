import type { Append } from '../../claims/write/append-events-store.ts'
import type { Claim, ClaimAddress } from '../../core/claims/claim.ts'
import { decideSubmission, judgeRepeat } from '../../core/claims/decide-submission.ts'
import type { LogEvent, Submission } from '../../core/claims/event.ts'
import type { EventLog } from '../../core/claims/event-log.ts'
import { eventOf } from '../../core/claims/late-submission.ts'
import { type Change, type Status, stateAt } from '../../core/claims/lifecycle.ts'
import { writeDigest } from '../../core/claims/log-digest.ts'
import { claimNotFound } from '../../core/record-errors.ts'
import { ServiceError } from '../../kernel/errors.ts'
import { addIds, type ClaimCopy } from './claim-copies.ts'
import type { EventRequest, PendingSubmission, SubmittedEvent } from './pending-submission.ts'
import { OVERTAKEN, type Retry } from './submission-retry.ts'

/** A submission with what is decided about it, before anything is written. `settled`: the claim is, by it or before. */
type Decided = { readonly pending: PendingSubmission } & (
  | { kind: 'append'; settled: boolean }
  /** Its id is in the log, or gets there by this draft. `isSame` once they were compared. */
  | { kind: 'repeat'; settled: boolean; isSame?: boolean }
  | { kind: 'refused'; error: ServiceError }
)

/** Events of a claim's log by their ids; null for one that differs from what was sent. */
export type RecordedEvents = ReadonlyMap<string, LogEvent | null>

/** In bytes. */
const SMALL_PAYLOAD = 1024
/** Of what is not written. */
export const AT_NO_TIME = new Date(0)
const NONE_RECORDED: RecordedEvents = new Map()

/** Submissions to one claim, decided in their order by a copy of it, which they leave as it is. */
export class ClaimDraft {
  readonly copy: ClaimCopy
  /** When it was written, or why it was not; null as long as there is nothing of that. */
  written: Date | Retry | Error | null = null
  readonly #recordedIds: ReadonlySet<string>
  #decided: Decided[] = []
  /** What is to be written, in its order; and by its ids if there may be more than one. */
  #added: EventRequest[] = []
  readonly #addedById: Map<string, EventRequest> | null
  /** What repeats are compared with. */
  #recorded = NONE_RECORDED
  /** The claim, its log, and what it becomes by this draft, if anything: as they are once the draft is written. */
  readonly #after: Pick<Claim, 'status' | 'eventCount' | 'logBytes' | 'contract'>
  #log: EventLog
  #becomes: Change | null = null

  private constructor(copy: ClaimCopy, recordedIds: ReadonlySet<string>, mostAdded: number) {
    this.copy = copy
    this.#recordedIds = recordedIds
    this.#addedById = mostAdded > 1 ? new Map() : null
    const { status, eventCount, logBytes, contract } = copy.claim
    this.#after = { status, eventCount, logBytes, contract }
    this.#log = copy.log
  }

  /**
   * Decides them, a step for each whose payload is not small: a condition may look for thousands of keys in it.
   * @param recordedIds of events in the log, at least those that the submissions name
   */
  static *of(
    copy: ClaimCopy,
    submissions: readonly PendingSubmission[],
    recordedIds: ReadonlySet<string>,
  ): Generator<void, ClaimDraft> {
    const draft = new ClaimDraft(copy, recordedIds, submissions.length)
    for (const pending of submissions) {
      draft.#decided.push(draft.#decide(pending))
      if (!isSmall(pending)) yield
    }
    return draft
  }

  /** The same in one go, for those that are quick. Most are, and a generator costs more than they do. */
  static atOnce(
    copy: ClaimCopy,
    submissions: readonly PendingSubmission[],
    recordedIds: ReadonlySet<string>,
  ): ClaimDraft {
    const draft = new ClaimDraft(copy, recordedIds, submissions.length)
    draft.#decided = submissions.map((pending) => draft.#decide(pending))
    return draft
  }

  static isQuick(submissions: readonly PendingSubmission[]): boolean {
    return submissions.every(isSmall)
  }

  /** Whether anything is to be written. */
  get writes(): boolean {
    return this.#added.length > 0
  }

  /** Drafts of one home are written together: all live claims, and an account's claims on test clocks. */
  get home(): string | null {
    const { testClockId, userId } = this.copy.claim
    return testClockId === null ? null : userId
  }

  /** What is to be written, if anything is. */
  get append(): Append {
    return {
      seen: this.copy.claim,
      lastAt: this.copy.lastAt,
      events: this.#added,
      bytes: this.#after.logBytes - this.copy.claim.logBytes,
      digest: this.#digest,
      becomes: this.#becomes,
    }
  }

  get hasRepeats(): boolean {
    return this.#decided.some(({ kind }) => kind === 'repeat')
  }

  /** Those that repeat an event of the log, whose recorded form is needed for the answer: one of each id and size. */
  get repeats(): Submission[] {
    const repeats = this.#decided
      .filter(
        ({ kind, pending }) => kind === 'repeat' && !this.#addedById?.has(pending.request.submission.id),
      )
      .map(({ pending }) => pending.request.submission)
    return [...new Map(repeats.map((one) => [`${one.payloadBytes} ${one.id}`, one])).values()]
  }

  /**
   * Compares repeats with what they repeat, a step for each whose payload is not small. To be done before `conclude`.
   * @param recorded the events named by `repeats`
   */
  *compare(recorded: RecordedEvents): Generator<void, void> {
    this.#recorded = recorded
    for (const one of this.#decided) {
      if (one.kind !== 'repeat') continue
      const { submission } = one.pending.request
      const event = this.#eventAdded(one, AT_NO_TIME) ?? recorded.get(submission.id)
      if (!event) continue
      one.isSame = judgeRepeat(event, submission) === 'replay'
      if (!isSmall(one.pending)) yield
    }
  }

  /**
   * Gives each its result, once the draft is written. One that repeats an event that is recorded no more, since its claim
   * is gone, goes again.
   * @param at when it was; any time if there was nothing to write
   */
  conclude(at: Date): void {
    const settled = this.#becomes ? { ...this.copy.claim, ...stateAt(this.#becomes, at) } : this.copy.claim
    for (const one of this.#decided) one.pending.result = this.#resultOf(one, settled, at) ?? OVERTAKEN
  }

  /** Gives each its result, if the draft could not be written: only what was to be stands on that. */
  fail(result: Retry | Error): void {
    for (const { kind, pending } of this.#decided) pending.result = kind === 'append' ? result : OVERTAKEN
  }

  /**
   * Brings the copy up to what was written, if anything was. False: the claim takes no more events, so no copy is
   * needed.
   */
  updateCopy(at: Date | null): boolean {
    if (this.#after.status !== 'OPEN') return false
    addIds(this.copy, this.#added.map(idOf))
    Object.assign(this.copy.claim, this.#after)
    this.copy.log = this.#log
    this.copy.lastAt = at ?? this.copy.lastAt
    return true
  }

  /** Of the log as it will be; null if that is too long, or nobody will ask. */
  get #digest(): string | null {
    if (this.#isSettled) return null
    const { claim, idHashes } = this.copy
    return writeDigest(claim.contract.fulfillment_condition, this.#log, idHashes, this.#added.map(idOf))
  }

  /** Settled by this draft, that is. */
  get #isSettled(): boolean {
    return this.#becomes !== null
  }

  #decide(pending: PendingSubmission): Decided {
    const { userId, address, submission } = pending.request
    const { claim } = this.copy
    if (claim.userId !== userId || !isAt(claim, address)) return refused(pending, claimNotFound(address))
    if (this.#recordedIds.has(submission.id) || this.#addedById?.has(submission.id)) {
      return { pending, kind: 'repeat', settled: this.#isSettled }
    }
    const decision = decideSubmission(this.#after, this.#log, submission)
    switch (decision.kind) {
      case 'append':
        this.#log = decision.log
        this.#add(pending.request, decision.becomes)
        return { pending, kind: 'append', settled: this.#isSettled }
      case 'not-open':
        return refused(pending, claimNotOpen(address, this.#after.status))
      case 'log-full':
        return refused(pending, new ServiceError('EVENT_LIMIT_REACHED', decision.message))
    }
  }

  #add(request: EventRequest, becomes: Change | null): void {
    const { id, payloadBytes } = request.submission
    // Most often it is the only one, and to push into an empty array makes room for seventeen.
    if (this.#added.length === 0) this.#added = [request]
    else this.#added.push(request)
    this.#addedById?.set(id, request)
    this.#becomes = becomes
    if (becomes) this.#after.status = becomes.status
    this.#after.eventCount++
    this.#after.logBytes += payloadBytes
  }

  #resultOf(one: Decided, settled: Claim, at: Date): SubmittedEvent | ServiceError | null {
    if (one.kind === 'refused') return one.error
    const { id } = one.pending.request.submission
    const event = this.#eventAdded(one, at) ?? this.#recorded.get(id)
    if (event === undefined) return null
    if (event === null || (one.kind === 'repeat' && !one.isSame)) return idConflict(id)
    const claim = one.settled ? settled : this.copy.claim
    return { event, claim, contractBytes: this.copy.contractBytes, replayed: one.kind === 'repeat' }
  }

  /** What it adds, or repeats of what is added before it. */
  #eventAdded({ kind, pending: { request } }: Decided, createdAt: Date): LogEvent | null {
    const added = kind === 'append' ? request : this.#addedById?.get(request.submission.id)
    return added ? eventOf(added.submission, createdAt) : null
  }
}

const idOf = ({ submission }: EventRequest): string => submission.id

const isSmall = ({ request }: PendingSubmission): boolean => request.submission.payloadBytes <= SMALL_PAYLOAD

/** A claim is not reached by the address of a candidate, nor a candidate by its id. */
const isAt = (claim: Claim, address: ClaimAddress) =>
  address.kind === 'claim' ? claim.candidateAlias === null : claim.candidateAlias === address.alias

const refused = (pending: PendingSubmission, error: ServiceError): Decided => ({
  pending,
  kind: 'refused',
  error,
})

const claimNotOpen = (address: ClaimAddress, status: Status) =>
  new ServiceError('CLAIM_NOT_OPEN', `The ${address.kind} is ${status}, not OPEN: it takes no events.`)

const idConflict = (id: string) =>
  new ServiceError(
    'EVENT_ID_CONFLICT',
    `The log holds an event with the id ${JSON.stringify(id)} and other content.`,
  )
