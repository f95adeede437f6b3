import type { Lifecycle } from '../kernel/start-stop.ts'
import type { Database } from '../platform/database/database.ts'
import { findTestClocks } from '../test-clocks/test-clock-store.ts'
import { getOverview, type Overview, type OverviewRequest } from './get-overview.ts'
import { MAX_REUSE_MS, REUSE_ABOVE_MS, REUSE_FACTOR } from './limits.ts'

interface Shared {
  overview: Promise<Overview>
  /** By `performance.now()`; infinite while the overview is being read. */
  until: number
  /** Removes the entry. */
  timer: NodeJS.Timeout | null
}

/**
 * A cache of overviews. Concurrent requests for the same overview share one read, and an overview that took long is reused for a
 * while. So dashboards that are always open cost the database at most a tenth of its time.
 */
export class OverviewCache implements Lifecycle {
  readonly #db: Database
  readonly #reuseAboveMs: number
  readonly #shared = new Map<string, Shared>()

  constructor(db: Database, reuseAboveMs = REUSE_ABOVE_MS) {
    this.#db = db
    this.#reuseAboveMs = reuseAboveMs
  }

  /** Waits for overviews that are being read. */
  async stop(): Promise<void> {
    const shared = [...this.#shared.values()]
    await Promise.allSettled(shared.map(({ overview }) => overview))
    for (const { timer } of shared) if (timer) clearTimeout(timer)
    this.#shared.clear()
  }

  /**
   * @throws CUSTOMER_NOT_FOUND, TEST_CLOCK_NOT_FOUND, VALIDATION_ERROR for an unknown time zone
   */
  async get(request: OverviewRequest): Promise<Overview> {
    const { userId, customerId, testClockId, days, timeZone } = request
    const frozenTime = testClockId && (await this.#timeOf(userId, testClockId))
    const key = JSON.stringify([userId, customerId, testClockId, frozenTime, days, timeZone])
    const found = this.#shared.get(key)
    if (found && found.until > performance.now()) return found.overview

    const started = performance.now()
    const overview = getOverview(this.#db, request)
    const entry: Shared = { overview, until: Number.POSITIVE_INFINITY, timer: null }
    this.#shared.set(key, entry)
    const keep = (forMs: number) => {
      entry.until = performance.now() + forMs
      const remove = () => this.#shared.get(key) === entry && this.#shared.delete(key)
      entry.timer = setTimeout(remove, forMs).unref()
    }
    overview.then(
      () => keep(this.#reuseMs(performance.now() - started)),
      () => keep(0),
    )
    return overview
  }

  /** A part of the key: after an advance of the test clock on any server, the overview must be read again. */
  async #timeOf(userId: string, testClockId: string): Promise<Date | undefined> {
    const [clock] = await findTestClocks(this.#db.reads.for(userId), userId, [testClockId])
    return clock?.frozenTime
  }

  #reuseMs(tookMs: number): number {
    return tookMs < this.#reuseAboveMs ? 0 : Math.min(tookMs * REUSE_FACTOR, MAX_REUSE_MS)
  }
}
