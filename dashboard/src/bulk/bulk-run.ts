import type { Outcome, Status } from '../../../src/core/claims/lifecycle.ts'
import type { JsonObject } from '../../../src/kernel/json.ts'
import type { ClaimKind } from '../api/claims.ts'
import { isLost } from '../api/client.ts'
import { type BatchResult, submitToEach } from '../api/event-batches.ts'
import { newKey } from '../api/once.ts'
import type { Account } from '../api/records.ts'
import { pause } from '../pause.ts'
import type { Counted } from './count-list.ts'
import { deletedClocks } from './deleted-clocks.ts'
import { assertAccount } from './same-account.ts'
import { pauseAfter, untilAnswered } from './until-answered.ts'

/**
 * What is known of a claim's event. `unanswered`: it was sent, and whether it was recorded is not known. `repeated`: the
 * claim has an event of this id and content, be it of a try without an answer. `gone`: it was sent, and the log that would tell
 * is not there any more. `misdirected`: another has it, to which the alias had gone.
 */
export type Result = 'waiting' | 'unanswered' | 'gone' | 'recorded' | 'repeated' | 'misdirected' | 'refused'

/** A claim or candidate that the event goes to. */
export interface Target extends Omit<Counted, 'status'> {
  result: Result
  /** How it stood when that was answered. */
  status: Status | null
  scheduledOutcome: Outcome | null
  /** The event was there already: what has settled it since may be another. */
  isReplay: boolean
  /** Why it was refused, or is not answered. */
  code: string | null
  message: string | null
}

export interface RunState {
  phase: 'paused' | 'running' | 'ended'
  /** The person has paused or stopped it, and an answer is still awaited. */
  isSettling: boolean
  /** Why it waits, or has paused by itself. */
  trouble: unknown
}

const MOST_IN_PIECE = 100
/** A request has 8 MiB at most, and the answer brings contracts too. */
const MOST_BYTES_IN_PIECE = 2 * 1024 * 1024
/** The service answers sooner, or not any more. */
const LONGEST_ANSWER_MS = 60_000
/** Whoever stops waits no longer than this for the last answer. */
const LAST_ANSWER_MS = 10_000

/** Of a single event: it is sent again. */
const isForNow = ({ status }: BatchResult) => status === 429 || status >= 500

/** There is none, or its log is gone: nothing tells whether it had the event. */
const isGone = ({ status }: BatchResult) => status === 404 || status === 410

/** It can still be sent. */
const isLeft = ({ result }: Target) => result === 'waiting' || result === 'unanswered'

/**
 * One event on its way to many, piece by piece. The id is the same in each try, so each has the event once however
 * often a piece is sent.
 */
export class BulkRun {
  readonly kind: ClaimKind
  readonly event: JsonObject & { id: string; type: string }
  readonly targets: readonly Target[]
  /** Whose they are. */
  readonly account: Account
  /** Whether the id was made for this run: then whoever has an event of it has it from this run. */
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

  /** Begins, or goes on with what is left. */
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
      // Those come after all others.
      left = [...left.slice(piece.length), ...again]
      failures = again.length === 0 ? 0 : again.length < piece.length ? 1 : failures + 1
      this.#show({ trouble: again.length === 0 ? null : new Error(again[0]?.message ?? '') })
      if (failures > 0) await pause(pauseAfter(failures), halt)
    }
  }

  /** @returns those that are to be sent again */
  async #send(piece: readonly Target[], halt: AbortSignal): Promise<Target[]> {
    // Ids are never free again, aliases are.
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
      // They are nobody's but the account's: to somebody who has signed in meanwhile, none is there.
      if (results.some(isGone)) await assertAccount(this.account, patience)
      return results
    } catch (error) {
      // Other answers say that nothing of it was done.
      if (results || isLost(error)) for (const target of piece) target.result = 'unanswered'
      throw error
    } finally {
      halt.removeEventListener('abort', endSoon)
    }
  }

  /** @returns whether that was the last word */
  #take(target: Target, result: BatchResult): boolean {
    const { status, claim, error } = result
    const wasSent = target.result === 'unanswered'
    target.code = error?.code ?? null
    target.message = error?.message ?? null
    // A 503 may say that it is not known whether the event was recorded.
    if (isForNow(result)) target.result = status === 429 ? target.result : 'unanswered'
    else if (error) target.result = isGone(result) && wasSent ? 'gone' : 'refused'
    // Deleted with its clock and made again in the moment since that was looked at.
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
