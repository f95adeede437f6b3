import type { App } from '../app.ts'
import { getOverview, type Overview, type OverviewRequest } from './get-overview.ts'

/** An overview that took longer than this is given again to whoever asks for the same soon after, in milliseconds. */
const COSTLY_MS = 250
/** For so many times as long as it took, and at most for this long. */
const [TIMES, AT_MOST_MS] = [10, 10_000]

interface Shared {
  overview: Promise<Overview>
  /** By `performance.now()`; without end while it is being made. */
  until: number
}

/**
 * Reads overviews, each one once for all who ask for the same while it is being made. Dashboards that are open all
 * day so cost the database a tenth of its time at most.
 */
export function shareOverviews(app: App): (request: OverviewRequest) => Promise<Overview> {
  const shared = new Map<string, Shared>()

  return (request) => {
    const { userId, customerId, testClockId, days, timeZone } = request
    const key = JSON.stringify([userId, customerId, testClockId, days, timeZone])
    const found = shared.get(key)
    if (found && found.until > performance.now()) return found.overview

    const started = performance.now()
    const entry: Shared = { overview: getOverview(app, request), until: Number.POSITIVE_INFINITY }
    shared.set(key, entry)
    const keep = (forMs: number) => {
      entry.until = performance.now() + forMs
      setTimeout(() => shared.get(key) === entry && shared.delete(key), forMs).unref()
    }
    entry.overview.then(
      () => keep(reuseMs(performance.now() - started)),
      () => keep(0),
    )
    return entry.overview
  }
}

const reuseMs = (tookMs: number) => (tookMs < COSTLY_MS ? 0 : Math.min(tookMs * TIMES, AT_MOST_MS))
