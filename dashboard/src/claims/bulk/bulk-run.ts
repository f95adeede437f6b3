import type { Outcome, Status } from '../../../../src/core/claims/lifecycle.ts'
import type { JsonObject } from '../../../../src/kernel/json.ts'
import { ApiError, isLost } from '../../api/client.ts'
import { newKey } from '../../api/idempotency-keys.ts'
import { pause } from '../../api/pause.ts'
import type { Account, ClaimKind } from '../../api/records.ts'
import { readTestClock } from '../../test-clocks/test-clocks-api.ts'
import type { Counted } from './count-list.ts'
import { type BatchResult, submitToEach } from './event-batches-api.ts'
import { pauseAfter, untilAnswered } from './retry.ts'
import { assertAccount } from './same-account.ts'

/** The state of the event of one claim.
 * - `unanswered`: sent, and the outcome is unknown.
 * - `repeated`: the claim already had an event with this id and content.
 * - `gone`: sent without a response, and the claim is now deleted or archived, so the outcome stays unknown.
 * - `misdirected`: recorded by another candidate that was created with the same alias.
 */
export type Result = 'waiting' | 'unanswered' | 'gone' | 'recorded' | 'repeated' | 'misdirected' | 'refused'

/** A recipient of the event. */
export interface Target extends Omit<Counted, 'status'> {
  result: Result
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
  /** Paused or stopped by the user, while a response is still awaited. */
  isSettling: boolean
  /** Why the run waits or has paused by itself. */
  trouble: unknown
}

const MOST_IN_PIECE = 100
/** A request may have 8 MiB, and the response also contains contracts. */
const MOST_BYTES_IN_PIECE = 2 * 1024 * 1024
/** Longer than the service takes for a batch. */
const LONGEST_ANSWER_MS = 60_000
/** How long a stop waits for the last response. */
const LAST_ANSWER_MS = 10_000

/** The event is sent again. */
const isForNow = ({ status }: BatchResult) => status === 429 || status >= 500

/** Deleted or archived: it is unknown whether the log had the event. */
const isGone = ({ status }: BatchResult) => status === 404 || status === 410

/** The event can still be sent. */
const isLeft = ({ result }: Target) => result === 'waiting' || result === 'unanswered'

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
  readonly #isOwnId: boolean
  readonly #pieceSize: number
  readonly #listeners = new Set<() => void>()
  #state: RunState = { phase: 'paused', isSettling: false, trouble: null }
  #halt: AbortController | null = null
  #haltTo: 'paused' | 'ended' = 'paused'

  constructor(
    kind: ClaimKind,
    event: JsonObject & { type: string },
    counted: readonly Counted[],
    account: Account,
  ) {
    this.kind = kind
    this.account = account
    this.#isOwnId = typeof event.id !== 'string'
    this.event = { ...event, id: typeof event.id === 'string' ? event.id : `bulk-${newKey()}` }
    const bytes = new TextEncoder().encode(JSON.stringify(this.event)).length
    this.#pieceSize = Math.max(1, Math.min(MOST_IN_PIECE, Math.floor(MOST_BYTES_IN_PIECE / bytes)))
    const unknown = { status: null, scheduledOutcome: null, isReplay: false, code: null, message: null }
    this.targets = counted.map((one) => ({ ...one, ...unknown, result: 'waiting' }))
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  state = (): RunState => this.#state

  countLeft = (): number => this.targets.filter(isLeft).length

  /** Starts, or continues with the remaining targets. */
  start = (): void => {
    if (this.#halt) return
    this.#halt = new AbortController()
    this.#show({ phase: 'running', trouble: null })
    void this.#run(this.#halt.signal)
  }

  pause = (): void => this.#haltAs('paused')

  stop = (): void => this.#haltAs('ended')

  #haltAs(phase: 'paused' | 'ended'): void {
    this.#haltTo = phase
    this.#halt?.abort()
    this.#show(this.#halt ? { isSettling: true } : { phase })
  }

  async #run(halt: AbortSignal): Promise<void> {
    try {
      await this.#sendAll(halt)
      this.#end(halt.aborted ? this.#haltTo : 'ended', null)
    } catch (error) {
      this.#end(halt.aborted ? this.#haltTo : 'paused', halt.aborted ? null : error)
    }
  }

  #end(phase: 'paused' | 'ended', trouble: unknown): void {
    this.#halt = null
    this.#show({ phase, isSettling: false, trouble })
  }

  async #sendAll(halt: AbortSignal): Promise<void> {
    let failures = 0
    let left = this.targets.filter(isLeft)
    while (left.length > 0 && !halt.aborted) {
      const piece = left.slice(0, this.#pieceSize)
      const again = await untilAnswered(
        () => this.#send(piece, halt),
        halt,
        (trouble) => this.#show({ trouble }),
      )
      // Failed targets go to the end of the queue.
      left = [...left.slice(piece.length), ...again]
      failures = again.length === 0 ? 0 : again.length < piece.length ? 1 : failures + 1
      this.#show({ trouble: again.length === 0 ? null : new Error(again[0]?.message ?? '') })
      if (failures > 0) await pause(pauseAfter(failures), halt)
    }
  }

  /** @returns the targets to send again */
  async #send(piece: readonly Target[], halt: AbortSignal): Promise<Target[]> {
    // An alias can be reused after its test clock is deleted, an id cannot.
    const clocks = this.kind === 'candidates' ? piece.flatMap(({ testClockId }) => testClockId ?? []) : []
    const deleted = await deletedClocks(new Set(clocks), halt)
    await assertAccount(this.account, halt)
    const there: Target[] = []
    for (const target of piece) {
      const refusal = deleted.get(target.testClockId ?? '')
      if (refusal) this.#take(target, refusal)
      else there.push(target)
    }
    if (there.length === 0) return []
    const results = await this.#post(there, halt)
    return there.filter((target, i) => !this.#take(target, results[i] as BatchResult))
  }

  async #post(piece: readonly Target[], halt: AbortSignal): Promise<BatchResult[]> {
    const end = new AbortController()
    const endSoon = () => setTimeout(() => end.abort(), LAST_ANSWER_MS)
    halt.addEventListener('abort', endSoon)
    const patience = AbortSignal.any([end.signal, AbortSignal.timeout(LONGEST_ANSWER_MS)])
    const names = piece.map(({ name }) => name)
    let results: BatchResult[] | null = null
    try {
      results = await submitToEach(this.kind, names, this.event, patience)
      // If another account has signed in, the service answers 404 for all targets.
      if (results.some(isGone)) await assertAccount(this.account, patience)
      return results
    } catch (error) {
      // Other errors mean that nothing was recorded.
      if (results || isLost(error)) for (const target of piece) target.result = 'unanswered'
      throw error
    } finally {
      halt.removeEventListener('abort', endSoon)
    }
  }

  /** @returns whether the result is final */
  #take(target: Target, result: BatchResult): boolean {
    const { status, claim, error } = result
    const wasSent = target.result === 'unanswered'
    target.code = error?.code ?? null
    target.message = error?.message ?? null
    // After a 503, the event may have been recorded.
    if (isForNow(result)) target.result = status === 429 ? target.result : 'unanswered'
    else if (error) target.result = isGone(result) && wasSent ? 'gone' : 'refused'
    // The candidate was deleted and created again after the check of its test clock.
    else if (claim?.test_clock_id !== target.testClockId) target.result = 'misdirected'
    else target.result = status === 201 || this.#isOwnId ? 'recorded' : 'repeated'
    target.isReplay = status === 200
    target.status = claim?.status ?? null
    target.scheduledOutcome = claim?.scheduled_outcome ?? null
    return !isForNow(result)
  }

  #show(changed: Partial<RunState>): void {
    this.#state = { ...this.#state, ...changed }
    for (const listener of this.#listeners) listener()
  }
}

/**
 * Those of these test clocks that are deleted, with what is to be said of their candidates: they went with them, and
 * others that were not counted may have their aliases by now.
 */
async function deletedClocks(
  ids: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Map<string, BatchResult>> {
  const deleted = new Map<string, BatchResult>()
  const look = async (id: string) => {
    try {
      await readTestClock(id, signal)
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'TEST_CLOCK_NOT_FOUND')) throw error
      const message = 'The candidate was deleted with its test clock.'
      deleted.set(id, { status: error.status, error: { code: error.code, message } })
    }
  }
  await Promise.all(Array.from(ids, look))
  return deleted
}
