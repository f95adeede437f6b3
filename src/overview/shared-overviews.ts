import type { Lifecycle } from '../kernel/start-stop.ts'
import type { Database } from '../platform/database/database.ts'
import { findTestClocks } from '../test-clocks/test-clock-store.ts'
import { getOverview, type Overview, type OverviewRequest } from './get-overview.ts'

/** An overview that took longer than this is given again to whoever asks for the same soon after, in milliseconds. */
const COSTLY_MS = 250
/** For so many times as long as it took, and at most for this long. */
const [TIMES, AT_MOST_MS] = [10, 10_000]

interface Shared {
  overview: Promise<Overview>
  /** By `performance.now()`; without end while it is being made. */
  until: number
  /** After which it is forgotten. */
  keeping: NodeJS.Timeout | null
}

/**
 * Reads overviews, each one once for all who ask for the same while it is being made. Dashboards that are open all
 * day so cost the database a tenth of its time at most.
 */
export class Overviews implements Lifecycle {
  readonly #db: Database
  readonly #costlyMs: number
  readonly #shared = new Map<string, Shared>()

  constructor(db: Database, costlyMs = COSTLY_MS) {
    this.#db = db
    this.#costlyMs = costlyMs
  }

  /** Who asked for one hears of it. */
  async stop(): Promise<void> {
    const shared = [...this.#shared.values()]
    await Promise.allSettled(shared.map(({ overview }) => overview))
    for (const { keeping } of shared) if (keeping) clearTimeout(keeping)
    this.#shared.clear()
  }

  /**
   * @throws CUSTOMER_NOT_FOUND, TEST_CLOCK_NOT_FOUND, VALIDATION_ERROR for a time zone that is not known
   */
  async get(request: OverviewRequest): Promise<Overview> {
    const { userId, customerId, testClockId, days, timeZone } = request
    const frozenTime = testClockId && (await this.#timeOf(userId, testClockId))
    const key = JSON.stringify([userId, customerId, testClockId, frozenTime, days, timeZone])
    const found = this.#shared.get(key)
    if (found && found.until > performance.now()) return found.overview

    const started = performance.now()
    const overview = getOverview(this.#db, request)
    const entry: Shared = { overview, until: Number.POSITIVE_INFINITY, keeping: null }
    this.#shared.set(key, entry)
    const keep = (forMs: number) => {
      entry.until = performance.now() + forMs
      const forget = () => this.#shared.get(key) === entry && this.#shared.delete(key)
      entry.keeping = setTimeout(forget, forMs).unref()
    }
    overview.then(
      () => keep(this.#reuseMs(performance.now() - started)),
      () => keep(0),
    )
    return overview
  }

  /** Who has advanced a test clock, on whatever server, is to see what that moved. */
  async #timeOf(userId: string, testClockId: string): Promise<Date | undefined> {
    const [clock] = await findTestClocks(this.#db.reads.for(userId), userId, [testClockId])
    return clock?.frozenTime
  }

  #reuseMs(tookMs: number): number {
    return tookMs < this.#costlyMs ? 0 : Math.min(tookMs * TIMES, AT_MOST_MS)
  }
}
