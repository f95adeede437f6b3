import { FairQueue, type Key } from './fair-queue.ts'
import { PREEMPTIBLE_AFTER_MS, PREEMPTION_INTERVAL_MS } from './limits.ts'

export interface FairSemaphoreOptions {
  /** Permits in total. */
  max: number
  /** Permits of one key. By default `max`. */
  maxPerKey?: number
  /** A key may hold no more permits than it leaves free: one key alone half of `max`, two keys a third each. */
  leavesAsManyFree?: boolean
  /** Preemptible permits in total. Beyond, permits are preempted although no request is queued. */
  maxPreemptible?: number
  /** Queued requests in total and of one key. By default no request is queued. */
  maxQueued?: number
  maxQueuedPerKey?: number
  /** How long a request is queued. By default without limit. */
  timeoutMs?: number
  /** A key without a limit of its own, whose queued requests count apart from those of the other keys. */
  exemptKey?: Key
  createError: (reason: 'queue full' | 'timeout') => Error
}

export interface AcquireOptions {
  /** Ends the wait. Its reason is thrown. */
  signal?: AbortSignal | undefined
  timeoutMs?: number
}

export interface Permit {
  readonly weight: number
  /** Idempotent. */
  readonly release: () => void
  /** Allows preemption: the permit is released, then `onPreempt` is called. A second call restarts the age of the permit. */
  readonly makePreemptible: (onPreempt: () => void) => void
  readonly preventPreemption: () => void
}

interface QueuedRequest {
  weight: number
  grant: () => void
  reject: (error: Error) => void
}

interface Preemptible {
  since: number
  onPreempt: () => void
}

interface Victim {
  permit: Permit
  onPreempt: () => void
  /** Of all preemptible permits of its key. */
  weight: number
}

/**
 * A weighted semaphore that is fair between keys.
 *
 * Why: requests of one account must not take all of a resource, nor all places in the queue for it, nor hold it for ever by
 * reading slowly.
 * States: a request is granted at once, or queued and then granted, rejected (timeout, abort, evicted from a full queue). A permit
 * is held, perhaps preemptible, and released once.
 * Invariants: held permits never exceed `max` and `maxPerKey`, except by `forceAcquire`. Requests of one key are granted in their
 * order, the keys round-robin. A large request is not overtaken by small ones, unless its own key is at its limit. A full queue
 * evicts the last request of the key that has most in it. Preemption takes from the key with most preemptible permits, the oldest
 * first, and only if that key has more of them than the queued request's key would hold.
 * Limits: the state is in this process alone. Finding a victim or the next request visits each key once.
 */
export class FairSemaphore {
  readonly #options: FairSemaphoreOptions
  readonly #queue = new FairQueue<QueuedRequest>()
  readonly #heldByKey = new Map<Key, number>()
  readonly #preemptibleByKey = new Map<Key, Map<Permit, Preemptible>>()
  #held = 0
  /** The weight of all preemptible permits. */
  #preemptible = 0
  #preemptionTimer: NodeJS.Timeout | null = null

  constructor(options: FairSemaphoreOptions) {
    this.#options = options
  }

  get held(): number {
    return this.#held
  }

  get queued(): number {
    return this.#queue.size
  }

  /** @throws the error of `createError`, at once if the queue is full; the reason of the signal */
  async acquire(key: Key, weight = 1, options: AcquireOptions = {}): Promise<Permit> {
    const permit = this.tryAcquire(key, weight) ?? this.#tryPreempt(key, weight)
    return permit ?? (await this.#enqueue(key, weight, options))
  }

  /**
   * Returns null if the permits are not free, or queued requests come first.
   * @param isBarging overtakes queued requests: a caller that holds permits already must not wait for more
   */
  tryAcquire(key: Key, weight = 1, isBarging = false): Permit | null {
    if (this.#missing(key, weight) > 0) return null
    if (!isBarging && (this.#queue.sizeOf(key) > 0 || this.#next() !== undefined)) return null
    return this.forceAcquire(key, weight)
  }

  /** Whether a key without permits could ever acquire this weight. */
  isPossible(weight: number): boolean {
    const { max, maxPerKey = max, leavesAsManyFree } = this.#options
    return weight <= Math.min(leavesAsManyFree ? max / 2 : max, maxPerKey)
  }

  /** Exceeds every limit: for the result of work that is done already. */
  forceAcquire(key: Key, weight = 1): Permit {
    this.#addHeld(key, weight)
    let isReleased = false
    const permit: Permit = {
      weight,
      release: () => {
        if (isReleased) return
        isReleased = true
        this.#deletePreemptible(key, permit)
        this.#addHeld(key, -weight)
        this.#dispatch()
      },
      makePreemptible: (onPreempt) => {
        if (isReleased) return
        this.#deletePreemptible(key, permit)
        const permits = this.#preemptibleByKey.get(key) ?? new Map<Permit, Preemptible>()
        this.#preemptibleByKey.set(key, permits.set(permit, { since: performance.now(), onPreempt }))
        this.#preemptible += weight
        this.#schedulePreemption()
      },
      preventPreemption: () => this.#deletePreemptible(key, permit),
    }
    return permit
  }

  /** Rejects all queued requests, as after their timeout. */
  rejectQueued(): void {
    for (const { reject } of [...this.#queue]) reject(this.#options.createError('timeout'))
  }

  #enqueue(key: Key, weight: number, { signal, timeoutMs }: AcquireOptions): Promise<Permit> {
    signal?.throwIfAborted()
    if (!this.isPossible(weight) || !this.#makeQueueRoom(key)) throw this.#options.createError('queue full')
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
        this.#queue.remove(key, request)
      }
      const request: QueuedRequest = {
        weight,
        grant: () => {
          end()
          resolve(this.forceAcquire(key, weight))
        },
        reject: (error) => {
          end()
          reject(error)
          this.#dispatch()
        },
      }
      const onAbort = () => request.reject(signal?.reason)
      const { createError, timeoutMs: defaultMs = Number.POSITIVE_INFINITY } = this.#options
      const waitMs = timeoutMs ?? defaultMs
      const onTimeout = () => request.reject(createError('timeout'))
      const timer = Number.isFinite(waitMs) ? setTimeout(onTimeout, waitMs) : undefined
      signal?.addEventListener('abort', onAbort)
      this.#queue.push(key, request)
      this.#schedulePreemption()
    })
  }

  /** Evicts the last request of the key with most queued requests, if that key still has more than this one afterwards. */
  #makeQueueRoom(key: Key): boolean {
    const { maxQueued = 0, maxQueuedPerKey = maxQueued, exemptKey, createError } = this.#options
    const exempt = exemptKey === undefined ? 0 : this.#queue.sizeOf(exemptKey)
    if (key === exemptKey) return exempt < maxQueued
    const queued = this.#queue.sizeOf(key)
    if (queued >= maxQueuedPerKey) return false
    if (this.#queue.size - exempt < maxQueued) return true
    const longest = this.#queue.longest()
    if (!longest || longest.key === exemptKey || longest.size <= queued + 1) return false
    longest.last.reject(createError('queue full'))
    return true
  }

  /** Permits that must be released before the key can have the weight: 0 or less if none, Infinity if its own limit forbids it. */
  #missing(key: Key, weight: number): number {
    const { max, maxPerKey = max, leavesAsManyFree, exemptKey } = this.#options
    const free = max - this.#held
    if (key === exemptKey) return weight - free
    const wanted = this.#heldOf(key) + weight
    if (wanted > maxPerKey) return Number.POSITIVE_INFINITY
    return (leavesAsManyFree ? weight + wanted : weight) - free
  }

  /** The request whose turn it is. A request whose key is at its limit loses its turn; any other one is waited for. */
  #next(): { key: Key; item: QueuedRequest } | undefined {
    if (this.#queue.size === 0) return undefined
    return this.#queue.peek((key, { weight }) => {
      const missing = this.#missing(key, weight)
      const isAtShare = missing > 0 && this.#options.leavesAsManyFree && this.#heldOf(key) > 0
      return missing < Number.POSITIVE_INFINITY && !isAtShare
    })
  }

  #dispatch(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      if (this.#missing(next.key, next.item.weight) > 0) return
      next.item.grant()
    }
  }

  #heldOf(key: Key): number {
    return this.#heldByKey.get(key) ?? 0
  }

  #addHeld(key: Key, weight: number): void {
    this.#held += weight
    const held = this.#heldOf(key) + weight
    if (held > 0) this.#heldByKey.set(key, held)
    else this.#heldByKey.delete(key)
  }

  #deletePreemptible(key: Key, permit: Permit): void {
    const permits = this.#preemptibleByKey.get(key)
    if (!permits?.delete(permit)) return
    this.#preemptible -= permit.weight
    if (permits.size === 0) this.#preemptibleByKey.delete(key)
  }

  #schedulePreemption(): void {
    if (this.#preemptibleByKey.size === 0 || (this.#queue.size === 0 && !this.#isOverPreemptible)) return
    this.#preemptionTimer ??= setTimeout(() => {
      this.#preemptionTimer = null
      while (this.#preemptForQueue());
      this.#schedulePreemption()
    }, PREEMPTION_INTERVAL_MS).unref()
  }

  get #isOverPreemptible(): boolean {
    return this.#preemptible > (this.#options.maxPreemptible ?? Number.POSITIVE_INFINITY)
  }

  #tryPreempt(key: Key, weight: number): Permit | null {
    if (this.#queue.size > 0) return null
    for (;;) {
      const victim = this.#victim()
      if (victim === null || !this.#mayPreempt(key, weight, victim)) return null
      this.#preempt(victim)
      const permit = this.tryAcquire(key, weight)
      if (permit) return permit
    }
  }

  /** Returns false if no permit is to be preempted. */
  #preemptForQueue(): boolean {
    const victim = this.#victim()
    if (victim === null) return false
    const { maxPreemptible = 0 } = this.#options
    const isOverShare =
      this.#isOverPreemptible && victim.weight > maxPreemptible / this.#preemptibleByKey.size
    const isNeeded = () => this.#queue.peek((key, { weight }) => this.#mayPreempt(key, weight, victim))
    if (!isOverShare && !isNeeded()) return false
    this.#preempt(victim)
    return true
  }

  /** Only from a key that has more than this key would hold. */
  #mayPreempt(key: Key, weight: number, victim: Victim): boolean {
    const missing = this.#missing(key, weight)
    return missing > 0 && Number.isFinite(missing) && this.#heldOf(key) + weight < victim.weight
  }

  #preempt({ permit, onPreempt }: Victim): void {
    permit.release()
    onPreempt()
  }

  /** The oldest preemptible permit of the key that has most of them, among the keys with one that is old enough. */
  #victim(): Victim | null {
    const before = performance.now() - PREEMPTIBLE_AFTER_MS
    let victim: Victim | null = null
    for (const permits of this.#preemptibleByKey.values()) {
      const [[permit, { since, onPreempt }]] = [...permits.entries().take(1)] as [[Permit, Preemptible]]
      if (since > before) continue
      const weight = weightOf(permits)
      if (victim === null || weight > victim.weight) victim = { permit, onPreempt, weight }
    }
    return victim
  }
}

const weightOf = (permits: Map<Permit, unknown>): number =>
  permits.keys().reduce((sum, { weight }) => sum + weight, 0)
