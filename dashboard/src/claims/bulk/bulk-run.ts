import type { Outcome, Status } from '../../../../src/core/claims/lifecycle.ts'
import type { JsonObject } from '../../../../src/kernel/json.ts'
import { ApiError, isOutcomeUnknown } from '../../api/client.ts'
import { newKey } from '../../api/idempotency-keys.ts'
import { pause } from '../../api/pause.ts'
import type { Account, ClaimKind } from '../../api/records.ts'
import { readTestClock } from '../../test-clocks/test-clocks-api.ts'
import type { CountedClaim } from './count-list.ts'
import { type BatchResult, submitToEach } from './event-batches-api.ts'
import { backoffMs, retryUntilAnswered } from './retry.ts'
import { assertSameAccount } from './same-account.ts'

/** The state of the event of one claim.
 * - `unanswered`: sent, and the outcome is unknown.
 * - `repeated`: the claim already had an event with this id and content.
 * - `gone`: sent without a response, and the claim is now deleted or archived, so the outcome stays unknown.
 * - `misdirected`: recorded by another candidate that was created with the same alias.
 */
export type Result = 'waiting' | 'unanswered' | 'gone' | 'recorded' | 'repeated' | 'misdirected' | 'refused'

/** A recipient of the event. */
export interface Target extends Omit<CountedClaim, 'status'> {
  result: Result
  /** The status when the claims were counted. */
  before: Status
  /** The status in the response. */
  status: Status | null
  scheduledOutcome: Outcome | null
  /** The event was recorded before, so it may not be the cause of the status. */
  isReplay: boolean
  /** The error code of a refusal or of a missing response. */
  code: string | null
  message: string | null
}

export interface RunState {
  phase: 'paused' | 'running' | 'ended'
  /** The user has paused or stopped the run, and the last response is awaited. */
  isStopping: boolean
  /** The error because of which the run waits for a retry, or has paused without the user. */
  problem: unknown
}

const MAX_BATCH_EVENTS = 100
/** A request may have 8 MiB, and the response also contains contracts. */
const MAX_BATCH_BYTES = 2 * 1024 * 1024
/** Longer than the service needs for a batch. */
const RESPONSE_TIMEOUT_MS = 60_000
/** How long a stop waits for the last response. */
const LAST_RESPONSE_TIMEOUT_MS = 10_000

/** The event must be sent again. */
const isRetryable = ({ status }: BatchResult) => status === 429 || status >= 500

/** Deleted or archived: it is unknown whether the log had the event. */
const isGone = ({ status }: BatchResult) => status === 404 || status === 410

/** The event has no final result: it is sent, perhaps again. */
const isUnfinished = ({ result }: Target) => result === 'waiting' || result === 'unanswered'

/** Sends one event to many claims, batch by batch. All attempts use the same event id, so a batch can be sent again without
 * recording the event twice.
 */
export class BulkRun {
  readonly kind: ClaimKind
  readonly event: JsonObject & { id: string; type: string }
  readonly targets: readonly Target[]
  /** The owner of the targets. */
  readonly account: Account
  /** Whether the event id was generated for this run: then a repeated event comes from this run. */
  readonly #isGeneratedId: boolean
  readonly #batchSize: number
  readonly #listeners = new Set<() => void>()
  #state: RunState = { phase: 'paused', isStopping: false, problem: null }
  #abort: AbortController | null = null
  #nextPhase: 'paused' | 'ended' = 'paused'

  constructor(
    kind: ClaimKind,
    event: JsonObject & { type: string },
    counted: readonly CountedClaim[],
    account: Account,
  ) {
    this.kind = kind
    this.account = account
    this.#isGeneratedId = typeof event.id !== 'string'
    this.event = { ...event, id: typeof event.id === 'string' ? event.id : `bulk-${newKey()}` }
    const bytes = new TextEncoder().encode(JSON.stringify(this.event)).length
    this.#batchSize = Math.max(1, Math.min(MAX_BATCH_EVENTS, Math.floor(MAX_BATCH_BYTES / bytes)))
    const noResult = { status: null, scheduledOutcome: null, isReplay: false, code: null, message: null }
    this.targets = counted.map((claim) => ({
      ...claim,
      before: claim.status,
      ...noResult,
      result: 'waiting',
    }))
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  state = (): RunState => this.#state

  countUnfinished = (): number => this.targets.filter(isUnfinished).length

  /** Starts, or continues with the remaining targets. */
  start = (): void => {
    if (this.#abort) return
    this.#abort = new AbortController()
    this.#setState({ phase: 'running', problem: null })
    void this.#run(this.#abort.signal)
  }

  pause = (): void => this.#stopAs('paused')

  stop = (): void => this.#stopAs('ended')

  #stopAs(phase: 'paused' | 'ended'): void {
    this.#nextPhase = phase
    this.#abort?.abort()
    this.#setState(this.#abort ? { isStopping: true } : { phase })
  }

  async #run(signal: AbortSignal): Promise<void> {
    try {
      await this.#sendAll(signal)
      this.#end(signal.aborted ? this.#nextPhase : 'ended', null)
    } catch (error) {
      this.#end(signal.aborted ? this.#nextPhase : 'paused', signal.aborted ? null : error)
    }
  }

  #end(phase: 'paused' | 'ended', problem: unknown): void {
    this.#abort = null
    this.#setState({ phase, isStopping: false, problem })
  }

  async #sendAll(signal: AbortSignal): Promise<void> {
    let failures = 0
    let queue = this.targets.filter(isUnfinished)
    while (queue.length > 0 && !signal.aborted) {
      const batch = queue.slice(0, this.#batchSize)
      const failed = await retryUntilAnswered(
        () => this.#send(batch, signal),
        signal,
        (problem) => this.#setState({ problem }),
      )
      // Failed targets go to the end of the queue.
      queue = [...queue.slice(batch.length), ...failed]
      failures = failed.length === 0 ? 0 : failed.length < batch.length ? 1 : failures + 1
      this.#setState({ problem: failed.length === 0 ? null : new Error(failed[0]?.message ?? '') })
      if (failures > 0) await pause(backoffMs(failures), signal)
    }
  }

  /** @returns the targets to send again */
  async #send(batch: readonly Target[], signal: AbortSignal): Promise<Target[]> {
    // An alias can be reused after its test clock is deleted, an id cannot.
    const clocks = this.kind === 'candidates' ? batch.flatMap(({ testClockId }) => testClockId ?? []) : []
    const deletedClocks = await findDeletedClocks(new Set(clocks), signal)
    await assertSameAccount(this.account, signal)
    const existing: Target[] = []
    for (const target of batch) {
      const refusal = deletedClocks.get(target.testClockId ?? '')
      if (refusal) this.#applyResult(target, refusal)
      else existing.push(target)
    }
    if (existing.length === 0) return []
    const results = await this.#post(existing, signal)
    return existing.filter((target, i) => !this.#applyResult(target, results[i] as BatchResult))
  }

  async #post(batch: readonly Target[], signal: AbortSignal): Promise<BatchResult[]> {
    const lastTimeout = new AbortController()
    const startLastTimeout = () => setTimeout(() => lastTimeout.abort(), LAST_RESPONSE_TIMEOUT_MS)
    signal.addEventListener('abort', startLastTimeout)
    const timeout = AbortSignal.any([lastTimeout.signal, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)])
    const names = batch.map(({ name }) => name)
    let results: BatchResult[] | null = null
    try {
      results = await submitToEach(this.kind, names, this.event, timeout)
      // If another account has signed in, the service answers 404 for all targets.
      if (results.some(isGone)) await assertSameAccount(this.account, timeout)
      return results
    } catch (error) {
      // Other errors mean that nothing was recorded.
      if (results || isOutcomeUnknown(error)) for (const target of batch) target.result = 'unanswered'
      throw error
    } finally {
      signal.removeEventListener('abort', startLastTimeout)
    }
  }

  /** @returns whether the result is final */
  #applyResult(target: Target, result: BatchResult): boolean {
    const { status, claim, error } = result
    const wasSent = target.result === 'unanswered'
    target.code = error?.code ?? null
    target.message = error?.message ?? null
    // After a 503, the event may have been recorded.
    if (isRetryable(result)) target.result = status === 429 ? target.result : 'unanswered'
    else if (error) target.result = isGone(result) && wasSent ? 'gone' : 'refused'
    // The candidate was deleted and created again after the check of its test clock.
    else if (claim?.test_clock_id !== target.testClockId) target.result = 'misdirected'
    else target.result = status === 201 || this.#isGeneratedId ? 'recorded' : 'repeated'
    target.isReplay = status === 200
    target.status = claim?.status ?? null
    target.scheduledOutcome = claim?.scheduled_outcome ?? null
    return !isRetryable(result)
  }

  #setState(changed: Partial<RunState>): void {
    this.#state = { ...this.#state, ...changed }
    for (const listener of this.#listeners) listener()
  }
}

/**
 * Finds the deleted test clocks among these. Returns the result for their candidates: deleting a clock deletes its candidates,
 * and a new candidate that was not counted may use the same alias.
 */
async function findDeletedClocks(
  ids: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Map<string, BatchResult>> {
  const deletedClocks = new Map<string, BatchResult>()
  const check = async (id: string) => {
    try {
      await readTestClock(id, signal)
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'TEST_CLOCK_NOT_FOUND')) throw error
      const message = 'The candidate was deleted with its test clock.'
      deletedClocks.set(id, { status: error.status, error: { code: error.code, message } })
    }
  }
  await Promise.all(Array.from(ids, check))
  return deletedClocks
}
