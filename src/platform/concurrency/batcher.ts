import { setImmediate as nextTick } from 'node:timers/promises'
import { withRejectionHandler } from '../../kernel/promises.ts'
import type { Lifecycle } from '../../kernel/start-stop.ts'
import { FairQueue } from './fair-queue.ts'
import {
  BATCH_TIMEOUT_CHECK_INTERVAL_MS,
  FIRST_BACKOFF_MS,
  MAX_BACKOFF_MS,
  MIN_KEYS_FOR_ANOTHER_BATCH,
} from './limits.ts'
import type { Linger } from './linger.ts'

/*
 * Batcher: runs the items of many callers in few batches.
 *
 * Why: a statement and its commit cost about the same for one item as for hundreds.
 * States of an item: queued, in flight, suspended (before a retry), done. An item that arrives while nothing is in flight runs
 * in the next tick. Items that arrive while a batch is in flight share the next batch.
 * Invariants:
 * - Each item is done exactly once, with a result or an error, unless `enqueue` refused it.
 * - Items with the same account and order key run in the order of arrival, and one batch at most has items of that key.
 * - A batch has items of one partition, and at most `maxItems` and `maxWeight`. An item or key that exceeds `maxWeight` runs
 *   in a batch of its own. Accounts have equal shares of a batch.
 * - If a batch of several items is refused, each of its items runs alone. A refused item fails no other item.
 * Limits: `maxPending…` bounds the items that are not done, `maxInFlight` the batches in flight of a partition.
 */

export interface BatcherOptions<Item, Result> {
  /** Returns the outcome of each item, in order. If it rejects, it has done nothing for any item. */
  run: (items: readonly Item[], partition: number) => Promise<readonly (Result | Error | Retry)[]>
  /** An account may have as many pending items as are left for others. Items in flight are pending too. */
  maxPending: number
  maxPendingWeight?: number
  maxPendingPerAccount?: number
  maxItems?: number
  maxWeight: number
  weightOf: (item: Item) => number
  /** Batches in flight at once, of each partition. */
  maxInFlight: number
  /** A few keys start another batch after this time, because the batch in flight may be stalled. */
  stallAfterMs: number
  /** By default all items are in one partition. */
  partitionOf?: (item: Item) => number
  /** Only items with the same batch key share a batch of their partition. By default all do. */
  batchKeyOf?: (item: Item) => number
  /** By default the order of the items does not matter. */
  orderKeyOf?: (item: Item) => string
  /** An account may fill half of its room with items of such a partition. */
  isDegraded?: (partition: number) => boolean
  newLinger?: () => Linger
  /** Since the arrival of the item. */
  queueTimeoutMs: number
  /** An item that is older is not retried. */
  retryTimeoutMs?: number
  /** An item that is older is answered although it is in flight. By default it waits for its batch. */
  runTimeoutMs?: number
  /** Answers in one tick of the event loop. By default all. */
  maxAnswersPerTick?: number
  /** The batch may succeed if it runs again at once. */
  isTransient: (error: unknown) => boolean
  /** The error is no item's fault: all items of the batch fail with it. */
  isOutage: (error: unknown) => boolean
  /** Must not throw: the items of the batch would stay without an answer. */
  createError: (reason: BatcherFailure, item: Item, partition: number) => Error
}

export type BatcherFailure = 'stopping' | 'queue full' | 'queue timeout' | 'run timeout'

export type OnDone<Item, Result> = (outcome: Result | Error, item: Item) => void

/** The outcome of an item that runs again, before the later items of its order key. */
export class Retry {
  /** The item runs in a batch of its own. */
  readonly isAlone: boolean
  /** Weight of the order key besides its items. Such keys are oversized: they share batches with each other only. */
  readonly keyWeight: number
  /** When the order key continues. By default at once. `isWanted`: items of the key still wait. */
  readonly after: 'now' | 'backoff' | ((isWanted: () => boolean) => Promise<void>)

  constructor(options: { isAlone?: true; keyWeight?: number; after?: Retry['after'] } = {}) {
    this.isAlone = options.isAlone ?? false
    this.keyWeight = options.keyWeight ?? 0
    this.after = options.after ?? 'now'
  }
}

export class Batcher<Item, Result> implements Lifecycle {
  readonly #options: BatcherOptions<Item, Result>
  readonly #partitions: Partition<Item, Result>[] = []
  readonly #partitionById = new Map<number, Partition<Item, Result>>()
  /** A plain object: the tables that a busy Map leaves behind keep its values alive until a major garbage collection. */
  readonly #accounts: Record<string, Account<Item, Result>> = Object.create(null)
  readonly #suspended = new Set<KeyQueue<Item, Result>>()
  readonly #pending: Load = { items: 0, weight: 0 }
  #suspendedItems = 0
  #rotation = 0
  #isScheduled = false
  #startTimer: NodeJS.Timeout | null = null
  #timeoutTimer: NodeJS.Timeout | null = null
  /** Resolves when nothing is pending; null until `stop`. */
  #stopping: PromiseWithResolvers<void> | null = null

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options
  }

  /** Items that are queued or in flight. Suspended items do not count. */
  get active(): number {
    return this.#pending.items - this.#suspendedItems
  }

  get isIdle(): boolean {
    return this.active === 0 && this.#partitions.every(({ inFlight }) => inFlight.length === 0)
  }

  submit(account: string, item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const onDone = (outcome: Result | Error) =>
        outcome instanceof Error ? reject(outcome) : resolve(outcome)
      const refusal = this.enqueue(account, item, onDone)
      if (refusal) reject(refusal)
    })
  }

  /**
   * @param onDone is called once, later. An error that it throws is ignored.
   * @returns an error if the item is refused; then `onDone` is not called
   */
  enqueue(account: string, item: Item, onDone: OnDone<Item, Result>): Error | null {
    const { createError, weightOf, partitionOf, orderKeyOf } = this.#options
    const partition = partitionOf?.(item) ?? 0
    const weight = weightOf(item)
    if (this.#stopping) return createError('stopping', item, partition)
    if (!this.#hasRoom(account, weight, partition)) return createError('queue full', item, partition)
    const entry = { item, weight, since: performance.now(), onDone, isAlone: false, isDone: false }
    this.#push(account, partition, orderKeyOf?.(item) ?? null, entry)
    this.#timeoutTimer ??= setTimeout(() => this.#expire(), BATCH_TIMEOUT_CHECK_INTERVAL_MS).unref()
    this.#schedule()
    return null
  }

  /** Refuses further items. Resolves when all pending items are done. */
  stop(): Promise<void> {
    this.#stopping ??= Promise.withResolvers()
    this.#stopIfDone()
    return this.#stopping.promise
  }

  #stopIfDone(): void {
    if (!this.#stopping || this.#pending.items > 0) return
    for (const timer of [this.#timeoutTimer, this.#startTimer]) if (timer) clearTimeout(timer)
    this.#timeoutTimer = null
    this.#stopping.resolve()
  }

  #hasRoom(id: string, weight: number, partition: number): boolean {
    const { maxPending, maxPendingWeight = Infinity, maxPendingPerAccount = Infinity } = this.#options
    const room = {
      items: Math.min(maxPending - this.#pending.items, maxPendingPerAccount),
      weight: maxPendingWeight - this.#pending.weight,
    }
    const { pending, byPartition } = this.#accounts[id] ?? NO_ACCOUNT
    if (!fits(pending, room, weight)) return false
    if (!this.#options.isDegraded?.(partition)) return true
    return fits(byPartition[partition] ?? NO_LOAD, { items: room.items / 2, weight: room.weight / 2 }, weight)
  }

  #push(accountId: string, partitionId: number, key: string | null, entry: Entry<Item, Result>): void {
    const account = this.#accounts[accountId] ?? newAccount<Item, Result>(accountId)
    this.#accounts[accountId] = account
    let queue = key === null ? undefined : account.queues[key]
    if (queue) {
      queue.entries.push(entry)
      if (queue.isSuspended) this.#suspendedItems++
    } else {
      queue = {
        account,
        partition: this.#partition(partitionId),
        key,
        // An array literal: an empty array that grows allocates room for 17 elements.
        entries: [entry],
        isSuspended: false,
        keyWeight: 0,
        backoffMs: 0,
      }
      if (key !== null) account.queues[key] = queue
      this.#makeReady(queue)
    }
    this.#count(queue, entry, 1)
  }

  #partition(id: number): Partition<Item, Result> {
    let partition = this.#partitionById.get(id)
    if (!partition) {
      const linger = this.#options.newLinger?.() ?? null
      partition = { id, regular: new FairQueue(), oversized: new FairQueue(), inFlight: [], linger }
      this.#partitionById.set(id, partition)
      this.#partitions.push(partition)
    }
    return partition
  }

  #count({ account, partition }: KeyQueue<Item, Result>, { weight }: Entry<Item, Result>, by: 1 | -1): void {
    const { byPartition } = account
    byPartition[partition.id] ??= { items: 0, weight: 0 }
    for (const load of [this.#pending, account.pending, byPartition[partition.id] as Load]) {
      load.items += by
      load.weight += by * weight
    }
    if (account.pending.items === 0) delete this.#accounts[account.id]
  }

  /** The key may be taken, or is removed if no item of it is queued. */
  #makeReady(queue: KeyQueue<Item, Result>): void {
    const { account, entries, key, keyWeight, partition } = queue
    if (entries.length > 0) (keyWeight > 0 ? partition.oversized : partition.regular).push(account.id, queue)
    else if (key !== null) delete account.queues[key]
  }

  /** In the next tick: items that arrive in this tick share the batch. */
  #schedule(): void {
    const { maxInFlight } = this.#options
    if (this.#isScheduled || this.#partitions.every(({ inFlight }) => inFlight.length === maxInFlight)) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#startBatches()
    })
  }

  /** Starts the batches that may start now. The partition that comes first changes each time. */
  #startBatches(now = performance.now()): void {
    const first = this.#rotation++ % Math.max(this.#partitions.length, 1)
    for (const partition of [...this.#partitions.slice(first), ...this.#partitions.slice(0, first)]) {
      if (this.#canStartOversized(partition)) this.#start(partition, true, now)
      while (this.#startTime(partition, now) <= now) this.#start(partition, false, now)
    }
    if (this.#startTimer) clearTimeout(this.#startTimer)
    const next = Math.min(...this.#partitions.map((partition) => this.#startTime(partition, now)))
    this.#startTimer =
      next === Infinity ? null : setTimeout(() => this.#startBatches(), Math.max(0, next - now))
  }

  /** One oversized batch at most is in flight, so that the other batches remain for regular keys. */
  #canStartOversized({ oversized, inFlight }: Partition<Item, Result>): boolean {
    return (
      oversized.size > 0 &&
      inFlight.length < this.#options.maxInFlight &&
      !inFlight.some(({ isOversized }) => isOversized)
    )
  }

  /** When the ready keys start unless more keys join them. Infinity if no key is ready or the partition is full. */
  #startTime({ regular, inFlight, linger }: Partition<Item, Result>, now: number): number {
    if (regular.size === 0 || inFlight.length >= this.#options.maxInFlight) return Infinity
    const deadline = linger?.deadline(regular.size, now) ?? null
    if (deadline !== null) return deadline
    if (regular.size >= MIN_KEYS_FOR_ANOTHER_BATCH) return now
    const latest = inFlight.findLast(({ isOversized }) => !isOversized)
    return latest ? latest.since + this.#options.stallAfterMs : now
  }

  #start(partition: Partition<Item, Result>, isOversized: boolean, now: number): void {
    if (!isOversized) partition.linger?.end(partition.regular.size)
    const queues = isOversized ? partition.oversized : partition.regular
    const batch = { parts: this.#takeParts(queues), isOversized, since: now }
    partition.inFlight.push(batch)
    void withRejectionHandler(this.#complete(partition, batch))
  }

  /** Each account has an equal share, and at least one item if it fits. The keys are in flight until `#complete`. */
  #takeParts(queues: FairQueue<KeyQueue<Item, Result>>): BatchPart<Item, Result>[] {
    const { maxItems = Infinity, maxWeight, batchKeyOf } = this.#options
    const parts: BatchPart<Item, Result>[] = []
    const left = { items: maxItems, weight: maxWeight }
    let share = { items: Math.ceil(maxItems / queues.keyCount), weight: maxWeight / queues.keyCount }
    const used = new Map<Account<Item, Result>, Load>()
    let batchKey: number | undefined

    const isEligible = (_: unknown, { account, entries, keyWeight }: KeyQueue<Item, Result>) => {
      const [{ item, weight, isAlone }] = entries as [Entry<Item, Result>]
      if (parts.length === 0) return true
      if (isAlone || batchKeyOf?.(item) !== batchKey) return false
      const own = used.get(account)
      return hasLeft(left, weight + keyWeight) && (!own || fits(own, share, weight + keyWeight))
    }
    for (;;) {
      const queue = queues.take(isEligible)?.item
      if (!queue && share === NO_LIMIT) return parts
      if (!queue) {
        // Room that accounts leave of their shares is for the others.
        share = NO_LIMIT
        continue
      }
      const { account, entries, keyWeight } = queue
      const own = used.get(account) ?? { items: 0, weight: 0 }
      used.set(account, own)
      let count = 0
      for (const { item, weight, isAlone } of entries) {
        const cost = count === 0 ? weight + keyWeight : weight
        if (count > 0 && (isAlone || !hasLeft(left, cost) || !fits(own, share, cost))) break
        if (count > 0 && batchKeyOf?.(item) !== batchKey) break
        batchKey = batchKeyOf?.(item)
        left.items--
        left.weight -= cost
        own.items++
        own.weight += cost
        count++
        if (isAlone) left.items = 0
        if (isAlone) break
      }
      parts.push({ queue, entries: entries.splice(0, count) })
    }
  }

  /** Whatever happens, each item of the batch is done or queued again, and the partition has room again. */
  async #complete(partition: Partition<Item, Result>, batch: Batch<Item, Result>): Promise<void> {
    try {
      const items = batch.parts.flatMap(({ entries }) => entries.map(({ item }) => item))
      await this.#settle(batch, await this.#run(items, partition.id))
    } finally {
      partition.inFlight.splice(partition.inFlight.indexOf(batch), 1)
      if (partition.linger && !batch.isOversized) {
        const now = performance.now()
        const answered = batch.parts.filter(({ queue }) => queue.entries.length === 0).length
        partition.linger.begin(answered, partition.regular.size, now - batch.since, now)
      }
      this.#startBatches()
      this.#stopIfDone()
    }
  }

  async #run(items: readonly Item[], partition: number): Promise<readonly (Result | Error | Retry)[]> {
    const { run, isTransient, isOutage } = this.#options
    for (let isFirst = true; ; isFirst = false) {
      try {
        return await run(items, partition)
      } catch (error) {
        if (isFirst && isTransient(error)) continue
        const outcome = items.length > 1 && !isOutage(error) ? ALONE : (error as Error)
        return items.map(() => outcome)
      }
    }
  }

  async #settle(
    { parts }: Batch<Item, Result>,
    outcomes: readonly (Result | Error | Retry)[],
  ): Promise<void> {
    const { maxAnswersPerTick = Infinity } = this.#options
    let index = 0
    for (const { queue, entries } of parts) {
      const again: Entry<Item, Result>[] = []
      let wait: Retry | null = null
      for (const entry of entries) {
        const outcome = outcomes[index++]
        if (outcome instanceof Retry && this.#canRetry(entry)) {
          entry.isAlone ||= outcome.isAlone
          if (outcome.after !== 'now' || outcome.keyWeight > 0) wait = outcome
          again.push(entry)
        } else {
          this.#finish(entry, this.#finalOutcome(outcome, entry.item, queue.partition.id))
          this.#count(queue, entry, -1)
        }
        if (index % maxAnswersPerTick === 0) await nextTick()
      }
      queue.entries.unshift(...again)
      queue.keyWeight = wait?.keyWeight ?? 0
      // An oversized key keeps its backoff: its conflict may not have ended.
      if (!wait) queue.backoffMs = 0
      if (wait && wait.after !== 'now') this.#suspend(queue, wait.after)
      else this.#makeReady(queue)
    }
  }

  #canRetry({ since, isDone }: Entry<Item, Result>): boolean {
    return (
      !isDone && performance.now() - since < (this.#options.retryTimeoutMs ?? this.#options.queueTimeoutMs)
    )
  }

  #finalOutcome(outcome: Result | Error | Retry | undefined, item: Item, partition: number): Result | Error {
    if (outcome instanceof Retry) return this.#options.createError('queue timeout', item, partition)
    return outcome === undefined ? new Error('the batch returned no outcome for an item') : outcome
  }

  #finish(entry: Entry<Item, Result>, outcome: Result | Error): void {
    if (entry.isDone) return
    entry.isDone = true
    try {
      entry.onDone(outcome, entry.item)
    } catch {
      // The other items of the batch still get their outcomes.
    }
  }

  #suspend(queue: KeyQueue<Item, Result>, after: Exclude<Retry['after'], 'now'>): void {
    queue.isSuspended = true
    this.#suspended.add(queue)
    this.#suspendedItems += queue.entries.length
    const resume = () => {
      queue.isSuspended = false
      this.#suspended.delete(queue)
      this.#suspendedItems -= queue.entries.length
      this.#makeReady(queue)
      this.#schedule()
    }
    if (after === 'backoff') {
      queue.backoffMs = Math.min(Math.max(2 * queue.backoffMs, FIRST_BACKOFF_MS), MAX_BACKOFF_MS)
      setTimeout(resume, queue.backoffMs)
    } else {
      const isWanted = () => queue.entries.length > 0
      void withRejectionHandler(after(isWanted).then(resume, resume))
    }
  }

  /** Ends the items that have timed out, in whatever state. */
  #expire(): void {
    const { queueTimeoutMs, retryTimeoutMs = queueTimeoutMs, runTimeoutMs = Infinity } = this.#options
    const now = performance.now()
    for (const queue of this.#suspended)
      this.#suspendedItems -= this.#expireQueue(queue, now - retryTimeoutMs)
    for (const { id, regular, oversized, inFlight } of this.#partitions) {
      for (const queues of [regular, oversized]) {
        for (const queue of [...queues]) {
          this.#expireQueue(queue, now - queueTimeoutMs)
          if (queue.entries.length > 0) continue
          queues.remove(queue.account.id, queue)
          this.#makeReady(queue)
        }
      }
      for (const { queue, entries } of inFlight.flatMap(({ parts }) => parts)) {
        this.#expireQueue(queue, now - queueTimeoutMs)
        for (const entry of entries) {
          if (entry.isDone || now - entry.since < runTimeoutMs) continue
          this.#finish(entry, this.#options.createError('run timeout', entry.item, id))
        }
      }
    }
    this.#timeoutTimer =
      this.#pending.items === 0
        ? null
        : setTimeout(() => this.#expire(), BATCH_TIMEOUT_CHECK_INTERVAL_MS).unref()
    this.#stopIfDone()
  }

  /** Ends the queued items that arrived no later than this. Returns how many. */
  #expireQueue(queue: KeyQueue<Item, Result>, since: number): number {
    const { entries, partition } = queue
    const kept = entries.findIndex((entry) => entry.since > since)
    const expired = entries.splice(0, kept === -1 ? entries.length : kept)
    for (const entry of expired) {
      this.#finish(entry, this.#options.createError('queue timeout', entry.item, partition.id))
      this.#count(queue, entry, -1)
    }
    return expired.length
  }
}

/** An item from its arrival until it is done. */
interface Entry<Item, Result> {
  readonly item: Item
  readonly weight: number
  /** By performance.now(), in milliseconds. */
  readonly since: number
  readonly onDone: OnDone<Item, Result>
  isAlone: boolean
  /** `onDone` was called. The item may still be in flight. */
  isDone: boolean
}

/** The queued items of an account with one order key, or one item without an order key. */
interface KeyQueue<Item, Result> {
  readonly account: Account<Item, Result>
  readonly partition: Partition<Item, Result>
  readonly key: string | null
  readonly entries: Entry<Item, Result>[]
  isSuspended: boolean
  keyWeight: number
  backoffMs: number
}

interface Account<Item, Result> {
  readonly id: string
  readonly pending: Load
  readonly byPartition: Record<number, Load>
  readonly queues: Record<string, KeyQueue<Item, Result>>
}

/** The queues of a partition hold the keys that are ready: neither in flight nor suspended. */
interface Partition<Item, Result> {
  readonly id: number
  readonly regular: FairQueue<KeyQueue<Item, Result>>
  readonly oversized: FairQueue<KeyQueue<Item, Result>>
  readonly inFlight: Batch<Item, Result>[]
  readonly linger: Linger | null
}

interface Batch<Item, Result> {
  readonly parts: readonly BatchPart<Item, Result>[]
  readonly isOversized: boolean
  readonly since: number
}

/** The items of one order key in a batch. */
interface BatchPart<Item, Result> {
  readonly queue: KeyQueue<Item, Result>
  readonly entries: readonly Entry<Item, Result>[]
}

interface Load {
  items: number
  weight: number
}

const newAccount = <Item, Result>(id: string): Account<Item, Result> => ({
  id,
  pending: { items: 0, weight: 0 },
  byPartition: {},
  queues: Object.create(null),
})

const NO_LIMIT: Load = { items: Infinity, weight: Infinity }
const NO_LOAD: Load = { items: 0, weight: 0 }
const NO_ACCOUNT = { pending: NO_LOAD, byPartition: {} as Record<number, Load> }
const ALONE = new Retry({ isAlone: true })

/** Whether one more item of this weight stays within the limit. */
const fits = (own: Load, limit: Load, weight: number): boolean =>
  own.items < limit.items && own.weight + weight <= limit.weight

const hasLeft = (left: Load, weight: number): boolean => left.items > 0 && weight <= left.weight
