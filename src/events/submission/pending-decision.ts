import type { Append } from '../../claims/write/append-events-store.ts'
import type { Claim, ClaimAddress } from '../../core/claims/claim.ts'
import { classifyRepeat, decideSubmission } from '../../core/claims/decide-submission.ts'
import type { LogEvent, Submission } from '../../core/claims/event.ts'
import { eventOf } from '../../core/claims/event.ts'
import type { EventLog } from '../../core/claims/event-log.ts'
import { type Change, type Status, stateAt } from '../../core/claims/lifecycle.ts'
import { writeDigest } from '../../core/claims/log-digest.ts'
import { claimNotFound } from '../../core/record-errors.ts'
import { ServiceError } from '../../kernel/errors.ts'
import { MAX_SMALL_PAYLOAD_BYTES } from '../limits.ts'
import { addIds, type ClaimCache, type ClaimSnapshot } from './claim-cache.ts'
import {
  type EventRequest,
  type PendingSubmission,
  STALE,
  type SubmissionRetry,
  type SubmittedEvent,
} from './pending-submission.ts'

/** A submission and its decision, before the write. `claim`: after the submission; null if only the write's time is missing. */
export type Decided = { readonly pending: PendingSubmission } & (
  | { kind: 'append'; claim: Claim | null }
  /** The id is in the log, or in an earlier submission. `isSame` is set by the comparison. */
  | { kind: 'repeat'; claim: Claim | null; isSame?: boolean }
  | { kind: 'refused'; error: ServiceError }
)

/** Events of a log by id; null if the recorded content differs from what was sent. */
export type RecordedEvents = ReadonlyMap<string, LogEvent | null>

/** The time of a decision that writes nothing. */
const NOT_WRITTEN_AT = new Date(0)
const NONE_RECORDED: RecordedEvents = new Map()

/**
 * The decision about the submissions of one account to one claim, in order. It does not change the snapshot until
 * `complete`. For a contract of the five fields the decision does not depend on the time: the write sets the
 * time.
 */
export class PendingDecision {
  readonly snapshot: ClaimSnapshot
  /** The time of the write, or why there was none; null before the write. */
  written: Date | SubmissionRetry | Error | null = null
  readonly #recordedIds: ReadonlySet<string>
  #decided: Decided[] = []
  /** Events to append, in order; by id too if there may be several. */
  #added: EventRequest[] = []
  readonly #addedById: Map<string, EventRequest> | null
  /** The recorded events that submissions repeat. */
  #recorded = NONE_RECORDED
  /** The claim, its log and its change of status after the write. */
  readonly #after: Pick<Claim, 'status' | 'eventCount' | 'logBytes' | 'contract'>
  #log: EventLog
  #becomes: Change | null = null

  protected constructor(snapshot: ClaimSnapshot, recordedIds: ReadonlySet<string>, maxAdded: number) {
    this.snapshot = snapshot
    this.#recordedIds = recordedIds
    this.#addedById = maxAdded > 1 ? new Map() : null
    const { status, eventCount, logBytes, contract } = snapshot.claim
    this.#after = { status, eventCount, logBytes, contract }
    this.#log = snapshot.log
  }

  /**
   * One step per submission: a condition may look up thousands of keys in a large payload.
   * @param recordedIds ids of recorded events, at least those that the submissions name
   */
  static *of(
    snapshot: ClaimSnapshot,
    submissions: readonly PendingSubmission[],
    recordedIds: ReadonlySet<string>,
  ): Generator<void, PendingDecision> {
    const decision = new PendingDecision(snapshot, recordedIds, submissions.length)
    yield* decision.decide(submissions)
    return decision
  }

  protected *decide(submissions: readonly PendingSubmission[]): Generator<void, void> {
    for (const pending of submissions) {
      this.#decided.push(this.#decide(pending))
      yield
    }
  }

  /** The same in one step, for small payloads: a generator would cost more than the decision. */
  static ofFast(
    snapshot: ClaimSnapshot,
    submissions: readonly PendingSubmission[],
    recordedIds: ReadonlySet<string>,
  ): PendingDecision {
    const decision = new PendingDecision(snapshot, recordedIds, submissions.length)
    decision.#decided = submissions.map((pending) => decision.#decide(pending))
    return decision
  }

  static isFast(submissions: readonly PendingSubmission[]): boolean {
    return submissions.every(isSmall)
  }

  /** True if the decision appends events. */
  get writes(): boolean {
    return this.#added.length > 0
  }

  /** The account of a claim on a test clock, else null. Decisions with one owner are written by one statement. */
  get clockOwner(): string | null {
    const { testClockId, userId } = this.snapshot.claim
    return testClockId === null ? null : userId
  }

  /** The write, if `writes`. */
  get append(): Append {
    return {
      seen: this.snapshot.claim,
      lastAt: this.snapshot.lastAt,
      events: this.#added,
      bytes: this.#after.logBytes - this.snapshot.claim.logBytes,
      digest: this.#digest,
      becomes: this.#becomes,
    }
  }

  get hasRepeats(): boolean {
    return this.#decided.some(({ kind }) => kind === 'repeat')
  }

  /** Submissions that repeat a recorded event, which the answer needs: one of each id and size. */
  get repeats(): Submission[] {
    const repeats = this.#decided
      .filter(
        ({ kind, pending }) => kind === 'repeat' && !this.#addedById?.has(pending.request.submission.id),
      )
      .map(({ pending }) => pending.request.submission)
    return [...new Map(repeats.map((one) => [`${one.payloadBytes} ${one.id}`, one])).values()]
  }

  /**
   * Compares repeats with the events that they repeat, one step per large payload. Must precede `complete`.
   * @param recorded the events that `repeats` names
   */
  *compare(recorded: RecordedEvents): Generator<void, void> {
    this.#recorded = recorded
    for (const one of this.#decided) {
      if (one.kind !== 'repeat') continue
      const { submission } = one.pending.request
      const event = this.#eventAdded(one, NOT_WRITTEN_AT) ?? recorded.get(submission.id)
      if (!event) continue
      one.isSame = classifyRepeat(event, submission) === 'replay'
      if (!isSmall(one.pending)) yield
    }
  }

  /** Sets the results after the write, or after there was nothing to write, and brings the cache up to date. */
  complete(cache: ClaimCache): void {
    const { written } = this
    const { id } = this.snapshot.claim
    if (written !== null && !(written instanceof Date)) {
      this.reject(written)
      // The claim may have changed, by another write or by this one.
      cache.delete(id)
      return
    }
    try {
      this.#apply(written ?? NOT_WRITTEN_AT)
      if (!this.updateSnapshot(written)) cache.delete(id)
      else if (written) cache.set(this.snapshot)
      else cache.setIfNewer(this.snapshot)
    } catch (cause) {
      // An internal error after the write: the retry finds the event by its id.
      this.reject({ reason: 'outcome unknown', cause })
      cache.delete(id)
    }
  }

  /**
   * Sets the results. A repeat of an event that is not in the log any more runs again: its claim was deleted.
   * @param at time of the write; any time if there was nothing to write
   */
  #apply(at: Date): void {
    const settled = this.#becomes
      ? { ...this.snapshot.claim, ...stateAt(this.#becomes, at) }
      : this.snapshot.claim
    for (const one of this.#decided) one.pending.result = this.#resultOf(one, settled, at) ?? STALE
  }

  /** Sets the results after a failed write. A repeat or a refusal that relied on it runs again. */
  reject(result: SubmissionRetry | Error): void {
    for (const { kind, pending } of this.#decided) pending.result = kind === 'append' ? result : STALE
  }

  /** Applies the write to the snapshot. False: the claim takes no more events, so the cache does not need the snapshot. */
  protected updateSnapshot(at: Date | null): boolean {
    if (this.#after.status !== 'OPEN') return false
    addIds(this.snapshot, this.#added.map(idOf))
    Object.assign(this.snapshot.claim, this.#after)
    this.snapshot.log = this.#log
    this.snapshot.lastAt = at ?? this.snapshot.lastAt
    return true
  }

  /** Digest of the log after the write; null if the log is too long, or the claim takes no more events. */
  get #digest(): string | null {
    if (this.#isSettled) return null
    const { claim, idHashes } = this.snapshot
    return writeDigest(claim.contract.fulfillment_condition, this.#log, idHashes, this.#added.map(idOf))
  }

  /** Settled by these submissions. */
  get #isSettled(): boolean {
    return this.#becomes !== null
  }

  #decide(pending: PendingSubmission): Decided {
    const { userId, address, submission } = pending.request
    const { claim } = this.snapshot
    if (claim.userId !== userId || !isAt(claim, address)) return refused(pending, claimNotFound(address))
    if (this.#recordedIds.has(submission.id) || this.#addedById?.has(submission.id)) {
      return { pending, kind: 'repeat', claim: this.claimNow }
    }
    return this.decideNew(pending)
  }

  /** Decides a submission whose id is new. */
  protected decideNew(pending: PendingSubmission): Decided {
    const { address, submission } = pending.request
    const decision = decideSubmission(this.#after, this.#log, submission)
    switch (decision.kind) {
      case 'append':
        this.#log = decision.log
        this.#becomes = decision.becomes
        if (decision.becomes) this.#after.status = decision.becomes.status
        this.#after.eventCount++
        this.#after.logBytes += submission.payloadBytes
        this.add(pending.request)
        return { pending, kind: 'append', claim: this.claimNow }
      case 'not-open':
        return refused(pending, claimNotOpen(address, this.#after.status))
      case 'log-full':
        return refused(pending, new ServiceError('EVENT_LIMIT_REACHED', decision.message))
    }
  }

  /** The claim after the submissions so far; null if it is settled, at a time that the write sets. */
  protected get claimNow(): Claim | null {
    return this.#isSettled ? null : this.snapshot.claim
  }

  /** The events to append, in order. */
  protected get added(): readonly EventRequest[] {
    return this.#added
  }

  protected add(request: EventRequest): void {
    // An array literal: pushing into an empty array allocates room for 17 elements, and most decisions have one event.
    if (this.#added.length === 0) this.#added = [request]
    else this.#added.push(request)
    this.#addedById?.set(request.submission.id, request)
  }

  protected eventOf({ submission }: EventRequest, createdAt: Date): LogEvent {
    return eventOf(submission, createdAt)
  }

  #resultOf(one: Decided, settled: Claim, at: Date): SubmittedEvent | ServiceError | null {
    if (one.kind === 'refused') return one.error
    const { id } = one.pending.request.submission
    const event = this.#eventAdded(one, at) ?? this.#recorded.get(id)
    if (event === undefined) return null
    if (event === null || (one.kind === 'repeat' && !one.isSame)) return idConflict(id)
    const claim = one.claim ?? settled
    return { event, claim, contractBytes: this.snapshot.contractBytes, replayed: one.kind === 'repeat' }
  }

  /** The event that the submission appends, or that it repeats of an earlier submission. */
  #eventAdded({ kind, pending: { request } }: Decided, createdAt: Date): LogEvent | null {
    const added = kind === 'append' ? request : this.#addedById?.get(request.submission.id)
    return added ? this.eventOf(added, createdAt) : null
  }
}

const idOf = ({ submission }: EventRequest): string => submission.id

const isSmall = ({ request }: PendingSubmission): boolean =>
  request.submission.payloadBytes <= MAX_SMALL_PAYLOAD_BYTES

/** A candidate has no address by id, and a claim none by alias. */
const isAt = (claim: Claim, address: ClaimAddress) =>
  address.kind === 'claim' ? claim.candidateAlias === null : claim.candidateAlias === address.alias

export const refused = (pending: PendingSubmission, error: ServiceError): Decided => ({
  pending,
  kind: 'refused',
  error,
})

export const claimNotOpen = (address: ClaimAddress, status: Status) =>
  new ServiceError('CLAIM_NOT_OPEN', `The ${address.kind} is ${status} and takes no events.`)

const idConflict = (id: string) =>
  new ServiceError(
    'EVENT_ID_CONFLICT',
    `The log has an event with the id ${JSON.stringify(id)} and different content.`,
  )
