import { ServiceError } from '../kernel/errors.ts'
import type { Lifecycle } from '../kernel/start-stop.ts'
import { Poller } from '../platform/concurrency/poller.ts'
import type { Database } from '../platform/database/database.ts'
import { SERVICE_ACCOUNT } from '../platform/database/pool/pooled-connection.ts'
import { type FeedPosition, findNews } from './feed-store.ts'
import { FEED_POLL_INTERVAL_MS, MAX_WAITING_PER_ACCOUNT } from './limits.ts'

interface Waiter {
  position: FeedPosition
  wake: () => void
}

/** Lets requests wait for new notifications. One small statement polls for all waiting requests. */
export class FeedWatch implements Lifecycle {
  readonly #db: Database
  readonly #waitersByAccount = new Map<string, Set<Waiter>>()
  readonly #poller = new Poller({
    intervalMs: FEED_POLL_INTERVAL_MS,
    isNeeded: () => this.#waitersByAccount.size > 0,
    poll: () => this.#poll(),
  })

  constructor(db: Database) {
    this.#db = db
    const { notificationReaders } = db.metrics.instruments
    db.metrics.onRead(() =>
      notificationReaders.set(
        this.#waitersByAccount.values().reduce((sum, waiters) => sum + waiters.size, 0),
      ),
    )
  }

  /** Waiting requests continue and find nothing. */
  async stop(): Promise<void> {
    await this.#poller.stop()
    this.#wake(() => true)
  }

  /**
   * Resolves when there is a notification after the position, or after `maxWaitMs`. The notification may not be readable yet: its
   * transaction may be in progress.
   * @param signal aborts the wait; its reason is thrown
   * @throws RATE_LIMITED if too many requests of the account wait
   */
  async waitForNews(position: FeedPosition, maxWaitMs: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#poller.isStopped) return
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const remove = this.#add({ position, wake: resolve })
    const timer = setTimeout(resolve, maxWaitMs)
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort)
    this.#poller.wake()
    try {
      await promise
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      remove()
    }
  }

  #add(waiter: Waiter): () => void {
    const { userId } = waiter.position
    const waiters = this.#waitersByAccount.get(userId) ?? new Set()
    if (waiters.size >= MAX_WAITING_PER_ACCOUNT) throw tooManyWaiters()
    this.#waitersByAccount.set(userId, waiters.add(waiter))
    return () => {
      waiters.delete(waiter)
      if (waiters.size === 0 && this.#waitersByAccount.get(userId) === waiters)
        this.#waitersByAccount.delete(userId)
    }
  }

  async #poll(): Promise<void> {
    const positions = [...this.#waitersByAccount.values()].flatMap((waiters) =>
      [...waiters].map(({ position }) => position),
    )
    // While the database is unavailable the requests keep waiting. Each reads at its timeout.
    const hasNews = await findNews(this.#db.reads.for(SERVICE_ACCOUNT), positions).catch(() => () => false)
    this.#wake(hasNews)
  }

  #wake(isDone: (position: FeedPosition) => boolean): void {
    for (const waiters of this.#waitersByAccount.values())
      for (const { position, wake } of waiters) if (isDone(position)) wake()
  }
}

const tooManyWaiters = () =>
  new ServiceError(
    'RATE_LIMITED',
    `More than ${MAX_WAITING_PER_ACCOUNT} requests of the account wait for notifications.`,
    {
      headers: { 'Retry-After': '5' },
    },
  )
