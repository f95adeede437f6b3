import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { LONG_CONTRACTS_BATCH_SIZE } from '../claims/limits.ts'
import { lateByOf, presentEither, presentRecorded } from '../claims/present-claim.ts'
import { readContracts } from '../claims/read-contracts.ts'
import type { Claim, WithContract } from '../core/claims/claim.ts'
import type { LogEvent } from '../core/claims/event.ts'
import type { Contract } from '../core/contracts/contract.ts'
import { claimNotFound } from '../core/record-errors.ts'
import { unavailable } from '../kernel/errors.ts'
import { withRejectionHandler } from '../kernel/promises.ts'
import { runCooperatively } from '../platform/concurrency/cooperative.ts'
import { FairSemaphore, type Permit } from '../platform/concurrency/fair-semaphore.ts'
import { loadLazyColumns } from '../platform/database/lists/lazy-columns.ts'
import type { Item } from '../platform/http/bodies/parse-json.ts'
import { errorResult } from '../platform/http/responses/batch.ts'
import { JsonText } from '../platform/http/responses/json-stream.ts'
import {
  CONTRACT_READ_PAUSE_MS,
  CONTRACT_READ_RETRY_WITHIN_MS,
  MAX_RESULT_CONTRACT_BYTES,
  MAX_RESULT_CONTRACT_BYTES_PER_ACCOUNT,
  MAX_UNCOUNTED_CONTRACT_BYTES,
} from './limits.ts'
import type { EventRequest, OnAnswer, SubmittedEvent } from './submission/pending-submission.ts'
import { prefersMinimal } from './submission-bodies.ts'

/** In place of a contract: the claim was deleted, or the contract could not be read. */
const DELETED = Symbol('deleted')
const UNREADABLE = Symbol('unreadable')

type StoredContract = string | typeof DELETED | typeof UNREADABLE

/** The result of an item, in as little memory as possible until its part of the response is sent. */
export type EventResult = CompleteResult | Recorded

/** An error, or a success without a body. */
interface CompleteResult {
  body: object
  /** Nothing has to be read. */
  contract: ''
}

interface Recorded {
  status: number
  event: LogEvent
  lateBy: number | undefined
  claim: WithContract<Claim, unknown>
  /** An object, or the stored JSON. Null: the contract is read when the result is sent. */
  contract: Contract | StoredContract | null
}

/** Submits the events of a request, and presents their results. */
export class EventResults {
  readonly #app: App
  readonly #request: FastifyRequest
  readonly #contracts: HeldContracts
  readonly #isMinimal: boolean
  /** Until then no contract is read, because a read has failed; by performance.now(). */
  #readAfter = 0

  constructor(app: App, request: FastifyRequest) {
    this.#app = app
    this.#request = request
    this.#contracts = new HeldContracts(request.userId)
    this.#isMinimal = prefersMinimal(request)
  }

  /** Submits synchronously, to keep the order of the calls. Rejects only on an internal error. */
  submit(request: EventRequest | Error): Promise<EventResult> {
    const { promise, resolve, reject } = Promise.withResolvers<EventResult>()
    this.#submit(request, this.#listener(resolve, reject))
    return promise
  }

  /** Submits all items in order, one step per item. */
  async submitAll(
    items: readonly Item[],
    read: (item: Item, place: number) => EventRequest | Error,
  ): Promise<EventResult[]> {
    const { promise, resolve, reject } = Promise.withResolvers<EventResult[]>()
    // The promise may reject while items are still submitted.
    void withRejectionHandler(promise)
    let results = new Array<EventResult>(items.length)
    let left = items.length
    const put = (result: EventResult, place: number) => {
      results[place] = result
      if (--left > 0) return
      resolve(results)
      // A stalled submission still references this function after its answer.
      results = []
    }
    const listener = this.#listener(put, reject)
    await runCooperatively(this.#submitEach(items, read, listener))
    return promise
  }

  *#submitEach(
    items: readonly Item[],
    read: (item: Item, place: number) => EventRequest | Error,
    listener: OnAnswer,
  ): Generator<void, void> {
    for (const [place, item] of items.entries()) {
      this.#submit(read(item, place), listener, place)
      yield
    }
  }

  #submit(request: EventRequest | Error, listener: OnAnswer, place = 0): void {
    try {
      if (request instanceof Error) throw request
      this.#app.submissions.enqueue(request, listener, place)
    } catch (error) {
      listener(error as Error, place)
    }
  }

  /** @param fail receives an error that cannot be presented as a result */
  #listener(put: (result: EventResult, place: number) => void, fail: (fault: unknown) => void): OnAnswer {
    return (answer, place) => {
      try {
        put(this.#resultOf(answer), place)
      } catch (fault) {
        fail(fault)
      }
    }
  }

  /** An internal error becomes the result of its item and affects no other item. */
  #resultOf(answer: SubmittedEvent | Error): EventResult {
    try {
      return answer instanceof Error ? this.#refused(answer) : this.#recorded(answer)
    } catch (fault) {
      return this.#refused(fault as Error)
    }
  }

  #recorded({ event, claim, contractBytes, replayed }: SubmittedEvent): EventResult {
    const status = this.#isMinimal ? 204 : replayed ? 200 : 201
    this.#request.logContext?.count(status)
    if (this.#isMinimal) return { body: { status }, contract: '' }
    const { contract } = claim
    const lateBy = lateByOf(claim, event)
    if (this.#contracts.hold(contract, contractBytes)) return { status, event, lateBy, claim, contract }
    return { status, event, lateBy, claim: { ...claim, contract: null }, contract: null }
  }

  #refused(error: Error): EventResult {
    const body = this.#refusal(error)
    this.#request.logContext?.count(body.status)
    return { body, contract: '' }
  }

  /** Frees the memory of the results, even if the response fails. */
  endWith({ raw }: FastifyReply): void {
    if (raw.destroyed) this.#contracts.end()
    else raw.once('close', () => this.#contracts.end())
  }

  /** Pages of result bodies. Each body is made when it is requested. */
  async *stream(results: readonly EventResult[]): AsyncGenerator<Iterable<object>> {
    const pages = loadLazyColumns<EventResult, string, 'contract'>(results, {
      columns: ['contract'],
      batchSize: LONG_CONTRACTS_BATCH_SIZE,
      key: (result) => (result as Recorded).claim.id,
      read: async (some) => {
        const read = await this.#readContracts(some.map((result) => (result as Recorded).claim.id))
        return new Map([...read].map(([id, contract]) => [id, { contract }]))
      },
      onMissing: () => new Error('a contract was not read'),
    })
    for await (const page of pages) yield page.values().map((result) => this.#toBody(result))
  }

  /** The body of one result. */
  async present(result: EventResult): Promise<object> {
    if (result.contract !== null) return this.#toBody(result)
    const { id } = result.claim
    const read = await this.#readContracts([id])
    return this.#toBody({ ...result, contract: read.get(id) as StoredContract })
  }

  /** Never rejects: the result of a recorded event must be sent. */
  async #readContracts(ids: readonly string[]): Promise<Map<string, StoredContract>> {
    if (performance.now() < this.#readAfter) return new Map(ids.map((id) => [id, UNREADABLE]))
    try {
      const found = await this.#readTwice(ids)
      return new Map(ids.map((id) => [id, found.get(id) ?? DELETED]))
    } catch (error) {
      this.#request.log.warn({ err: error }, 'contracts of event results could not be read')
      this.#readAfter = performance.now() + CONTRACT_READ_PAUSE_MS
      return new Map(ids.map((id) => [id, UNREADABLE]))
    }
  }

  /** A read that fails soon may have used a lost connection. The next connection is good. */
  async #readTwice(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const since = performance.now()
    const read = () => readContracts(this.#app, this.#request.userId, ids)
    try {
      return await read()
    } catch (error) {
      if (performance.now() - since > CONTRACT_READ_RETRY_WITHIN_MS) throw error
      return await read()
    }
  }

  #toBody(result: EventResult): object {
    if ('body' in result) return result.body
    const { status, event, lateBy, claim, contract } = result
    if (contract === DELETED) return this.#refusal(claimNotFound(addressOf(claim)))
    if (contract === UNREADABLE) return this.#refusal(recordedWithoutClaim(event))
    if (typeof contract === 'string') return presentWith(result, contract)
    this.#contracts.release(contract as Contract)
    const body = { status, event: presentRecorded(event), late_by: lateBy, claim: presentEither(claim) }
    return body.event instanceof JsonText ? JsonText.ofObject(body) : body
  }

  readonly #refusal = (error: Error) => errorResult(error, this.#request)
}

function presentWith({ status, event, lateBy, claim }: Recorded, contract: string): JsonText {
  const presented = presentEither({ ...claim, contract: new JsonText(contract) })
  const fields = { event: presentRecorded(event), late_by: lateBy, claim: JsonText.ofObject(presented) }
  return JsonText.ofObject({ status, ...fields })
}

const addressOf = ({ id, candidateAlias }: Recorded['claim']) =>
  candidateAlias === null
    ? ({ kind: 'claim', id } as const)
    : ({ kind: 'candidate', alias: candidateAlias } as const)

const recordedWithoutClaim = ({ id }: LogEvent) =>
  unavailable(
    `The event was recorded, but the state of its claim is not known: the database did not answer. Send the event again with the id ${JSON.stringify(id)}: that is safe.`,
  )

/** Bytes of parsed contracts that results hold until they are sent. */
const resultContracts = new FairSemaphore({
  max: MAX_RESULT_CONTRACT_BYTES,
  maxPerKey: MAX_RESULT_CONTRACT_BYTES_PER_ACCOUNT,
  createError: () => unavailable('Too many contracts are held for responses.'),
})

/**
 * The contracts that the results of one request hold until they are sent. A request of some kilobytes may name a thousand
 * claims, whose parsed contracts take megabytes. A contract without a permit is dropped, and read again when its result is sent.
 */
export class HeldContracts {
  readonly #account: string
  readonly #held = new Map<Contract, { uses: number; permit: Permit }>()
  #hasEnded = false

  constructor(account: string) {
    this.#account = account
  }

  /** Returns false if the contract must be dropped. @param bytes that it takes as an object */
  hold(contract: Contract, bytes: number): boolean {
    if (bytes <= MAX_UNCOUNTED_CONTRACT_BYTES) return true
    if (this.#hasEnded) return false
    const held = this.#held.get(contract)
    if (held) held.uses++
    else {
      const permit = resultContracts.tryAcquire(this.#account, bytes)
      if (!permit) return false
      this.#held.set(contract, { uses: 1, permit })
    }
    return true
  }

  /** A result with the contract was sent. */
  release(contract: Contract): void {
    const held = this.#held.get(contract)
    if (!held || --held.uses > 0) return
    this.#held.delete(contract)
    held.permit.release()
  }

  /** The response was sent, or the connection was closed. */
  end(): void {
    this.#hasEnded = true
    for (const { permit } of this.#held.values()) permit.release()
    this.#held.clear()
  }
}
